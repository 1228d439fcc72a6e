/**
 * Waits for something, but no longer than until a signal ends: the other side may not notice it.
 *
 * @throws The signal's reason.
 */
export async function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([working, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Waits so long. @throws The signal's reason when that ends first. */
export async function waitMs(timeMs: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, timeMs);
  });
  try {
    await untilAborted(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** How to wait between attempts. */
export interface Backoff {
  /** What the first wait is at most, in milliseconds. */
  readonly firstMs: number;
  /** What every wait is at most, in milliseconds. */
  readonly maxMs: number;
  /** From 0 up to 1: many clients of a service that restarts come back at different times. */
  readonly random: () => number;
}

/**
 * How long to wait after so many failures in a row, in milliseconds: at most twice as long as before, at least half of that.
 *
 * @param failures From 1.
 */
export function backoffMs(failures: number, {firstMs, maxMs, random}: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (0.5 + random() / 2);
}
