import {type JsonText, parseJsonText} from '../../../domain/json-text.ts';

/** The body of an answer. Its content type is ignored: the default of PHP is `text/html` for everything. */
export type Body =
  | {readonly kind: 'object'; readonly value: JsonObject; readonly json: JsonText; readonly hasByteOrderMark: boolean}
  | {readonly kind: 'json'; readonly value: unknown; readonly json: JsonText; readonly hasByteOrderMark: boolean}
  /** JSON after other text, such as a warning of PHP. */
  | {readonly kind: 'mixed'; readonly value: unknown}
  | {readonly kind: 'empty'}
  | {readonly kind: 'html'}
  | {readonly kind: 'text'}
  | {readonly kind: 'binary'}
  /** Larger than the limit for parsing, and not HTML. */
  | {readonly kind: 'long'};

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads the body of an answer. A byte order mark before JSON is skipped, as `Response.json()` does (Encoding standard).
 *
 * @param parsedBytesMax Largest body that is parsed, in bytes.
 */
export function readBody(bytes: Uint8Array, parsedBytesMax: number): Body {
  if (bytes.length > parsedBytesMax)
    return {kind: HTML.test(new TextDecoder().decode(bytes.subarray(0, parsedBytesMax))) ? 'html' : 'long'};
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const json = findJson(hasByteOrderMark ? bytes.subarray(3) : bytes);
  if (json !== undefined) {
    const value: unknown = JSON.parse(new TextDecoder().decode(json));
    return isObject(value)
      ? {kind: 'object', value, json, hasByteOrderMark}
      : {kind: 'json', value, json, hasByteOrderMark};
  }
  const text = findText(bytes);
  if (text === undefined) return {kind: 'binary'};
  if (text.trim() === '') return {kind: 'empty'};
  return findMixed(text) ?? {kind: HTML.test(text) ? 'html' : 'text'};
}

const HTML = /^\s*<[!a-z?]/i;

/** Returns the message of a failure, from the members that back ends and frameworks use for it. It is not cleaned. */
export function messageIn(body: Body): string | undefined {
  if (!('value' in body)) return undefined;
  if (!isObject(body.value)) return typeof body.value === 'string' ? body.value : undefined;
  const {message, error, detail, details, title} = body.value;
  const inner = isObject(error) ? error['message'] : error;
  return [message, inner, detail, details, title].find(each => typeof each === 'string' && each.trim() !== '') as
    | string
    | undefined;
}

/** Returns whether a value is a JSON object: neither an array nor `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function findJson(bytes: Uint8Array): JsonText | undefined {
  try {
    return parseJsonText(bytes);
  } catch {
    return undefined;
  }
}

function findText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses from the first brace, or else from the first square bracket, to the end of the text. */
function findMixed(text: string): Body | undefined {
  for (const bracket of ['{', '[']) {
    const start = text.indexOf(bracket);
    if (start === -1 || text.slice(0, start).trim() === '') continue;
    try {
      return {kind: 'mixed', value: JSON.parse(text.slice(start))};
    } catch {}
  }
  return undefined;
}
