import {Backoff} from '../core/time/backoff.ts';

/** Pause before the first start after an end, in milliseconds; doubled with each end that follows. */
const FIRST_PAUSE_MS = 500;

/** Longest pause, in milliseconds. */
const PAUSE_MAX_MS = 30_000;

/** Period in which ends are counted, in milliseconds. A background that ran longer starts over with the first pause. */
const WINDOW_MS = 60_000;

/** Ends within the window after which a background is not started again. */
const ENDS_MAX = 5;

/** Decides when a background that ended by itself is started again. */
export class RestartPolicy {
  #endsAtMs: readonly number[] = [];
  readonly #backoff = new Backoff({firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MAX_MS});

  /** Counts a run that has ended, by a monotonic clock. @returns The pause before the next one, in milliseconds; undefined for none. */
  next({startedAtMs, endedAtMs}: {readonly startedAtMs: number; readonly endedAtMs: number}): number | undefined {
    const recent = this.#endsAtMs.filter(atMs => atMs > endedAtMs - WINDOW_MS);
    this.#endsAtMs = [...recent, endedAtMs];
    if (this.#endsAtMs.length >= ENDS_MAX) return undefined;
    if (endedAtMs - startedAtMs >= WINDOW_MS) this.#backoff.reset();
    return this.#backoff.next();
  }
}
