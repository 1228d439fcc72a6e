import {type Signal, signal} from '@preact/signals';
import {underOwnOrigin} from '../service/own-origin.ts';

/** State of the sound that a plugin asked for. */
export type SoundStatus =
  | {readonly kind: 'silent'}
  | {readonly kind: 'playing'}
  /** The browser plays sounds only after the user has used the page. */
  | {readonly kind: 'blocked'}
  | {readonly kind: 'failed'; readonly problem: string};

/** Schemes of sounds that play. */
const SCHEMES: readonly string[] = ['http:', 'https:', 'data:'];

/** Length, in seconds, frequency, in hertz, and loudness (0 to 1) of the tone of a notification. */
const TONE = {seconds: 0.18, hertz: 660, gain: 0.06};

/** Plays the sounds that plugins ask for, one at a time. */
export class Sounds {
  readonly status: Signal<SoundStatus> = signal({kind: 'silent'});
  readonly #audio = new Audio();
  #isBeeping = false;

  constructor() {
    this.#audio.addEventListener('ended', () => this.stop());
    this.#audio.addEventListener('error', () => {
      // Removing the address of a sound is reported as an error too.
      if (this.#audio.hasAttribute('src'))
        this.#fail('it is missing, or it has a format that this browser does not play');
    });
  }

  /** Plays a sound in place of the one before. @param url Absolute, or relative to the service. */
  play(url: string): void {
    const address = URL.parse(url, location.origin);
    if (address === null || !SCHEMES.includes(address.protocol)) {
      this.#fail('its address is not one of the web');
      return;
    }
    this.#audio.src = underOwnOrigin(address).href;
    this.#start();
  }

  /** Plays a sound that the browser blocked. Called when the user clicks, which browsers accept as permission. */
  resume(): void {
    if (this.status.value.kind === 'blocked') this.#start();
  }

  /** Stops the sound, or hides the problem of the last one. */
  stop(): void {
    if (this.status.value.kind === 'silent') return;
    this.#audio.pause();
    this.#audio.removeAttribute('src');
    // Otherwise the browser goes on with loading the sound.
    this.#audio.load();
    this.status.value = {kind: 'silent'};
  }

  /** Plays a short tone, for a notification; nothing if the browser blocks it, or if one is playing: a page may send hundreds at once. */
  beep(): void {
    if (this.#isBeeping || !navigator.userActivation.hasBeenActive) return;
    this.#isBeeping = true;
    const context = new AudioContext();
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    volume.gain.value = TONE.gain;
    tone.frequency.value = TONE.hertz;
    tone.connect(volume).connect(context.destination);
    tone.addEventListener('ended', () => {
      this.#isBeeping = false;
      void context.close();
    });
    tone.start();
    tone.stop(context.currentTime + TONE.seconds);
  }

  #start(): void {
    this.status.value = {kind: 'playing'};
    this.#audio.play().catch((error: unknown) => {
      // A newer sound has replaced this one, or `error` above reports the reason.
      if (error instanceof DOMException && error.name === 'NotAllowedError') this.status.value = {kind: 'blocked'};
    });
  }

  #fail(problem: string): void {
    this.stop();
    this.status.value = {kind: 'failed', problem};
  }
}
