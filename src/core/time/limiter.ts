/** Limits how many tasks run at once. Waiting tasks start in the order in which they came. */
export class Limiter {
  #free: number;
  /** Functions that start the waiting tasks, in their order. */
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#free = max;
  }

  /** Runs a task as soon as there is a permit. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>(begin => this.#waiting.push(begin));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
