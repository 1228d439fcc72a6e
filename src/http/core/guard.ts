import {AppError, type Failure} from '../../domain/failure.ts';
import type {HttpRequest} from './message.ts';

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

/** The same with its headers read, and its target as a path. */
interface Judged {
  readonly method: string;
  readonly target: string;
  readonly signs: Signs;
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
    const signs = readSigns(rawHeaders);
    assertHost(signs, rules);
    const target = readTarget(sent, rules);
    const origin = readOrigin(signs, rules);
    if (origin === undefined) assertNoForeignPage({method, target, signs}, rules);
    return {kind: 'admitted', target, origin};
  } catch (error) {
    if (error instanceof AppError) return {kind: 'refused', failure: error.failure};
    throw error;
  }
}

/** The names of all headers that are judged. */
const SIGN_NAMES = [
  'host',
  'origin',
  'referer',
  'purpose',
  'sec-purpose',
  'x-moz',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
] as const;
type SignName = (typeof SIGN_NAMES)[number];

const SIGN_LENGTHS: ReadonlySet<number> = new Set(SIGN_NAMES.map(name => name.length));

/** What a request says of its cause: all values of the headers that are judged, in their order. */
interface Signs {
  readonly hosts: string[];
  readonly origins: string[];
  readonly referers: string[];
  /** Of the headers by which browsers mark requests that no person made yet. */
  readonly purposes: string[];
  readonly destinations: string[];
  readonly modes: string[];
  readonly sites: string[];
}

/** Reads them in one pass. Every request pays for it, and most of the cost is to lower-case names. */
function readSigns(rawHeaders: readonly string[]): Signs {
  const signs: Signs = {hosts: [], origins: [], referers: [], purposes: [], destinations: [], modes: [], sites: []};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (SIGN_LENGTHS.has(name.length)) listOf(signs, name.toLowerCase())?.push(rawHeaders[index + 1] as string);
  }
  return signs;
}

/** The list that a header belongs to; undefined for one that is not judged. */
function listOf(signs: Signs, name: string): string[] | undefined {
  switch (name as SignName) {
    case 'host':
      return signs.hosts;
    case 'origin':
      return signs.origins;
    case 'referer':
      return signs.referers;
    case 'purpose':
    case 'sec-purpose':
    case 'x-moz':
      return signs.purposes;
    case 'sec-fetch-dest':
      return signs.destinations;
    case 'sec-fetch-mode':
      return signs.modes;
    case 'sec-fetch-site':
      return signs.sites;
  }
}

function assertHost(signs: Signs, {hosts}: GuardRules): void {
  const [host, second] = signs.hosts;
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

function readOrigin(signs: Signs, {origins}: GuardRules): string | undefined {
  const [origin, second] = signs.origins;
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
function assertNoForeignPage({method, target, signs}: Judged, rules: GuardRules): void {
  assertNotSpeculative(signs);
  if (isNavigation(signs)) assertOpensPage({method, target, signs});
  else {
    assertSameSite(signs);
    assertReferer(signs, rules);
  }
}

function assertNotSpeculative({purposes}: Signs): void {
  for (const value of purposes) {
    const [purpose] = /prefetch|prerender/i.exec(value) ?? [];
    if (purpose !== undefined) throw new AppError({code: 'cross-site', site: purpose.toLowerCase()});
  }
}

/** The modes (Fetch standard) in which scripts and elements of a page make requests; every other one opens a window or a frame. */
const REQUEST_MODES: ReadonlySet<string> = new Set(['cors', 'no-cors', 'same-origin', 'websocket']);

function isNavigation({modes}: Signs): boolean {
  return modes.some(mode => !REQUEST_MODES.has(mode));
}

/** Windows get pages, which hold no data and which no other page can hold or frame, wherever the link to them stands. */
function assertOpensPage({method, target, signs}: Judged): void {
  const path = target.split('?', 1)[0] ?? '';
  const [destination, second] = signs.destinations;
  const topLevel = destination === 'document' && second === undefined;
  if (method !== 'GET' || !topLevel || !isPage(path)) throw new AppError({code: 'not-a-page', path: shorten(path)});
}

function isPage(path: string): boolean {
  return path === '/' || path === '/openapi.json' || path === '/docs' || path.startsWith('/docs/');
}

/** What a browser says of the site of the page (Fetch Metadata) must not be that it is another. */
function assertSameSite({sites}: Signs): void {
  for (const site of sites) {
    if (site !== 'same-origin' && site !== 'none') throw new AppError({code: 'cross-site', site: shorten(site)});
  }
}

/** A page that is named as the one that asks must be of an allowed origin. */
function assertReferer({referers}: Signs, {origins}: GuardRules): void {
  for (const referer of referers) {
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
