/**
 * Work that is done in steps: after each one it yields about how much that was, in bytes that were looked at. The caller decides
 * when other work gets its turn.
 */
export type Steps<T> = Generator<number, T>;

/** Most bytes that a step looks at: less than a millisecond of work. */
export const STEP_BYTES_MAX = 32 * 1024;

/** Most bytes that are looked at in one turn of the event loop, in several steps: a few milliseconds of work. */
export const TURN_BYTES_MAX = 256 * 1024;

/** Takes steps until they come to {@link TURN_BYTES_MAX}. @returns The last of them; it is done if the work is. */
export function takeTurn<T>(steps: Iterator<number, T>): IteratorResult<number, T> {
  let bytes = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return step;
    bytes += step.value;
    if (bytes >= TURN_BYTES_MAX) return step;
  }
}

/** Takes all steps, with a pause after each turn but the last. */
export async function takeInTurns<T>(steps: Iterator<number, T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const {done, value} = takeTurn(steps);
    if (done) return value;
    await pause();
  }
}

/** Takes all steps at once. */
export function takeAll<T>(steps: Iterator<number, T>): T {
  for (;;) {
    const {done, value} = steps.next();
    if (done) return value;
  }
}
