import {AppError} from '../failures/app-error.ts';
import {Backoff} from '../time/backoff.ts';
import type {Timers} from '../time/timers.ts';
import {wait} from '../time/wait.ts';

/** How to wait for a store that is unavailable. */
export interface Patience {
  readonly timers: Timers;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Pause after the first read that found the store unavailable, in milliseconds. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 100;

/** Longest pause, in milliseconds: subscribers get events at most this much later than the store is available again. */
const PAUSE_MS_MAX = 5000;

/**
 * Reads from a store, again and again while the store is unavailable.
 *
 * @returns What `read` returns; undefined if the signal was aborted during a pause.
 * @throws Every failure of `read` but `store-unavailable`.
 */
export async function readPatiently<T>(read: () => Promise<T>, {timers, signal}: Patience): Promise<T | undefined> {
  const backoff = new Backoff({firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MS_MAX});
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AppError) || error.failure.code !== 'store-unavailable') throw error;
    }
    await wait(backoff.next(), {timers, signals: [signal]});
    if (signal.aborted) return undefined;
  }
}
