import {FailureError, refusedParameter} from '../../failures/failure-error.ts';
import {KEY_BYTES_MAX} from '../fixed-limits.ts';

declare const keyBrand: unique symbol;

/** The name of an entry, checked: see {@link parseKey}. Keys are compared byte by byte. */
export type Key = string & {readonly [keyBrand]: true};

/** The first characters of keys, checked like a key. The empty prefix selects every key. */
export type Prefix = string & {readonly [prefixBrand]: true};
declare const prefixBrand: unique symbol;

/** Maximum length of a refused key in a failure, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

const TOO_LONG = `it is longer than ${KEY_BYTES_MAX} bytes`;

/** The problem of a text that is not well-formed. */
export const HALF_SURROGATE_PAIR = 'it contains half of a surrogate pair';

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * Reads a key: any text of 1 to {@link Limits.keyBytesMax} UTF-8 bytes, taken as it is, never normalised.
 *
 * @throws {AppError} `invalid-key` for control characters, lone surrogates, and `.` or `..`, which URL
 * clients remove from a path (RFC 3986 section 5.2.4).
 */
export function parseKey(text: string): Key {
  const problem = findKeyProblem(text);
  if (problem !== undefined) throw invalidKey(text, problem);
  return text as Key;
}

/** Returns a text as a key without checking it. Only for keys that were checked before a store wrote them. */
export function trustStoredKey(text: string): Key {
  return text as Key;
}

/**
 * Reads a prefix of keys. Unlike a key it may be empty, `.` or `..`.
 *
 * @throws {AppError} `invalid-parameter` when no key can begin with it.
 */
export function parsePrefix(text: string): Prefix {
  assertParameter('prefix', findTextProblem(text));
  return text as Prefix;
}

/**
 * Reads the cursor of a page, which is a key.
 *
 * @throws {AppError} `invalid-parameter` if it is not a valid key.
 */
export function parseCursor(text: string): Key {
  assertParameter('after', findKeyProblem(text));
  return text as Key;
}

/** Returns the failure for an invalid key. `text` is shortened, since it may be of any length. */
export function invalidKey(text: string, problem: string): FailureError {
  return new FailureError({code: 'invalid-key', key: text.slice(0, SHOWN_LENGTH_MAX).toWellFormed(), problem});
}

