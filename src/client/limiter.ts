/**
 * Maximum number of concurrent requests of one client; further calls wait for a permit. A program that stores a thousand
 * entries at once would otherwise open a thousand connections, which other programs may need.
 */
export const REQUESTS_MAX = 64;

/** Limits how many tasks run at once. Waiting tasks start in the order in which they came. */
export class Limiter {
  #free: number;
  /** Functions that start the waiting tasks, in their order. */
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /**
   * Runs a task as soon as there is a permit.
   *
   * @throws The signal's reason if it is aborted before that.
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', abandon);
      };
      const begin = (): void => {
        stop();
        resolve();
      };
      const abandon = (): void => {
        stop();
        reject(signal?.reason);
      };
      if (signal?.aborted) {
        abandon();
        return;
      }
      this.#waiting.add(begin);
      signal?.addEventListener('abort', abandon);
    });
  }
}
