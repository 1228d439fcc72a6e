import type {Failure} from '../../domain/failure.ts';
import type {HttpRequest} from './message.ts';

/** Hosts and origins that may call, as requests name them. Created once: see {@link createGuardRules}. */
export interface GuardRules {
  /** Values of the Host header, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Values of the Origin header. */
  readonly origins: ReadonlySet<string>;
}

/** Decision of the guard; with the origin of the page that may read the answer, if a page sent the request. */
export type Verdict =
  | {readonly kind: 'admitted'; readonly target: string; readonly origin: string | undefined}
  | {readonly kind: 'refused'; readonly failure: Failure};

/** The parts of a request that the guard judges. */
export type JudgedRequest = Pick<HttpRequest, 'method' | 'target' | 'rawHeaders'>;

/** Settings of {@link createGuardRules}. */
export interface GuardOptions {
  /** The port in the URLs of callers, even if a proxy listens on it. */
  readonly port: number;
  /** Host names besides the loopback ones, without a port. */
  readonly extraHosts: readonly string[];
  /** Origins of pages that may call, exactly as browsers send them. */
  readonly allowedOrigins: readonly string[];
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];
const HTTP_PORT = 80;

/** Derives the rules from the settings. They do not depend on the address that the server listens on. */
export function createGuardRules({port, extraHosts, allowedOrigins}: GuardOptions): GuardRules {
  const names = [...LOOPBACK_HOSTS, ...extraHosts.map(host => host.toLowerCase())];
  const hosts = names.map(name => `${name}:${port}`);
  // Clients omit the default port of the scheme (RFC 9110 section 4.2.1).
  if (port === HTTP_PORT) hosts.push(...names);
  return {hosts: new Set(hosts), origins: new Set([...hosts.map(host => `http://${host}`), ...allowedOrigins])};
}

/**
 * Decides whether a request may be answered, before any other part of the service reads it. Keeps out web pages: those of
 * other origins, and those whose host name was rebound to this machine (DNS rebinding). Local programs send no Origin and pass.
 *
 * The Origin is checked first and independently: WebSocket requests of Chromium and redirected CORS requests of WebKitGTK
 * have no other header that shows the page that sent them.
 */
export function judge({method, target: sent, rawHeaders}: JudgedRequest, rules: GuardRules): Verdict {
  const headers = readHeaders(rawHeaders);
  const {host, target} = splitTarget(sent);
  const [origin] = headers.origins;
  const failure =
    findHostProblem(headers, rules) ??
    findTargetProblem(host, target, rules) ??
    (origin === undefined ? findForeignPage(method, target, headers, rules) : findOriginProblem(headers, rules));
  return failure === undefined ? {kind: 'admitted', target, origin} : {kind: 'refused', failure};
}

/** Names of all headers that the guard reads. */
const HEADER_NAMES = [
  'host',
  'origin',
  'referer',
  'purpose',
  'sec-purpose',
  'x-moz',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
];

const NAME_LENGTHS: ReadonlySet<number> = new Set(HEADER_NAMES.map(name => name.length));

/** All values of the headers that the guard reads, in their order. */
interface GuardedHeaders {
  readonly hosts: string[];
  readonly origins: string[];
  readonly referers: string[];
  /** Values of the headers with which browsers mark speculative requests. */
  readonly purposes: string[];
  readonly destinations: string[];
  readonly modes: string[];
  readonly sites: string[];
}

/** Reads the headers in one pass. Runs for every request, and lower-casing the names is most of the cost. */
function readHeaders(rawHeaders: readonly string[]): GuardedHeaders {
  const headers = {hosts: [], origins: [], referers: [], purposes: [], destinations: [], modes: [], sites: []};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (NAME_LENGTHS.has(name.length)) valuesOf(headers, name.toLowerCase())?.push(rawHeaders[index + 1] ?? '');
  }
  return headers;
}

/** Returns the list for the values of a header; undefined if the guard does not read it. */
function valuesOf(headers: GuardedHeaders, name: string): string[] | undefined {
  switch (name) {
    case 'host':
      return headers.hosts;
    case 'origin':
      return headers.origins;
    case 'referer':
      return headers.referers;
    case 'purpose':
    case 'sec-purpose':
    case 'x-moz':
      return headers.purposes;
    case 'sec-fetch-dest':
      return headers.destinations;
    case 'sec-fetch-mode':
      return headers.modes;
    case 'sec-fetch-site':
      return headers.sites;
    default:
      return undefined;
  }
}

function findHostProblem({hosts: [host, second]}: GuardedHeaders, {hosts}: GuardRules): Failure | undefined {
  if (host === undefined) return {code: 'malformed-request', problem: 'it has no Host header'};
  if (second !== undefined) return {code: 'malformed-request', problem: 'it has more than one Host header'};
  return hosts.has(host) || hosts.has(host.toLowerCase()) ? undefined : {code: 'foreign-host', host: shorten(host)};
}

