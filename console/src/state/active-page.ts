import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';

/** Name of the lock that the active page holds. */
const LOCK = 'crewroom-active-page';

/**
 * Decides which of several open consoles does what a plugin asks for: the one that the user looked at last. Otherwise a sound
 * would play in each of them. And those that the user does not see need no connection: a browser has six to a service, for all its pages.
 */
export class ActivePage {
  readonly #isActive: Signal<boolean> = signal(false);
  readonly #isVisible: Signal<boolean> = signal(isVisible());
  /** True while this page is visible, or the active one. */
  readonly isWatched: ReadonlySignal<boolean> = computed(() => this.#isVisible.value || this.#isActive.value);
  /** Ends the wait for the lock. */
  #waiting = new AbortController();

  /** True if this page does what plugins ask for. */
  get isActive(): boolean {
    return this.#isActive.peek();
  }

  /** Makes this page the active one now, and whenever the user comes back to it, until the signal is aborted. */
  follow(signal: AbortSignal): void {
    const look = (): void => {
      this.#isVisible.value = isVisible();
    };
    document.addEventListener('visibilitychange', look, {signal});
    // Browsers have locks at loopback addresses, and not at other host names without TLS.
    if (navigator.locks === undefined) {
      this.#isActive.value = true;
      return;
    }
    const claim = (): void => {
      if (!isVisible() || this.isActive) return;
      this.#waiting.abort();
      this.#hold({steal: true}, signal);
    };
    addEventListener('focus', claim, {signal});
    document.addEventListener('visibilitychange', claim, {signal});
    claim();
    // Otherwise it waits until the active page is closed.
    if (!this.isActive) this.#wait(signal);
  }

  #wait(signal: AbortSignal): void {
    this.#waiting = new AbortController();
    this.#hold({signal: AbortSignal.any([signal, this.#waiting.signal])}, signal);
  }

  #hold(options: LockOptions, signal: AbortSignal): void {
    if ('steal' in options) this.#isActive.value = true;
    const held = navigator.locks.request(LOCK, options, () => {
      this.#isActive.value = true;
      return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
    });
    void held.catch(() => {
      // This page has stolen the lock, so that the wait for it has ended.
      if (options.signal?.aborted === true) return;
      // Another page has stolen the lock. This one waits for it to close.
      this.#isActive.value = false;
      if (!signal.aborted) this.#wait(signal);
    });
  }
}

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}
