import {createHash} from 'node:crypto';
import {crc32} from 'node:zlib';
import {type Key, type Revision, trustStoredKey} from '../../../core/domain/entries/identifiers.ts';
import type {KeyRange} from './driver.ts';

/**
 * Keys in the engine, below the prefix of the store. Each character is a byte of UTF-8; numbers have twelve hexadecimal digits.
 *
 * | key | value |
 * |---|---|
 * | `h` | the head: see `head.ts`. Every write compares it and writes it |
 * | `w` | the wish of a slow writer: see `fairness.ts` |
 * | `e/<key>` | an entry: see `stored-entry.ts` |
 * | `b/<key>` | the value of an entry, if it is neither small nor large: lists of keys do not read it |
 * | `f/<key>` | nothing: a fence, one for some hundred entries, so that a page of a list need not be a range of all of them |
 * | `x/<ms>/<hash>` | the key of an entry that expires at this time |
 * | `v/<group>/<n>` | a part of a large value |
 * | `s/<ms>/<group>` | the mark of the parts of a group: nothing until a head has named them. It stays for some minutes, so that late copies of requests conflict with it |
 * | `c/<revision>/<ordinal>/<volume>` | a part of the change log, or the key of it: see `change-log.ts` |
 * | `d/<revision>/<id>` | a large part of the change log |
 * | `i/<era>/<id>`, `i/<era>/=<id>` | results of a group of commits, and, by its bound id, the mark of a commit with an id of its caller: see `change-log.ts` |
 */
export const HEAD_KEY = 'h';
export const WISH_KEY = 'w';

/** The beginning of every key of a store, but for those two. */
export const KEY_KIND = /^[ebfxvscdi]\//;

/** Values of a mark: until a head names the parts, and from then on. */
export const STAGED_VALUE = Buffer.alloc(0);
export const NAMED_VALUE = Buffer.from('named');

/** Number of entries for one fence, on average: a range of so many takes etcd less than a millisecond. */
export const FENCED_ENTRIES = 256;

/** Number of digits of a number: six bytes, as in records. */
const DIGITS = 12;

/** Returns the bytes of a text as UTF-8, one character for each. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Writes a number so that the order of numbers is that of their texts. */
export function formatNumber(number: number): string {
  return number.toString(16).padStart(DIGITS, '0');
}

/** Returns the keys of a kind whose first number is at least one, and below another. */
export function numbersBetween(kind: 'c' | 'd' | 'i' | 's' | 'x', first: number, end = Infinity): KeyRange {
  const from = `${kind}/${formatNumber(first)}`;
  return {from, to: end === Infinity ? `${kind}0` : `${kind}/${formatNumber(Math.max(first, end))}`};
}

/** Reads the number after the first slash of a key. */
export function numberInKey(key: string): number {
  return Number.parseInt(key.slice(2, 2 + DIGITS), 16);
}

/** Returns the key of an entry. */
export function entryKey(key: Key): string {
  return `e/${bytesOf(key)}`;
}

/** Returns the key of the value of an entry that is beside it. */
export function bodyKey(key: Key): string {
  return `b/${bytesOf(key)}`;
}

/** Returns the key of the entry in a key of the engine. */
export function entryOfKey(engineKey: string): Key {
  return trustStoredKey(Buffer.from(engineKey.slice(2), 'latin1').toString());
}

/** Returns the fence of an entry; undefined for most. */
export function fenceOf(key: Key): string | undefined {
  return crc32(key) % FENCED_ENTRIES === 0 ? `f/${bytesOf(key)}` : undefined;
}

/** Returns the entries whose keys begin with a text. */
export function entriesWith(prefix: string): KeyRange {
  const from = `e/${bytesOf(prefix)}`;
  // No byte of UTF-8 is the last one.
  return {from, to: from.slice(0, -1) + String.fromCharCode(from.charCodeAt(from.length - 1) + 1)};
}

/** Returns the first possible key after one. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

/** Returns the key of a time of expiry. Twelve bytes tell two keys apart that expire in the same millisecond. */
export function expiryKey(expiresAtMs: number, key: Key): string {
  return `x/${formatNumber(expiresAtMs)}/${createHash('sha256').update(key).digest().toString('latin1', 0, 12)}`;
}

/** Returns the key of a part of a value. */
export function partKey(group: string, part: number): string {
  return `v/${group}/${formatNumber(part)}`;
}

/** Returns the mark of a group whose parts are being written since a time. */
export function stagedKey(group: string, sinceMs: number): string {
  return `s/${formatNumber(sinceMs)}/${group}`;
}

/** Returns all parts of values of the group in a {@link stagedKey}. */
export function partsOfStaged(key: string): KeyRange {
  const group = key.slice(2 + DIGITS + 1);
  return {from: `v/${group}/`, to: `v/${group}0`};
}

/** Returns the parts of the change log whose last revision is at most this one, and large parts written for them. */
export function logUpTo(revision: Revision): readonly KeyRange[] {
  return [numbersBetween('c', 0, revision + 1), numbersBetween('d', 0, revision + 1)];
}
