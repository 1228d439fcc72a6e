/** Length of waits between attempts. */
export interface BackoffOptions {
  /** Longest first wait, in milliseconds. */
  readonly firstMs: number;
  /** Longest wait, in milliseconds. */
  readonly maxMs: number;
  /**
   * Jitter, from 0 up to 1: many that wait for one service come back at different times. A wait has at least half of its length.
   *
   * @default {no jitter}
   */
  readonly random?: () => number;
}

/** Returns the wait after a number of failures in a row, from 1, in milliseconds: each is twice the one before. */
export function backoffMs(failures: number, {firstMs, maxMs, random}: BackoffOptions): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (random === undefined ? 1 : 0.5 + random() / 2);
}

/** Counts failures in a row, for {@link backoffMs}. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Counts a failure. @returns The wait before the next attempt, in milliseconds. */
  next(): number {
    return backoffMs(++this.#failures, this.#options);
  }

  /** Begins with the first wait again. */
  reset(): void {
    this.#failures = 0;
  }
}
