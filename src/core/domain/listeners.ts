/** A set of callbacks that are called together, with the same arguments. */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...args: Args) => void>();
  readonly #onError: (error: unknown) => void;

  /** @param onError Receives errors of listeners. By default they are thrown as uncaught exceptions. */
  constructor(onError: (error: unknown) => void = throwLater) {
    this.#onError = onError;
  }

  /** Adds a listener. @returns A function that removes it. */
  add(listener: (...args: Args) => void): () => void {
    // A new function, so that the same listener can be added twice.
    const own = (...args: Args): void => listener(...args);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Calls every listener, even if one of them throws. Listeners that are added meanwhile are called the next time. */
  call(...args: Args): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(...args);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Removes every listener. */
  clear(): void {
    this.#listeners.clear();
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
