import {BACKGROUND_TOKEN_HEADER} from '../../core/protocol/headers/background-token.ts';
import {headerPairs, headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {OWN_HEADERS} from '../core/message.ts';

/** Headers of one connection (RFC 9110 section 7.6.1), besides those that `Connection` names. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['expect', 'content-length'],
];

/**
 * Headers of requests that a dev server does not get: credentials, cookies, which other programs of this machine may have set for
 * all ports, and those that are written anew.
 */
const KEPT_FROM_SERVER: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...['authorization', 'proxy-authorization', 'cookie', BACKGROUND_TOKEN_HEADER],
  ...['host', 'origin', 'referer', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
]);

/** Headers that a dev server must not set for the origin of the service: they apply to all pages of it. */
const KEPT_FROM_PAGE: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP.filter(name => name !== 'content-length'),
  ...['set-cookie', 'www-authenticate', 'proxy-authenticate'],
  ...['clear-site-data', 'service-worker-allowed', 'strict-transport-security', 'alt-svc'],
  // These are written anew.
  ...['location', ...OWN_HEADERS.map(each => each.toLowerCase()), 'cross-origin-opener-policy', 'origin-agent-cluster'],
]);

/** Returns the headers of a request as a dev server gets them. */
export function forwardedHeaders(
  rawHeaders: readonly string[],
  {host, origin}: URL,
  {forRewrite}: {readonly forRewrite: boolean},
): readonly string[] {
  const dropped = namesIn(rawHeaders);
  const headers = ['Host', host];
  for (const [name, value] of headerPairs(rawHeaders)) {
    const lower = name.toLowerCase();
    // A text is rewritten as a whole, and uncompressed.
    const isReplaced = forRewrite && (lower === 'accept-encoding' || lower === 'range');
    if (!KEPT_FROM_SERVER.has(lower) && !dropped.has(lower) && !isReplaced) headers.push(name, value);
  }
  // The guard has checked the origin of the page. Dev servers compare it with their own address.
  if (headerValues(rawHeaders, 'origin').length > 0) headers.push('Origin', origin);
  return forRewrite ? [...headers, 'Accept-Encoding', 'identity'] : headers;
}

/** Returns the headers of a request for a WebSocket as a dev server gets them. */
export function upgradeHeaders(rawHeaders: readonly string[], server: URL): readonly string[] {
  return [
    ...forwardedHeaders(rawHeaders, server, {forRewrite: false}),
    'Connection',
    'Upgrade',
    'Upgrade',
    'websocket',
  ];
}

/** Returns the headers of an answer as a page gets them. */
export function answerHeaders(
  rawHeaders: readonly string[],
  server: URL,
  {isRewritten}: {readonly isRewritten: boolean},
): readonly string[] {
  const dropped = namesIn(rawHeaders);
  const headers: string[] = [...OWN_HEADERS];
  for (const [name, value] of headerPairs(rawHeaders)) {
    const lower = name.toLowerCase();
    if (KEPT_FROM_PAGE.has(lower) || dropped.has(lower) || lower.startsWith('access-control-')) continue;
    if (isRewritten && (lower === 'content-length' || lower === 'accept-ranges')) continue;
    headers.push(name, value);
  }
  const [location] = headerValues(rawHeaders, 'location');
  return location === undefined ? headers : [...headers, 'Location', withoutOrigin(location, server)];
}

/** Returns the headers that `Connection` declares as those of one connection. */
function namesIn(rawHeaders: readonly string[]): ReadonlySet<string> {
  const names = headerValues(rawHeaders, 'connection').flatMap(value => value.split(','));
  return new Set(names.map(name => name.trim().toLowerCase()));
}

/** Makes a redirect to the dev server one to the same path of the service. */
function withoutOrigin(location: string, {origin}: URL): string {
  return location.startsWith(`${origin}/`) ? location.slice(origin.length) : location;
}
