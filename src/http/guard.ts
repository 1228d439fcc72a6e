import {AppError, type Failure} from '../domain/failure.ts';
import {type HttpRequest, headerValues} from './message.ts';

/** Who may call, in the forms in which requests say so. Made once: see {@link createGuardRules}. */
export interface GuardRules {
  /** Values of the Host header, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Values of the Origin header. */
  readonly origins: ReadonlySet<string>;
}

/** What the guard decided, with the origin that may read the answer where a page asked. */
export type Verdict =
  | {readonly kind: 'admitted'; readonly target: string; readonly origin: string | undefined}
  | {readonly kind: 'refused'; readonly failure: Failure};

/** What of a request is judged. */
export type JudgedRequest = Pick<HttpRequest, 'method' | 'target' | 'rawHeaders'>;

/** What {@link createGuardRules} needs. */
export interface GuardOptions {
  /** The port that callers name, also where a program in between answers for it. */
  readonly port: number;
  /** Host names besides the loopback ones, without a port. */
  readonly extraHosts: readonly string[];
  /** Origins of pages that may call, exactly as browsers send them. */
  readonly allowedOrigins: readonly string[];
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];
const HTTP_PORT = 80;

/** Derives the rules from the settings. They do not depend on the address that is listened on. */
export function createGuardRules({port, extraHosts, allowedOrigins}: GuardOptions): GuardRules {
  const names = [...LOOPBACK_HOSTS, ...extraHosts.map(host => host.toLowerCase())];
  const hosts = names.map(name => `${name}:${port}`);
  // Clients leave out the default port of the scheme (RFC 9110 section 4.2.1).
  if (port === HTTP_PORT) hosts.push(...names);
  return {hosts: new Set(hosts), origins: new Set([...hosts.map(host => `http://${host}`), ...allowedOrigins])};
}

/**
 * Decides whether a request may be answered at all, before anything else looks at it. It keeps web
 * pages out: those of other origins, and those whose name was rebound to this machine. Local programs
 * send no Origin and pass.
 *
 * The Origin is judged first and by itself: Chromium's web sockets and redirected CORS requests of WebKitGTK carry no
 * other sign of the page that sends them.
 */
export function judge({method, target: sent, rawHeaders}: JudgedRequest, rules: GuardRules): Verdict {
  try {
    assertHost(rawHeaders, rules);
    const target = readTarget(sent, rules);
    const origin = readOrigin(rawHeaders, rules);
    if (origin === undefined) assertNoForeignPage({method, target, rawHeaders}, rules);
    return {kind: 'admitted', target, origin};
  } catch (error) {
    if (error instanceof AppError) return {kind: 'refused', failure: error.failure};
    throw error;
  }
}

function assertHost(rawHeaders: readonly string[], {hosts}: GuardRules): void {
  const [host, second] = headerValues(rawHeaders, 'host');
  if (host === undefined) throw new AppError({code: 'malformed-request', problem: 'it has no Host header'});
  if (second !== undefined)
    throw new AppError({code: 'malformed-request', problem: 'it has more than one Host header'});
  if (!hosts.has(host) && !hosts.has(host.toLowerCase()))
    throw new AppError({code: 'foreign-host', host: shorten(host)});
}

/** The path and query; an absolute target must name one of our hosts too (RFC 9112 section 3.2.2). */
function readTarget(target: string, {hosts}: GuardRules): string {
  if (target.startsWith('/')) return target;
  const absolute = /^http:\/\/([^/?#]*)(\/.*)?$/i.exec(target);
  if (absolute === null) throw new AppError({code: 'malformed-request', problem: 'its target is not a path'});
  const [, host = '', path = '/'] = absolute;
  if (!hosts.has(host.toLowerCase())) throw new AppError({code: 'foreign-host', host: shorten(host)});
  return path;
}

function readOrigin(rawHeaders: readonly string[], {origins}: GuardRules): string | undefined {
  const [origin, second] = headerValues(rawHeaders, 'origin');
  if (origin === undefined) return undefined;
  if (second !== undefined || !origins.has(origin))
    throw new AppError({code: 'foreign-origin', origin: shorten(origin)});
  return origin;
}

/**
 * Judges a request without an Origin by everything else that browsers send about its cause. `Sec-Fetch-Site: none` is no
 * proof of a person: browsers send it for prefetches, for an address opened by the browser that redirects here, and for
 * going back to such an address.
 */
function assertNoForeignPage({method, target, rawHeaders}: JudgedRequest, rules: GuardRules): void {
  assertNotSpeculative(rawHeaders);
  if (isNavigation(rawHeaders)) assertOpensPage({method, target, rawHeaders});
  else {
    assertSameSite(rawHeaders);
    assertReferer(rawHeaders, rules);
  }
}

/** The headers by which browsers mark requests that no person made yet. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-moz'];

function assertNotSpeculative(rawHeaders: readonly string[]): void {
  for (const name of PURPOSE_HEADERS) {
    for (const value of headerValues(rawHeaders, name)) {
      const [purpose] = /prefetch|prerender/i.exec(value) ?? [];
      if (purpose !== undefined) throw new AppError({code: 'cross-site', site: purpose.toLowerCase()});
    }
  }
}

/** The modes (Fetch standard) in which scripts and elements of a page make requests; every other one opens a window or a frame. */
const REQUEST_MODES: ReadonlySet<string> = new Set(['cors', 'no-cors', 'same-origin', 'websocket']);

function isNavigation(rawHeaders: readonly string[]): boolean {
  return headerValues(rawHeaders, 'sec-fetch-mode').some(mode => !REQUEST_MODES.has(mode));
}

/** Windows get pages, which hold no data and which no other page can hold or frame, wherever the link to them stands. */
function assertOpensPage({method, target, rawHeaders}: JudgedRequest): void {
  const path = target.split('?', 1)[0] ?? '';
  const [destination, second] = headerValues(rawHeaders, 'sec-fetch-dest');
  const topLevel = destination === 'document' && second === undefined;
  if (method !== 'GET' || !topLevel || !isPage(path)) throw new AppError({code: 'not-a-page', path: shorten(path)});
}

function isPage(path: string): boolean {
  return path === '/' || path === '/openapi.json' || path === '/docs' || path.startsWith('/docs/');
}

/** What a browser says of the site of the page (Fetch Metadata) must not be that it is another. */
function assertSameSite(rawHeaders: readonly string[]): void {
  for (const site of headerValues(rawHeaders, 'sec-fetch-site')) {
    if (site !== 'same-origin' && site !== 'none') throw new AppError({code: 'cross-site', site: shorten(site)});
  }
}

/** A page that is named as the one that asks must be of an allowed origin. */
function assertReferer(rawHeaders: readonly string[], {origins}: GuardRules): void {
  for (const referer of headerValues(rawHeaders, 'referer')) {
    // Some programs blank it instead of leaving it out.
    if (referer === '') continue;
    const [origin = referer] = /^[^:/?#]+:\/\/[^/?#]*/.exec(referer) ?? [];
    if (!origins.has(origin)) throw new AppError({code: 'foreign-origin', origin: shorten(origin)});
  }
}

/** Refused texts come from strangers; this much is enough to recognise them. */
function shorten(text: string): string {
  return text.slice(0, 100);
}
