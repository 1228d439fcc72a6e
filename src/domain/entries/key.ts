import {FailureError} from '../../failures/failure-error.ts';
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
 * @example
 * ```ts
 * import {parseKey} from 'crewroom';
 *
 * console.log(parseKey('com.example.hello/settings')); // com.example.hello/settings
 * ```
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
 * @example
 * ```ts
 * import {parsePrefix} from 'crewroom';
 *
 * console.log(parsePrefix('com.example.hello/')); // com.example.hello/
 * ```
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
 * @example
 * ```ts
 * import {compareKeys} from 'crewroom';
 *
 * console.log(['b', 'a/2', 'a/10'].sort(compareKeys).join(' ')); // a/10 a/2 b
 * ```
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
  if (problem !== undefined) throw new FailureError({code: 'invalid-parameter', parameter, problem});
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
