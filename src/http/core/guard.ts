import type {Credentials} from '../../core/domain/access/access.ts';
import {withoutHostSecrets} from '../../core/domain/plugins/page-proofs.ts';
import {withoutSecrets} from '../../core/domain/redaction.ts';
import {SHOWN_ORIGIN_LENGTH_MAX} from '../../core/failures/facts.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {BACKGROUND_TOKEN_HEADER} from '../../core/protocol/headers/background-token.ts';
import {CLIENT_HEADER} from '../../core/protocol/headers/client-header.ts';
import type {RequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import type {HttpRequest} from './message.ts';
import {shownPath} from './shown-path.ts';
import {CLIENT_MODULE, DEVTOOLS_FILE, PLUGIN_PAGES, SCHEME, type Site, type Sites, WEBPACK_SOCKET} from './sites.ts';

/**
 * Decision of the guard; with the origin of the page that may read the answer, if a page sent the request, and its credentials, which the guard does not
 * judge.
 */
export type Verdict =
  | {
      readonly kind: 'admitted';
      readonly target: string;
      readonly origin: string | undefined;
      /** True if the user allowed the origin by name: it is none of the service and of plugins. */
      readonly isListed: boolean;
      /** False if the site that it calls serves nothing at the target. */
      readonly isServed: boolean;
      readonly credentials: Credentials;
    }
  | {readonly kind: 'refused'; readonly failure: Failure};

/** The parts of a request that the guard judges. */
export type JudgedRequest = Pick<HttpRequest, 'method' | 'target' | 'headers'>;

/**
 * Decides whether a request may be answered, before any other part of the service reads it. Keeps out web pages: those of
 * other origins, and those whose host name was rebound to this machine (DNS rebinding). Local programs send no Origin and pass.
 *
 * The Origin is checked first and independently: WebSocket requests of Chromium and redirected CORS requests of WebKitGTK
 * have no other header that shows the page that sent them.
 */
export function judge({method, target: sent, headers}: JudgedRequest, sites: Sites): Verdict {
  const caller = whoCalls(headers, sites);
  if ('code' in caller) return {kind: 'refused', failure: caller};
  const {site, page} = caller;
  const {host, target} = splitTarget(sent);
  const origin = headers.origin[0];
  const failure =
    findTargetProblem(host, target, {site, sites}) ??
    (origin === undefined ? findForeignPage(method, target, headers, site) : findPageProblem(target, headers, caller));
  if (failure !== undefined) return {kind: 'refused', failure};
  const credentials = {
    authorizations: headers.authorization,
    backgroundTokens: headers[BACKGROUND_TOKEN_HEADER],
    plugin: page?.plugin,
    isPageProved: page?.isProved === true,
  };
  const isListed = origin !== undefined && site.isListed(origin);
  return {kind: 'admitted', target, origin, isListed, isServed: isServedAt(site, target, headers), credentials};
}

/** The site that a request calls, and that of the page that sent it, if it is one of the service. */
interface Calling {
  readonly site: Site;
  readonly page: Site | undefined;
}

/** Finds the site that the Host header names, and the page that calls: at its own host, or at another one with its own origin. The only search for both. */
function whoCalls(headers: RequestHeaders, sites: Sites): Calling | Failure {
  const site = findSite(headers, sites);
  if ('code' in site) return site;
  const origin = headers.origin[0];
  if (site.plugin !== undefined || !origin?.startsWith(SCHEME))
    return {site, page: site.plugin === undefined ? undefined : site};
  return {site, page: sites(origin.slice(SCHEME.length))};
}

function findSite({host: hosts}: RequestHeaders, sites: Sites): Site | Failure {
  const host = hosts[0];
  if (host === undefined) return {code: 'malformed-request', problem: 'it has no Host header'};
  if (hosts.length > 1) return {code: 'malformed-request', problem: 'it has more than one Host header'};
  return sites(host) ?? sites(host.toLowerCase()) ?? {code: 'foreign-host', host: shorten(withoutHostSecrets(host))};
}

/** Splits a request target into path with query, and the host of an absolute target (RFC 9112 section 3.2.2). */
function splitTarget(target: string): {readonly host?: string; readonly target: string} {
  if (target.startsWith('/')) return {target};
  const [, host, path = '/'] = /^http:\/\/([^/?#]*)(\/.*)?$/i.exec(target) ?? [];
  return host === undefined ? {target} : {host, target: path};
}

/** The site of a request, among all sites. */
interface Sited {
  readonly site: Site;
  readonly sites: Sites;
}

/** Checks that a target is a path, and that an absolute target names the same site as the Host header. */
function findTargetProblem(host: string | undefined, target: string, {site, sites}: Sited): Failure | undefined {
  if (!target.startsWith('/')) return {code: 'malformed-request', problem: 'its target is not a path'};
  if (host === undefined) return undefined;
  const named = sites(host.toLowerCase());
  return named?.kind === site.kind && named.plugin === site.plugin
    ? undefined
    : {code: 'foreign-host', host: shorten(withoutHostSecrets(host))};
}

/** Checks a request of a page that names its origin. It opens a window or a frame only by sending a form, which pages of other origins may not. */
function findPageProblem(target: string, headers: RequestHeaders, calling: Calling): Failure | undefined {
  const problem = findOriginProblem(headers, calling);
  if (problem !== undefined || !isNavigation(headers)) return problem;
  const own = `http://${headers.host[0]?.toLowerCase()}`;
  return headers.origin[0] === own ? undefined : {code: 'not-a-page', path: shorten(shownPath(target))};
}

function findOriginProblem(
  {origin: [origin = '', second], host: [host = '']}: RequestHeaders,
  {site, page}: Calling,
): Failure | undefined {
  // Pages of plugins may also call the address that they have as a constant.
  const isPlugin = site.kind === 'service' && page?.kind === 'plugin';
  if (second === undefined && (isPlugin || site.mayCall(origin))) return undefined;
  // To allow the origin does not help there.
  const elsewhere = site.kind === 'service' ? {} : {host: shorten(withoutHostSecrets(host))};
  return {code: 'foreign-page', why: 'origin', origin: shorten(origin, SHOWN_ORIGIN_LENGTH_MAX), ...elsewhere};
}

/**
 * Checks a request without an Origin by all other headers in which browsers describe its cause. `Sec-Fetch-Site: none` does
 * not prove that a user typed the address: browsers send it for prefetches, for an address that redirects here, and for
 * going back to such an address.
 */
function findForeignPage(method: string, target: string, headers: RequestHeaders, site: Site): Failure | undefined {
  const speculative = findSpeculation(headers);
  if (speculative !== undefined) return speculative;
  if (isNavigation(headers)) return findNavigationProblem(method, target, headers, site);
  if (isUnmarked(target, headers, site))
    return {code: 'foreign-page', why: 'unmarked', host: shorten(headers.host[0] ?? '')};
  return findForeignSite(headers) ?? findForeignReferer(headers, site.mayCall);
}

function findSpeculation({purpose: values}: RequestHeaders): Failure | undefined {
  for (const value of values) {
    const [purpose] = /prefetch|prerender/i.exec(value) ?? [];
    if (purpose !== undefined) return {code: 'foreign-page', why: 'site', site: purpose.toLowerCase()};
  }
  return undefined;
}

/** Modes (Fetch standard) in which scripts and elements of a page send requests; any other opens a window or frame. */
const REQUEST_MODES: ReadonlySet<string> = new Set(['cors', 'no-cors', 'same-origin', 'websocket']);

function isNavigation(headers: RequestHeaders): boolean {
  return headers['sec-fetch-mode'].some(mode => !REQUEST_MODES.has(mode));
}

/**
 * Windows may open pages of the service, from any link: they contain no data, and no other page can control or frame them.
 * Pages of plugins act without a click, so only a user or an allowed page may open them, in a window or in a frame.
 */
function findNavigationProblem(
  method: string,
  target: string,
  headers: RequestHeaders,
  site: Site,
): Failure | undefined {
  const path = target.split('?', 1)[0] ?? '';
  const [destination, second] = headers['sec-fetch-dest'];
  const inWindow = destination === 'document' && second === undefined;
  const inFrame = destination === 'iframe' && second === undefined;
  if (method === 'GET' && inWindow && isPage(path)) return undefined;
  if (method === 'GET' && (inWindow || inFrame) && path.startsWith(PLUGIN_PAGES))
    return findForeignOpener(inFrame, headers, site);
  return {code: 'not-a-page', path: shorten(path)};
}

/** Checks what opens the page of a plugin: a user in a window, a service page, or a page of an allowed origin. */
function findForeignOpener(inFrame: boolean, headers: RequestHeaders, site: Site): Failure | undefined {
  const referer = findForeignReferer(headers, site.mayOpen);
  if (referer !== undefined) return referer;
  // The Referer is not forgeable by a page, and it has an allowed origin here.
  if (headers.referer.some(value => value !== '')) return undefined;
  const own = inFrame ? ['same-origin'] : ['same-origin', 'none'];
  const foreign = headers['sec-fetch-site'].find(site => !own.includes(site));
  return foreign === undefined ? undefined : {code: 'foreign-page', why: 'site', site: shorten(foreign)};
}

/**
 * Returns whether a page of any origin may have sent a request to a host to which browsers send no Fetch Metadata. No page can change the beginning of
 * its `User-Agent`, or add a token or another header, without a preflight. `Basic` does not count: addresses may contain its credentials.
 */
function isUnmarked(target: string, headers: RequestHeaders, {isMarked}: Site): boolean {
  if (
    isMarked ||
    headers['sec-fetch-site'].length > 0 ||
    !headers['user-agent'].some(value => /^Mozilla\//i.test(value))
  )
    return false;
  if (headers[CLIENT_HEADER].includes('1') || headers.authorization.some(value => /^Bearer /i.test(value)))
    return false;
  const path = target.split('?', 1)[0] ?? '';
  return !isPage(path) && !PAGE_FILES.some(folder => path.startsWith(folder));
}

/** Folders with the files of pages. */
const PAGE_FILES = [PLUGIN_PAGES, '/console/'];

function isPage(path: string): boolean {
  return path === '/' || path === '/openapi.json' || path === '/docs' || path.startsWith('/docs/');
}

/** Checks that the browser does not report another site as the source (Fetch Metadata). */
function findForeignSite(headers: RequestHeaders): Failure | undefined {
  const foreign = headers['sec-fetch-site'].find(site => site !== 'same-origin' && site !== 'none');
  return foreign === undefined ? undefined : {code: 'foreign-page', why: 'site', site: shorten(foreign)};
}

/** Checks that the page in the Referer has an allowed origin. */
function findForeignReferer(
  {referer: referers}: RequestHeaders,
  isAllowed: (origin: string) => boolean,
): Failure | undefined {
  for (const referer of referers) {
    // Some programs send an empty Referer instead of none.
    if (referer === '') continue;
    const [origin = referer] = /^[^:/?#]+:\/\/[^/?#]*/.exec(referer) ?? [];
    if (!isAllowed(origin))
      return {code: 'foreign-page', why: 'origin', origin: shorten(origin, SHOWN_ORIGIN_LENGTH_MAX)};
  }
  return undefined;
}

/** Path at which the console exchanges its code. */
const CODE_EXCHANGE = '/api/access/page-tokens';

/** Kinds of requests (Fetch standard) whose answers run no script. */
const HARMLESS_DESTINATIONS: ReadonlySet<string> = new Set(['image', 'audio', 'video']);

/** Kind of the script of a service worker (Fetch standard). */
const SERVICE_WORKER = 'serviceworker';

/**
 * Returns whether a site serves a target. A service worker would answer for the service whenever an address of the page of its plugin is opened, so none
 * gets its script. It separates origins: scripts of plugins must run in none that has the token of the owner, and the page of a
 * plugin in none that has the storage of another one.
 */
function isServedAt({kind, plugin}: Site, target: string, headers: RequestHeaders): boolean {
  if (headers['sec-fetch-dest'].includes(SERVICE_WORKER)) return false;
  switch (kind) {
    case 'service':
      return !target.startsWith(CODE_EXCHANGE);
    case 'console': {
      if (!target.startsWith(PLUGIN_PAGES)) return true;
      // Icons of plugins, and their sounds.
      const [destination = '', second] = headers['sec-fetch-dest'];
      return second === undefined && HARMLESS_DESTINATIONS.has(destination);
    }
    case 'plugin': {
      const path = target.split('?', 1)[0] ?? '';
      if (path === '/api' || path.startsWith('/api/')) return !path.startsWith('/api/access/');
      const page = PLUGIN_PAGES + plugin;
      return path === page || path.startsWith(`${page}/`) || SHARED_PATHS.has(path);
    }
  }
}

/** Paths that the pages of all plugins have in common. */
const SHARED_PATHS: ReadonlySet<string> = new Set([WEBPACK_SOCKET, CLIENT_MODULE, DEVTOOLS_FILE]);

/** Shortens untrusted text for a failure; its beginning is enough to recognise it. Removes the credentials of an address or a host, and secrets of pages. */
function shorten(text: string, lengthMax = 100): string {
  return withoutSecrets(text)
    .replace(/^([^:/?#]+:\/\/)?[^/?#]*@/, '$1')
    .slice(0, lengthMax);
}
