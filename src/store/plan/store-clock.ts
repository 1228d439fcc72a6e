/** What the clock of a store needs. */
export interface StoreClockDeps {
  /** The clock of the machine, in milliseconds since the Unix epoch: it may jump. */
  readonly nowMs: () => number;
  /** Milliseconds since any moment: it never jumps. @default {performance.now} */
  readonly elapsedMs?: (() => number) | undefined;
}

/**
 * The clock by which entries expire. It follows that of the machine and never goes back: where the machine's is set
 * back, it goes on from the highest time that it knew, so that what has expired once is never there again.
 */
export class StoreClock {
  readonly #nowMs: () => number;
  readonly #elapsedMs: () => number;
  #highestMs: number;
  /** When the highest time was known. */
  #knownAtMs: number;

  /** @param highestMs The highest time known from before. */
  constructor({nowMs, elapsedMs = () => performance.now()}: StoreClockDeps, highestMs = 0) {
    this.#nowMs = nowMs;
    this.#elapsedMs = elapsedMs;
    this.#highestMs = Math.max(nowMs(), highestMs);
    this.#knownAtMs = elapsedMs();
  }

  /** The time, in whole milliseconds since the Unix epoch. */
  now(): number {
    const elapsedMs = this.#elapsedMs();
    this.#highestMs = Math.max(this.#nowMs(), this.#highestMs + elapsedMs - this.#knownAtMs);
    this.#knownAtMs = elapsedMs;
    return Math.floor(this.#highestMs);
  }
}
