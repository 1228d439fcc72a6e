import type {ClientRequested} from '../../domain/commits/event.ts';
import type {LoggedLine} from '../../domain/plugins/plugin.ts';
import {encodeText, parseJsonText} from '../../json/json-text.ts';
import {membersOf} from '../../json/members.ts';

/** Largest body of a request to the client, in bytes. Plugins log whole errors, with the request and its answer. */
export const CLIENT_REQUEST_BYTES_MAX = 1024 * 1024;

/** Longest text that is taken from such a body, in characters; the rest is cut. */
const TEXT_LENGTH_MAX = 64 * 1024;

/** Longest text of a request to the client, in bytes of JSON: two of them fit in the line of an event. */
const REQUEST_BYTES_MAX = 28 * 1024;

/** Longest place in a file, in characters. */
const PLACE_LENGTH_MAX = 256;

/**
 * Reads what a plugin logs: `{message, level}`. A message that is not a text is logged as JSON; an unknown level is `info`. The
 * `pageErrorPlace` is of a page in development that failed.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`.
 */
export function readLogRequest(body: Uint8Array): LoggedLine {
  const {message = '', level, pageErrorPlace: place} = membersOf(readBody(body));
  const failed = place === undefined ? {} : {place: textOf(place).slice(0, PLACE_LENGTH_MAX)};
  return {level: level === 'error' || level === 'debug' ? level : 'info', text: textOf(message), ...failed};
}

/** Reads `{pluginID, payloadString?}`. @throws {AppError} `invalid-json`, `value-too-deep`. */
export function readNavigation(body: Uint8Array): ClientRequested {
  const {pluginID = '', payloadString} = membersOf(readBody(body));
  const payload = payloadString === undefined ? {} : {payload: shortTextOf(payloadString)};
  return {kind: 'client-request', action: 'navigate', plugin: shortTextOf(pluginID), ...payload};
}

/** Reads `{url}`. @throws {AppError} `invalid-json`, `value-too-deep`. */
export function readSound(body: Uint8Array): Extract<ClientRequested, {readonly action: 'play-sound'}> {
  const {url = ''} = membersOf(readBody(body));
  return {kind: 'client-request', action: 'play-sound', url: shortTextOf(url)};
}

/**
 * Parses the body of a request, of at most {@link CLIENT_REQUEST_BYTES_MAX}.
 *
 * @returns Undefined for an empty body.
 * @throws {AppError} `invalid-json`, `value-too-deep`.
 */
export function readBody(body: Uint8Array): unknown {
  return body.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(parseJsonText(body)));
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

function shortTextOf(value: unknown): string {
  let text = textOf(value);
  for (;;) {
    const part = REQUEST_BYTES_MAX / encodeText(JSON.stringify(text)).length;
    if (part >= 1) return text;
    text = text.slice(0, text.length * part - 1).toWellFormed();
  }
}
