/** Those who want to be called. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  readonly #onError: (error: unknown) => void;

  /** @param onError Takes what a listener throws. It is a defect of whoever listens: by default that of the process. */
  constructor(onError: (error: unknown) => void = throwLater) {
    this.#onError = onError;
  }

  /** @returns A function that ends it. */
  add(listener: () => void): () => void {
    // The same function twice is two listeners.
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Calls each of them; one that throws does not keep the others from being called. */
  call(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
