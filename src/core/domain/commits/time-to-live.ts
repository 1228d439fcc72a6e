import {refusedParameter} from '../../failures/failure-error.ts';
import {TTL_SECONDS_MAX} from '../fixed-limits.ts';
import type {Expiry} from './commit.ts';

/** A time to live in seconds, checked: see {@link assertTtl}. */
export type TtlSeconds = number & {readonly [ttlBrand]: true};
declare const ttlBrand: unique symbol;

/** The definition of a time to live, for messages of failures. */
export const TTL_DESCRIPTION = `a whole number of seconds from 1 to ${TTL_SECONDS_MAX}`;

/**
 * Checks a time to live.
 *
 * @throws {AppError} `invalid-parameter` for `ttlSeconds`.
 */
export function assertTtl(ttlSeconds: number): asserts ttlSeconds is TtlSeconds {
  if (isTtl(ttlSeconds)) return;
  throw refusedParameter('ttlSeconds', `it has to be ${TTL_DESCRIPTION}`);
}

/** Returns whether a value is a valid time to live: whole seconds, 1 to {@link Limits.ttlSecondsMax}. */
export function isTtl(ttlSeconds: unknown): ttlSeconds is TtlSeconds {
  const seconds = ttlSeconds as number;
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= TTL_SECONDS_MAX;
}

/** Latest time of expiry: the largest number in six bytes, some 8,900 years after the Unix epoch. */
const EXPIRES_AT_MAX_MS = 0xffff_ffff_ffff;

const MS_PER_SECOND = 1000;

/** Returns when an entry that is written now expires, in milliseconds since the Unix epoch; undefined for never. */
export function expiryTime(expiry: Expiry | undefined, nowMs: number): number | undefined {
  if (expiry === undefined) return undefined;
  const atMs = expiry.kind === 'at' ? expiry.expiresAtMs : nowMs + expiry.ttlSeconds * MS_PER_SECOND;
  return Math.min(Math.max(1, Math.floor(atMs)), EXPIRES_AT_MAX_MS);
}

/** Returns whether an entry has expired, from its exact millisecond on, swept or not. */
export function hasExpired<T extends {readonly expiresAtMs?: number | undefined}>(
  entry: T,
  nowMs: number,
): entry is T & {readonly expiresAtMs: number} {
  return entry.expiresAtMs !== undefined && entry.expiresAtMs <= nowMs;
}
