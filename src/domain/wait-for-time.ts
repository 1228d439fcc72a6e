import type {Timers} from './timers.ts';

/** Options of {@link waitForTime}. */
export interface TimeWait {
  readonly timers: Timers;
  /** Each of them ends the wait. */
  readonly signals: readonly AbortSignal[];
}

/**
 * Waits for a time, or until one of the signals is aborted. Never rejects.
 *
 * @param delayMs In milliseconds; undefined without a limit.
 */
export function waitForTime(delayMs: number | undefined, {timers, signals}: TimeWait): Promise<void> {
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
