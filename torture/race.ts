import {setTimeout as delay} from 'node:timers/promises';
import {GoneError, type RecordedService} from './linearizability/recorder.ts';
import {RACE_PREFIX, takeStep} from './race-steps.ts';
import type {Random} from './random.ts';

/** Number of writers at each service. */
const WRITERS = 4;

/** Number of keys that all writers race for. */
const KEYS = 4;

/** Pause of a writer whose service is gone, in milliseconds. */
const GONE_MS = 50;

/** Writers at several services that race for the same entries, until they are ended. */
export class Race {
  readonly #running: Promise<unknown>;
  readonly #steps: number[];
  #isEnded = false;

  constructor(services: readonly RecordedService[], random: Random) {
    const keys = Array.from({length: KEYS}, (_, index) => `${RACE_PREFIX}${index}`);
    this.#steps = services.map(() => 0);
    this.#running = Promise.all(
      services.flatMap((service, at) =>
        Array.from({length: WRITERS}, (_, writer) => this.#write(service, {keys, at, name: `${at}.${writer}`, random})),
      ),
    );
    // Reported by `end`.
    this.#running.catch(() => {});
  }

  /** Waits until the writers of one service, or all together, have taken so many more steps. */
  async progress(steps: number, service?: number): Promise<void> {
    const count = (): number =>
      service === undefined ? this.#steps.reduce((sum, each) => sum + each, 0) : (this.#steps[service] ?? 0);
    const end = count() + steps;
    let hasFailed = false;
    this.#running.catch(() => {
      hasFailed = true;
    });
    while (count() < end && !hasFailed) await delay(20);
  }

  /** Ends all writers. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  async #write(service: RecordedService, {keys, at, name, random}: Writer): Promise<void> {
    const chance = random.fork(`writer ${name}`);
    for (let step = 0; !this.#isEnded; step++) {
      try {
        await takeStep(service, {keys, chance, value: `"${name}.${step}"`});
        this.#steps[at] = (this.#steps[at] ?? 0) + 1;
      } catch (error) {
        if (!(error instanceof GoneError)) throw error;
        await delay(GONE_MS);
      }
    }
  }
}

interface Writer {
  readonly keys: readonly string[];
  readonly at: number;
  readonly name: string;
  readonly random: Random;
}
