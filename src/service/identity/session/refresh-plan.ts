import type {AnyFailure} from '../../../core/failures/failure.ts';
import {backoffMs} from '../../../core/time/backoff.ts';

/** Interval between verifications, in milliseconds: the airline may end the session, promote or retire the pilot at any time. */
const VERIFY_INTERVAL_MS = 30 * 60_000;

/** Interval between attempts to verify a session if the back end offers no call for it, in milliseconds: it may offer one some day. */
export const NOT_OFFERED_INTERVAL_MS = 24 * 60 * 60_000;

/**
 * A session is resumed at most this long before its end, in milliseconds: one day, so that a machine that is used every day never
 * loses a session.
 */
const AHEAD_MAX_MS = 24 * 60 * 60_000;

/** A session with a short lifetime is resumed this share of its lifetime before its end. */
const AHEAD_SHARE = 0.1;

/** A session is resumed at least this long before its end, in milliseconds: a back end answers within 10 seconds. */
const AHEAD_MIN_MS = 15_000;

/** Minimum interval between resumptions, in milliseconds: sessions of less than 10 seconds may end before. */
const REFRESH_MIN_MS = 5000;

/** First and longest delay before a failed call is retried, in milliseconds. */
const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 5 * 60_000;

/** Returns the delay before a valid session is verified again, in milliseconds. */
export function verifyDelayMs(random: () => number): number {
  // Jitter of a fifth: when an airline is back, its pilots must not all call in the same second.
  return VERIFY_INTERVAL_MS * (0.9 + 0.2 * random());
}

/** Returns the delay before a new session is resumed, in milliseconds; `Infinity` if its end is unknown. */
export function resumeDelayMs(remainingMs: number | undefined, random: () => number): number {
  if (remainingMs === undefined) return Infinity;
  const leastMs = Math.min(AHEAD_MIN_MS, remainingMs / 2);
  const aheadMs = Math.max(leastMs, Math.min(AHEAD_MAX_MS, remainingMs * AHEAD_SHARE) * (1 + 0.2 * random()));
  return Math.max(REFRESH_MIN_MS, remainingMs - aheadMs);
}

/** Returns the delay after a number of failed calls in a row, in milliseconds: exponential backoff with jitter. */
export function retryDelayMs(failures: number, random: () => number): number {
  return backoffMs(failures, {firstMs: RETRY_MIN_MS, maxMs: RETRY_MAX_MS, random});
}

/** Longest accepted pause, in seconds: some back ends ask for a day, and a session must not stay unverified so long. */
const PAUSE_SECONDS_MAX = 60 * 60;

/** Returns the pause that the back end asked for with `Retry-After`, in milliseconds; 0 without one. */
export function pauseDelayMs(failure: AnyFailure | undefined, random: () => number): number {
  const seconds = failure !== undefined && 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : undefined;
  // Jitter of a fifth: the pilots of an airline must not all call in the same second.
  return Math.min(seconds ?? 0, PAUSE_SECONDS_MAX) * 1000 * (1 + 0.2 * random());
}
