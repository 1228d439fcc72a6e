import {TTL_SECONDS_MAX} from './entries.ts';
import {AppError} from './failure.ts';
import type {Expiry} from './store.ts';

/** What a time to live is, for the words of failures. */
export const TTL_DESCRIPTION = `a whole number of seconds from 1 to ${TTL_SECONDS_MAX}`;

/**
 * Checks how long an entry is to live.
 *
 * @throws {AppError} `invalid-parameter` for `ttl`.
 */
export function assertTtl(ttlSeconds: number): void {
  if (isTtl(ttlSeconds)) return;
  throw new AppError({
    code: 'invalid-parameter',
    parameter: 'ttl',
    problem: `it is ${TTL_DESCRIPTION}`,
  });
}

/** Whether an entry can live so long: whole seconds, 1 to {@link TTL_SECONDS_MAX}. */
export function isTtl(ttlSeconds: unknown): boolean {
  return Number.isInteger(ttlSeconds) && (ttlSeconds as number) >= 1 && (ttlSeconds as number) <= TTL_SECONDS_MAX;
}

/** The last time at which an entry can expire: what six bytes hold, some 8,900 years after the Unix epoch. */
const EXPIRES_AT_MAX_MS = 0xffff_ffff_ffff;

const MS_PER_SECOND = 1000;

/** When an entry expires that is written now, in milliseconds since the Unix epoch, for adapters; undefined for never. */
export function expiryTime(expiry: Expiry | undefined, nowMs: number): number | undefined {
  if (expiry === undefined) return undefined;
  const atMs = expiry.kind === 'at' ? expiry.expiresAtMs : nowMs + expiry.ttlSeconds * MS_PER_SECOND;
  return Math.min(Math.max(1, Math.floor(atMs)), EXPIRES_AT_MAX_MS);
}

/** Whether an entry is there no more, for adapters: at its very millisecond, and with or without a sweep. */
export function hasExpired<T extends {readonly expiresAtMs?: number | undefined}>(
  entry: T,
  nowMs: number,
): entry is T & {readonly expiresAtMs: number} {
  return entry.expiresAtMs !== undefined && entry.expiresAtMs <= nowMs;
}
