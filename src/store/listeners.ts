/** Those who want to be called. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

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
        // A defect of whoever listens, and not one of the commit that it hears of.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