/**
 * Compares two keys by their UTF-8 bytes, which is the order of code points.
 *
 * @returns Below zero, zero or above zero, as `Array.prototype.sort` expects.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA === unitB) continue;
    // UTF-16 puts surrogates (code points from U+10000) below U+E000 to U+FFFF; UTF-8 puts them above.
    const surrogateA = isSurrogate(unitA);
    return surrogateA === isSurrogate(unitB) ? unitA - unitB : surrogateA ? 1 : -1;
  }
  return a.length - b.length;
}

function assertParameter(parameter: string, problem: string | undefined): void {
  if (problem !== undefined) throw refusedParameter(parameter, problem);
}

function findKeyProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text === '.' || text === '..') return 'URL clients remove it from a path';
  return findTextProblem(text);
}

function findTextProblem(text: string): string | undefined {
  // A text has at least as many bytes as UTF-16 units, so a huge one is refused before it is read.
  if (text.length > KEY_BYTES_MAX) return TOO_LONG;
  if (CONTROL_CHARACTER.test(text)) return 'it contains a control character';
  if (!text.isWellFormed()) return HALF_SURROGATE_PAIR;
  return countBytes(text) > KEY_BYTES_MAX ? TOO_LONG : undefined;
}

/** Returns the size of a text in UTF-8; 0 for a text that is too short to reach the limit. */
function countBytes(text: string): number {
  return text.length * 3 <= KEY_BYTES_MAX ? 0 : new TextEncoder().encode(text).length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/**
 * The number of a commit: one counter for the whole store, from 1, without gaps. An entry carries the
 * revision of its last write. In JSON it is a string, since it may exceed the integers of other languages.
 */
export type Revision = number;

/** A revision and its store: in another store, or another history of it, the same number means another commit. */
export interface StoreRevision {
  readonly storeId: StoreId;
  readonly revision: Revision;
}

/** The ETag of an entry, such as `"3f9c2a7b01d4e856-12"`: the id of its store and its revision, with the quotes. */
export type EntityTag = `"${string}"`;

/** A revision as callers give it. A bare one refers to the called store, unchecked. */
export type GivenRevision = Revision | {readonly storeId: StoreId; readonly revision: Revision};

/** The revision that an entry has to have. */
export type ExpectedRevision = GivenRevision | EntityTag;

/** A revision that no entry has. */
export const NO_REVISION: Revision = 0;

/**
 * A revision that no store reaches, with as many digits as are read. A subscription that resumes after it may have missed changes, which is
 * reported with a `reset`.
 */
export const LOST_REVISION: Revision = 999_999_999_999_999;

/** The form of a revision, behind the id of its store: as many digits as a number holds exactly. */
const REVISION = /^(?:(.*)-)?(0|[1-9][0-9]{0,14})$/;

/**
 * Writes a revision with the id of its store, such as `3f9c2a7b01d4e856-12`.
 */
export function formatRevision({storeId, revision}: StoreRevision): string {
  return `${storeId}-${revision}`;
}

/** Returns the ETag of an entry (RFC 9110 section 8.8.3). */
export function formatEntityTag(revision: StoreRevision): EntityTag {
  return `"${formatRevision(revision)}"`;
}

/** Reads an ETag of an entry. @returns Undefined for any other: a bare revision would match in every store. */
export function parseEntityTag(tag: string): StoreRevision | undefined {
  const given = parseRevision(tag.slice(1, -1));
  return typeof given === 'object' ? given : undefined;
}

/** Returns the revision of an ETag, {@link NO_REVISION} for one that no entry has; and any other revision as it is. */
export function untagged(expected: ExpectedRevision): GivenRevision {
  return typeof expected === 'string' ? (parseEntityTag(expected) ?? NO_REVISION) : expected;
}

/**
 * Reads a revision as callers give it: bare, such as `12`, or with the id of its store, such as `3f9c2a7b01d4e856-12`.
 *
 * @returns Undefined for anything else.
 */
export function parseRevision(text: string): GivenRevision | undefined {
  const [, id, digits] = REVISION.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const revision = Number(digits);
  if (id === undefined) return revision;
  const storeId = parseStoreId(id);
  return storeId && {storeId, revision};
}

/**
 * Reads the id that a client of a stream received last. An `EventSource` gives up after a refusal, so an id of something else is a revision that no store
 * reaches.
 *
 * @returns Undefined for the empty id of a client that has received none.
 */
export function parseLastEventId(id: string): GivenRevision | undefined {
  return id === '' ? undefined : (parseRevision(id) ?? LOST_REVISION);
}

/** Returns the revision in a given store; undefined for one of another store. A bare revision is accepted unchecked. */
export function revisionIn(storeId: StoreId, given: GivenRevision): Revision | undefined {
  if (typeof given === 'number') return given;
  return given.storeId === storeId ? given.revision : undefined;
}

declare const storeIdBrand: unique symbol;

/**
 * The identity of a store, checked: see {@link parseStoreId}. Created at random with the store. It tells apart two stores,
 * or two histories of one store, that use the same revisions.
 */
export type StoreId = string & {readonly [storeIdBrand]: true};

/** Random bytes of an id. With 64 bits, two of a million stores have the same id with a probability below 10^-7. */
export const STORE_ID_BYTES = 8;

/** Lower-case letters and digits, so that "-" can follow it. Stores of other authors may have longer ids. */
const STORE_ID = /^[0-9a-z]{1,32}$/;

/** Creates the id of a new store from {@link STORE_ID_BYTES} random bytes. */
export function createStoreId(random: Uint8Array): StoreId {
  return Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('') as StoreId;
}

/**
 * Reads a store id: 1 to 32 lower-case letters and digits.
 * @returns Undefined for anything else.
 */
export function parseStoreId(text: string): StoreId | undefined {
  return STORE_ID.test(text) ? (text as StoreId) : undefined;
}

/** Selects a part of the keys, in their order. */
export interface Range {
  /** Only keys that begin with it; empty for all. */
  readonly prefix: Prefix;
  /** Only keys after this one, in the direction of the list. */
  readonly after?: Key | undefined;
  /** Maximum number of entries, at least 1. */
  readonly limit: number;
  /** Descending order of keys. @default {false} */
  readonly reverse?: boolean | undefined;
  /** Includes the values. @default {false} */
  readonly values?: boolean | undefined;
  /** Ends with the entry whose value reaches this total, in bytes. @default {Infinity} */
  readonly valuesBytesMax?: number | undefined;
}
