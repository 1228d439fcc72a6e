/**
 * Upper bounds of the buckets of durations, in seconds. A read takes a tenth of a millisecond, a durable write some milliseconds, a
 * plugin or the back end of an airline up to seconds.
 */
export const DURATION_BOUNDS_SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Durations, counted in the buckets of {@link DURATION_BOUNDS_SECONDS}. */
export interface Durations {
  /** Number of durations in each bucket, and last of those above all bounds. */
  readonly counts: readonly number[];
  /** Sum of all durations, in seconds. */
  readonly sumSeconds: number;
}

/** Counts durations. Its size is fixed. */
export class DurationHistogram {
  readonly #counts = new Array<number>(DURATION_BOUNDS_SECONDS.length + 1).fill(0);
  #sumSeconds = 0;

  observe(durationMs: number): void {
    const seconds = durationMs / 1000;
    let bucket = 0;
    // Linear: most durations are in the first buckets.
    while (seconds > (DURATION_BOUNDS_SECONDS[bucket] ?? Infinity)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumSeconds += seconds;
  }

  durations(): Durations {
    return {counts: [...this.#counts], sumSeconds: this.#sumSeconds};
  }
}
