import type {ClientRequested} from '../../domain/commits/event.ts';
import type {PluginLogLine} from '../../domain/plugins/plugin.ts';
import {parseJsonText} from '../../json/json-text.ts';
import {membersOf} from '../../json/members.ts';

/** Largest body of a request to the client, in bytes. Plugins log whole errors, which include the request and its answer. */
export const CLIENT_REQUEST_BYTES_MAX = 1024 * 1024;

/** Longest text that is taken from such a body, in characters; the rest is cut. */
const TEXT_LENGTH_MAX = 64 * 1024;

/**
 * Reads what a plugin logs: `{message, level}`. A message that is not a text is logged as JSON; an unknown level is `info`.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`.
 */
export function readLogRequest(body: Uint8Array): Pick<PluginLogLine, 'level' | 'text'> {
  const {message = '', level} = membersOf(readBody(body));
  return {level: level === 'error' || level === 'debug' ? level : 'info', text: textOf(message)};
}

/** Reads `{pluginID, payloadString?}`. @throws {AppError} `invalid-json`, `value-too-deep`. */
export function readNavigation(body: Uint8Array): ClientRequested {
  const {pluginID = '', payloadString} = membersOf(readBody(body));
  const payload = payloadString === undefined ? {} : {payload: textOf(payloadString)};
  return {kind: 'client-request', action: 'navigate', plugin: textOf(pluginID), ...payload};
}

/** Reads `{url}`. @throws {AppError} `invalid-json`, `value-too-deep`. */
export function readSound(body: Uint8Array): Extract<ClientRequested, {readonly action: 'play-sound'}> {
  const {url = ''} = membersOf(readBody(body));
  return {kind: 'client-request', action: 'play-sound', url: textOf(url)};
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
