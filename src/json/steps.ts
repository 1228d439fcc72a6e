/**
 * Work that is done in steps. Each step yields the approximate number of bytes that it processed, so that the caller can
 * decide when to let other work run.
 */
export type Steps<T> = Generator<number, T>;

/** Maximum number of bytes that one step processes: less than a millisecond of work. */
export const STEP_BYTES_MAX = 32 * 1024;

/** Bytes of steps that run in one tick of the event loop: a few milliseconds of work. */
export const TICK_BYTES_MAX = 256 * 1024;

/** Runs steps until they reach {@link TICK_BYTES_MAX}. @returns The last step; it is done if the work is done. */
export function runTick<T>(steps: Iterator<number, T>): IteratorResult<number, T> {
  let bytes = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return step;
    bytes += step.value;
    if (bytes >= TICK_BYTES_MAX) return step;
  }
}

/** Runs all steps, with a pause between ticks. */
export async function runInTicks<T>(steps: Iterator<number, T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const {done, value} = runTick(steps);
    if (done) return value;
    await pause();
  }
}

/** Runs all steps synchronously. */
export function runAtOnce<T>(steps: Iterator<number, T>): T {
  for (;;) {
    const {done, value} = steps.next();
    if (done) return value;
  }
}
