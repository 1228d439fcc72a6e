import {PROCESS_TIMERS, type Timers} from './timers.ts';

/** Ends of a wait. */
export interface TimeWait {
  /** @default {PROCESS_TIMERS} */
  readonly timers?: Timers;
  /** Each of them ends the wait. */
  readonly signals: readonly AbortSignal[];
}

/**
 * Waits for a time, or until one of the signals is aborted. Never rejects.
 *
 * @param delayMs In milliseconds; undefined without a limit.
 */
export function wait(delayMs: number | undefined, {timers = PROCESS_TIMERS, signals}: TimeWait): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      cancel();
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = delayMs === undefined ? () => {} : timers.after(delayMs, end);
    for (const signal of signals) signal.addEventListener('abort', end);
    if (signals.some(({aborted}) => aborted)) end();
  });
}

/** Waits for a promise, but no longer than a time in milliseconds. @returns Its value; undefined after that time. */
export async function within<T>(working: Promise<T>, timeoutMs: number, timers: Timers): Promise<T | undefined> {
  let cancel = (): void => {};
  const timeout = new Promise<undefined>(resolve => {
    cancel = timers.after(timeoutMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([working, timeout]);
  } finally {
    cancel();
  }
}
