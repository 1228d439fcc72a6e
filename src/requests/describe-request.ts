import {withoutHostSecrets, withoutPageSecrets} from '../domain/plugins/page-proofs.ts';
import type {RecordedRequest} from '../domain/recorded-request.ts';
import {headerPairs, headerValues} from '../protocol/headers/raw-headers.ts';
import {pluginOf} from '../protocol/headers/sender.ts';
import type {KeptRequest} from './kept-requests.ts';
import {SHOWN_HEADERS} from './shown-headers.ts';

/** Longest value of a header, in UTF-16 units, without the mark that the rest was cut. */
const VALUE_LENGTH_MAX = 256;

/** Replaces values of parameters, which may be secrets. */
const MASK = '…';

/** Describes a request that was kept. */
export function describeRequest(kept: KeptRequest, sequence: number): RecordedRequest {
  const {endedMs, durationMs, method, target, rawHeaders, principal, status, sizeBytes, failure} = kept;
  const origin = originOf(rawHeaders);
  const plugin = pluginOf(principal, rawHeaders);
  return {
    sequence,
    atMs: Math.round(endedMs - durationMs),
    method,
    path: withoutPageSecrets(maskQuery(withoutAuthority(target))),
    status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(sizeBytes === undefined ? {} : {sizeBytes}),
    ...(origin === undefined ? {} : {origin}),
    ...(plugin === undefined ? {} : {plugin}),
    headers: showHeaders(rawHeaders),
    ...(failure === undefined ? {} : {failure}),
  };
}

/** Removes scheme, credentials and host of an absolute target (RFC 9112 section 3.2.2); the host is among the headers. */
function withoutAuthority(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#]*/i, '');
}

/** Masks the values of the parameters of an address, and everything that has no name. */
function maskQuery(address: string): string {
  const [beforeFragment = ''] = address.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  if (mark === -1) return beforeFragment;
  const parameters = beforeFragment.slice(mark + 1).split('&');
  return `${beforeFragment.slice(0, mark)}?${parameters.map(maskParameter).join('&')}`;
}

function maskParameter(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals === -1) return parameter === '' ? '' : MASK;
  return parameter.slice(0, equals + 1) + (equals === parameter.length - 1 ? '' : MASK);
}

/** Returns the origin of the page that sent a request: its `Origin`, or that of its `Referer`. */
function originOf(rawHeaders: readonly string[]): string | undefined {
  const [origin] = headerValues(rawHeaders, 'origin');
  const [referer = ''] = headerValues(rawHeaders, 'referer');
  const found = origin ?? /^[^:/?#]+:\/\/[^/?#]*/.exec(referer)?.[0];
  return found === undefined ? undefined : shorten(withoutPageSecrets(withoutCredentials(found)));
}

function showHeaders(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const shown = new Map<string, string>();
  for (const [given, value] of headerPairs(rawHeaders)) {
    const name = given.toLowerCase();
    if (!SHOWN_HEADERS.has(name)) continue;
    const masked = withoutPageSecrets(name === 'referer' ? maskQuery(withoutCredentials(value)) : value);
    const safe = name === 'host' ? withoutHostSecrets(masked) : masked;
    const before = shown.get(name);
    shown.set(name, shorten(before === undefined ? safe : `${before}, ${safe}`));
  }
  return Object.fromEntries(shown);
}

function withoutCredentials(address: string): string {
  return address.replace(/^([^:/?#]+:\/\/)[^/?#]*@/, '$1');
}

function shorten(text: string): string {
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}