/** Splits a request target into path with query, and the host of an absolute target (RFC 9112 section 3.2.2). */
function splitTarget(target: string): {readonly host?: string; readonly target: string} {
  if (target.startsWith('/')) return {target};
  const [, host, path = '/'] = /^http:\/\/([^/?#]*)(\/.*)?$/i.exec(target) ?? [];
  return host === undefined ? {target} : {host, target: path};
}

/** Checks that a target is a path, and that the host of an absolute target is allowed too. */
function findTargetProblem(host: string | undefined, target: string, {hosts}: GuardRules): Failure | undefined {
  if (!target.startsWith('/')) return {code: 'malformed-request', problem: 'its target is not a path'};
  return host === undefined || hosts.has(host.toLowerCase()) ? undefined : {code: 'foreign-host', host: shorten(host)};
}

function findOriginProblem(
  {origins: [origin = '', second]}: GuardedHeaders,
  {origins}: GuardRules,
): Failure | undefined {
  if (second === undefined && origins.has(origin)) return undefined;
  return {code: 'foreign-origin', origin: shorten(origin)};
}

/**
 * Checks a request without an Origin by all other headers in which browsers describe its cause. `Sec-Fetch-Site: none` does
 * not prove that a user typed the address: browsers send it for prefetches, for an address that redirects here, and for
 * going back to such an address.
 */
function findForeignPage(
  method: string,
  target: string,
  headers: GuardedHeaders,
  rules: GuardRules,
): Failure | undefined {
  const speculative = findSpeculation(headers);
  if (speculative !== undefined) return speculative;
  if (isNavigation(headers)) return findNavigationProblem(method, target, headers, rules);
  return findForeignSite(headers) ?? findForeignReferer(headers, rules);
}

function findSpeculation({purposes}: GuardedHeaders): Failure | undefined {
  for (const value of purposes) {
    const [purpose] = /prefetch|prerender/i.exec(value) ?? [];
    if (purpose !== undefined) return {code: 'cross-site', site: purpose.toLowerCase()};
  }
  return undefined;
}

/** Modes (Fetch standard) in which scripts and elements of a page send requests; every other mode opens a window or a frame. */
const REQUEST_MODES: ReadonlySet<string> = new Set(['cors', 'no-cors', 'same-origin', 'websocket']);

function isNavigation({modes}: GuardedHeaders): boolean {
  return modes.some(mode => !REQUEST_MODES.has(mode));
}

/**
 * Windows may open pages of the service, from any link: they contain no data, and no other page can control or frame them.
 * Pages of plugins act without a click, so only a user or an allowed page may open them, in a window or in a frame.
 */
function findNavigationProblem(
  method: string,
  target: string,
  headers: GuardedHeaders,
  rules: GuardRules,
): Failure | undefined {
  const path = target.split('?', 1)[0] ?? '';
  const [destination, second] = headers.destinations;
  const inWindow = destination === 'document' && second === undefined;
  const inFrame = destination === 'iframe' && second === undefined;
  if (method === 'GET' && inWindow && isPage(path)) return undefined;
  if (method === 'GET' && (inWindow || inFrame) && path.startsWith(PLUGIN_PAGES))
    return findForeignOpener(inFrame, headers, rules);
  return {code: 'not-a-page', path: shorten(path)};
}

/** Paths of the pages of plugins. */
const PLUGIN_PAGES = '/plugins/';

/** Checks what opens the page of a plugin: a user in a window, a page of the service, or a page of an allowed origin. */
function findForeignOpener(inFrame: boolean, headers: GuardedHeaders, rules: GuardRules): Failure | undefined {
  const referer = findForeignReferer(headers, rules);
  if (referer !== undefined) return referer;
  // The Referer is not forgeable by a page, and it has an allowed origin here.
  if (headers.referers.some(value => value !== '')) return undefined;
  const own = inFrame ? ['same-origin'] : ['same-origin', 'none'];
  const foreign = headers.sites.find(site => !own.includes(site));
  return foreign === undefined ? undefined : {code: 'cross-site', site: shorten(foreign)};
}

function isPage(path: string): boolean {
  return path === '/' || path === '/openapi.json' || path === '/docs' || path.startsWith('/docs/');
}

/** Checks that the browser does not report another site as the source (Fetch Metadata). */
function findForeignSite({sites}: GuardedHeaders): Failure | undefined {
  const foreign = sites.find(site => site !== 'same-origin' && site !== 'none');
  return foreign === undefined ? undefined : {code: 'cross-site', site: shorten(foreign)};
}

/** Checks that the page in the Referer has an allowed origin. */
function findForeignReferer({referers}: GuardedHeaders, {origins}: GuardRules): Failure | undefined {
  for (const referer of referers) {
    // Some programs send an empty Referer instead of none.
    if (referer === '') continue;
    const [origin = referer] = /^[^:/?#]+:\/\/[^/?#]*/.exec(referer) ?? [];
    if (!origins.has(origin)) return {code: 'foreign-origin', origin: shorten(origin)};
  }
  return undefined;
}

/** Shortens untrusted text for a failure; its beginning is enough to recognise it. Removes the credentials of an address or a host. */
function shorten(text: string): string {
  return text.replace(/^([^:/?#]+:\/\/)?[^/?#]*@/, '$1').slice(0, 100);
}
