import {untilAborted} from '../domain/until-aborted.ts';

/** Waits for a time. @throws The signal's reason if it is aborted first. */
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

/** Waits between attempts. */
export interface Backoff {
  /** Maximum first wait, in milliseconds. */
  readonly firstMs: number;
  /** Maximum wait, in milliseconds. */
  readonly maxMs: number;
  /** Jitter, from 0 up to 1: many clients of a service that restarts come back at different times. */
  readonly random: () => number;
}

/**
 * Returns the wait after a number of failures in a row, in milliseconds: exponential backoff with jitter.
 *
 * @param failures From 1.
 */
export function backoffMs(failures: number, {firstMs, maxMs, random}: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (0.5 + random() / 2);
}
