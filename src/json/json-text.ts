import {FailureError} from '../failures/failure-error.ts';
import type {JsonLimits} from './json-limits.ts';
import {scanJson} from './json-scanner.ts';

declare const jsonBrand: unique symbol;

/** The UTF-8 bytes of one JSON text (RFC 8259), checked: see {@link parseJsonText}. Never changed after that. */
export type JsonText = Uint8Array & {readonly [jsonBrand]: true};

/**
 * Checks that the bytes are one JSON text in UTF-8, and returns them unchanged, without the white space around them.
 * Nothing is decoded or converted, so numbers of any length, duplicate names and escapes survive. Takes time linear in the
 * size and stops at the first wrong byte.
 *
 * @returns A view of the same bytes, not a copy.
 * @throws {AppError} `invalid-json` with the position of the first wrong byte; `value-too-deep`.
 * @throws {TooBroad} Above `breadthMax` or `members`.
 * @example
 * ```ts
 * import {decodeJsonText, parseJsonText} from 'crewroom';
 *
 * console.log(decodeJsonText(parseJsonText(new TextEncoder().encode(' 1.0 ')))); // 1.0
 * ```
 */
export function parseJsonText(bytes: Uint8Array, limits: JsonLimits = {}): JsonText {
  return scanJson(bytes, limits) as JsonText;
}

/**
 * Returns bytes as a JSON text without checking them. Only for texts that were checked before a store wrote them, if a
 * checksum shows that they are the same; for values that the service answers, since it stores nothing else; for values in a
 * document that was checked; and for copies of a JSON text.
 */
export function trustStoredJson(bytes: Uint8Array): JsonText {
  return bytes as JsonText;
}

/** Returns a copy of a JSON text with a buffer of its own. */
export function copyJson(json: JsonText): JsonText {
  return trustStoredJson(new Uint8Array(json));
}

/**
 * Encodes a text and checks it like {@link parseJsonText}.
 *
 * @example
 * ```ts
 * import {encodeJsonText} from 'crewroom';
 *
 * console.log(encodeJsonText('{"a": 1.0}').length); // 10
 * ```
 */
export function encodeJsonText(text: string, limits?: JsonLimits): JsonText {
  return parseJsonText(encodeText(text), limits);
}

/**
 * Returns the UTF-8 bytes of a text.
 *
 * @throws {AppError} `invalid-json` for half of a surrogate pair, which encoders silently replace.
 */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (text.isWellFormed()) return encoder.encode(text);
  const position = encoder.encode(text.slice(0, text.search(/\p{Surrogate}/u))).length;
  throw new FailureError({
    code: 'invalid-json',
    problem: 'expected UTF-8, found half of a surrogate pair',
    position,
  });
}

/**
 * Returns the text of a value.
 *
 * @example
 * ```ts
 * import {decodeJsonText, encodeJsonText} from 'crewroom';
 *
 * console.log(decodeJsonText(encodeJsonText('1e400'))); // 1e400
 * ```
 */
export function decodeJsonText(json: JsonText): string {
  return new TextDecoder().decode(json);
}
