import type {Failure} from '../../domain/failure.ts';

/** How often a session is verified, in milliseconds: the airline may end it at any time, and promote or retire its pilot. */
export const VERIFY_INTERVAL_MS = 30 * 60_000;

/** How long before its end a session is resumed, in milliseconds: of a week, the last day, so that a machine that is on each day never loses it. */
const AHEAD_MAX_MS = 24 * 60 * 60_000;

/** A tenth of a shorter session. */
const AHEAD_SHARE = 0.1;

/** No session is resumed more often than this, in milliseconds, unless it ends before. */
const REFRESH_MIN_MS = 30_000;

/** The first and the longest pause before a back end that failed is asked again, in milliseconds. */
const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 5 * 60_000;

/** How long to wait before a good session is verified, in milliseconds. */
export function verifyDelayMs(random: () => number): number {
  // Spread by a fifth: the pilots of an airline that was away must not all come back in the same second.
  return VERIFY_INTERVAL_MS * (0.9 + 0.2 * random());
}

/** How long to wait before a session that was just given is resumed, in milliseconds; for ever, if it has no known end. */
export function resumeDelayMs(remainingMs: number | undefined, random: () => number): number {
  if (remainingMs === undefined) return Infinity;
  const aheadMs = Math.min(AHEAD_MAX_MS, remainingMs * AHEAD_SHARE) * (1 + 0.2 * random());
  return Math.max(REFRESH_MIN_MS, remainingMs - aheadMs);
}

/** How long to wait before the next attempt, in milliseconds: twice as long after each failure, and never the same. */
export function retryDelayMs(failures: number, random: () => number): number {
  const longestMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(failures, 30));
  return longestMs * (0.5 + 0.5 * random());
}

/** Longest pause that a back end gets, in seconds: a session must not stay unverified for the day that some ask for. */
const PAUSE_SECONDS_MAX = 60 * 60;

/** How long the back end wants to be left alone, in milliseconds; 0 if it does not say. */
export function pauseDelayMs(failure: Failure | undefined, random: () => number): number {
  const seconds = failure !== undefined && 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : undefined;
  // Spread by a fifth: the pilots of an airline must not all come back in the same second.
  return Math.min(seconds ?? 0, PAUSE_SECONDS_MAX) * 1000 * (1 + 0.2 * random());
}
