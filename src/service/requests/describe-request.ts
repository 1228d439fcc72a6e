import {withoutHostSecrets} from '../../core/domain/plugins/page-proofs.ts';
import type {RecordedRequest} from '../../core/domain/recorded-request.ts';
import {withoutSecrets} from '../../core/domain/redaction.ts';
import {isExpectedFailure} from '../../core/failures/facts.ts';
import {headerPairs, headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {withoutAuthority} from '../../core/protocol/headers/request-target.ts';
import {pluginOf} from '../../core/protocol/headers/sender.ts';
import {type KeptRequest, SHOWN_HEADERS} from './kept-requests.ts';

/** Longest value of a header, in UTF-16 units, without the mark that the rest was cut. */
const VALUE_LENGTH_MAX = 256;

/** Replaces values of other parameters, which may be secrets. */
const MASK = '…';

/** Describes a request that was kept. */
export function describeRequest(kept: KeptRequest, sequence: number): RecordedRequest {
  const {endedMs, durationMs, method, target, rawHeaders, principal, status, sizeBytes, failure} = kept;
  const origin = originOf(rawHeaders);
  const plugin = pluginOf(principal, rawHeaders);
  const path = withoutSecrets(maskQuery(withoutAuthority(target)));
  const isOfPlugin = path.startsWith('/plugins/') || path === PAGE_CLIENT ? status >= 400 : plugin !== undefined;
  const isOwn = !isOfPlugin && isOfOwnPage({path, origin, rawHeaders}) && !isUnexpected(failure);
  return {
    sequence,
    requestedAtMs: Math.round(endedMs - durationMs),
    method,
    path,
    status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(sizeBytes === undefined ? {} : {sizeBytes}),
    ...(origin === undefined ? {} : {origin}),
    ...(plugin === undefined ? {} : {plugin}),
    own: isOwn,
    headers: showHeaders(rawHeaders),
    ...(failure === undefined ? {} : {failure}),
  };
}

/** The client that the service has for pages, beside their own files. */
const PAGE_CLIENT = '/client.js';

/** Returns whether a page of the service itself sent a request, such as the console, or a browser to load a file of any page. */
function isOfOwnPage({path, origin, rawHeaders}: OfPage): boolean {
  if (path.startsWith('/plugins/')) return true;
  const [host] = headerValues(rawHeaders, 'host');
  if (origin !== undefined) return origin === `http://${host}`;
  return !path.startsWith('/api/') && headerValues(rawHeaders, 'sec-fetch-dest').length > 0;
}

interface OfPage {
  readonly path: string;
  readonly origin: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** Returns whether a request failed, and not as part of normal operation. */
function isUnexpected(failure: KeptRequest['failure']): boolean {
  return failure !== undefined && !isExpectedFailure(failure.code);
}

/** Paths of entries, whose parameters are in the API. */
const ENTRY_PATH = /^\/api\/(?:store\/[^/]*|keys|events|export|import|requests)$/;

/** Parameters of these paths that are no secrets: numbers, switches, and beginnings of keys, which paths show too. */
const HARMLESS = /^(?:(?:limit|reverse|values|all|ttl|since|initial|wait|dryRun)=(?:\d{1,15}|true|false)|prefix=.*)$/s;

/** Masks the values of the parameters of an address, but for harmless ones, and everything that has no name. */
function maskQuery(address: string): string {
  const [beforeFragment = ''] = address.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  if (mark === -1) return beforeFragment;
  const parameters = beforeFragment.slice(mark + 1).split('&');
  const path = beforeFragment.slice(0, mark);
  const areKnown = ENTRY_PATH.test(path);
  return `${path}?${parameters.map(parameter => (areKnown && HARMLESS.test(parameter) ? parameter : maskParameter(parameter))).join('&')}`;
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
  return found === undefined ? undefined : shorten(withoutSecrets(withoutCredentials(found)));
}

function showHeaders(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const shown = new Map<string, string>();
  for (const [given, value] of headerPairs(rawHeaders)) {
    const name = given.toLowerCase();
    if (!SHOWN_HEADERS.has(name)) continue;
    const masked = withoutSecrets(name === 'referer' ? maskQuery(withoutCredentials(value)) : value);
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
