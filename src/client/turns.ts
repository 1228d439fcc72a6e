/**
 * How many requests of one client are under way at once; the others wait for their turn. A program that
 * stores a thousand entries at once would otherwise open a thousand connections, which others may need.
 */
export const REQUESTS_MAX = 64;

/** Lets so many things happen at once, in the order in which they are asked for. */
export class Turns {
  #free: number;
  /** Those that wait, in their order. */
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /**
   * Does something once it is its turn.
   *
   * @throws The signal's reason when it is aborted before that.
   */
  async take<T>(doIt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await doIt();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void): void => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', abandon);
        outcome();
      };
      const begin = (): void => settle(resolve);
      const abandon = (): void => settle(() => reject(signal?.reason));
      if (signal?.aborted) {
        abandon();
        return;
      }
      this.#waiting.add(begin);
      signal?.addEventListener('abort', abandon);
    });
  }
}
