import {isUtf8} from 'node:buffer';
import {type JsonText, parseJsonText} from '../../../../core/json/json-text.ts';
import {isObject, type JsonMembers} from '../../../../core/json/members.ts';

/** The body of an answer. Its content type is ignored: the default of PHP is `text/html` for everything. */
export type Body =
  | {readonly kind: 'object'; readonly value: JsonMembers; readonly json: JsonText; readonly hasByteOrderMark: boolean}
  | {readonly kind: 'json'; readonly value: unknown; readonly json: JsonText; readonly hasByteOrderMark: boolean}
  /** JSON after other text, such as a warning of PHP. */
  | {readonly kind: 'mixed'; readonly value: unknown}
  | {readonly kind: 'empty'}
  | {readonly kind: 'html'}
  | {readonly kind: 'text'}
  | {readonly kind: 'binary'}
  /** Larger than the limit for parsing, and not HTML. */
  | {readonly kind: 'long'};

/**
 * Reads the body of an answer. A byte order mark before JSON is skipped, as `Response.json()` does (Encoding standard).
 *
 * @param parsedBytesMax Largest body that is parsed, in bytes.
 */
export function readAnswerBody(bytes: Uint8Array, parsedBytesMax: number): Body {
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
  if (!isUtf8(bytes)) return {kind: 'binary'};
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return {kind: 'empty'};
  return findMixed(text) ?? {kind: HTML.test(text) ? 'html' : 'text'};
}

const HTML = /^\s*<[!a-z?]/i;

/** Returns the message of a failure, from the members that back ends and frameworks use for it. It is not cleaned. */
export function messageIn(body: Body): string | undefined {
  if (!('value' in body)) return undefined;
  if (!isObject(body.value)) return typeof body.value === 'string' ? body.value : undefined;
  const {message, error, detail, details, errors, non_field_errors, title} = body.value;
  for (const each of [message, error, detail, details, errors, non_field_errors, title]) {
    const text = textOf(each);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Largest number of messages that are joined: the sum is truncated anyway. */
const MESSAGES_MAX = 10;

/**
 * Returns a text, the message of an object, those of an array of both, such as `[{"message": "…"}]`, or those of the fields of a form, such as
 * `{"email": ["…"]}`.
 */
function textOf(value: unknown): string | undefined {
  const fields = isObject(value) && !('message' in value) ? Object.values(value).flat() : value;
  const values = Array.isArray(fields) ? fields.slice(0, MESSAGES_MAX) : [fields];
  const texts = values
    .map(each => (isObject(each) ? each['message'] : each))
    .filter((each): each is string => typeof each === 'string' && each.trim() !== '');
  return texts.length === 0 ? undefined : texts.join('; ');
}

/** Returns whether a body says that a request was refused, whatever its status is. */
export function isRefusal(body: Body): boolean {
  if (body.kind !== 'object') return false;
  const {success, valid, errors} = body.value;
  return success === false || valid === false || (Array.isArray(errors) && errors.length > 0);
}

/** Returns whether a body says that a session is valid, and no more. */
export function isConfirmation(body: Body): boolean {
  return body.kind === 'object' && body.value['valid'] === true && !('session' in body.value);
}

/** Returns whether a body has a message in place of a pilot. */
export function lacksPilot(body: Body): boolean {
  if (body.kind !== 'object' || typeof body.value['session'] === 'string' || 'dbID' in body.value) return false;
  return body.value['success'] !== true && messageIn(body) !== undefined;
}

function findJson(bytes: Uint8Array): JsonText | undefined {
  try {
    return parseJsonText(bytes);
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
