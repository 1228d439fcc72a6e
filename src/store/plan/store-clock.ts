/** Clocks of a store. */
export interface StoreClockDeps {
  /** The clock of the machine, in milliseconds since the Unix epoch: it may jump. */
  readonly nowMs: () => number;
  /** Milliseconds since any moment; never jumps. @default {performance.now} */
  readonly elapsedMs?: (() => number) | undefined;
}

/** Default of {@link StoreClockDeps.elapsedMs}. */
export const MONOTONIC_MS = (): number => performance.now();

/**
 * The clock that decides when entries expire. It follows the clock of the machine but never goes back: if the machine's is set
 * back, it continues from the highest time it knew, so that an expired entry never comes back.
 */
export class StoreClock {
  readonly #nowMs: () => number;
  readonly #elapsedMs: () => number;
  #highestMs: number;
  /** Value of `elapsedMs` when the highest time was read. */
  #knownAtMs: number;

  /** @param highestMs The highest time known before. */
  constructor({nowMs, elapsedMs = MONOTONIC_MS}: StoreClockDeps, highestMs = 0) {
    this.#nowMs = nowMs;
    this.#elapsedMs = elapsedMs;
    this.#highestMs = Math.max(nowMs(), highestMs);
    this.#knownAtMs = elapsedMs();
  }

  /** Continues from a time that another process knew, if it is higher, in milliseconds since the Unix epoch. */
  raise(knownMs: number): void {
    if (knownMs <= this.now()) return;
    this.#highestMs = knownMs;
  }

  /** Returns the time in whole milliseconds since the Unix epoch. */
  now(): number {
    const elapsedMs = this.#elapsedMs();
    this.#highestMs = Math.max(this.#nowMs(), this.#highestMs + elapsedMs - this.#knownAtMs);
    this.#knownAtMs = elapsedMs;
    return Math.floor(this.#highestMs);
  }
}
