import {isTrustworthyUrl} from '../../core/domain/trustworthy-url.ts';
import type {HttpAnswer, HttpRequest} from './message.ts';

/** Part of the service that a host name serves, and the pages that may call it. */
export interface Site {
  readonly kind: SiteKind;
  /** Id of the plugin whose page has this origin. */
  readonly plugin?: string;
  /** True if the host name proves that the page of the plugin calls: no other program knows it. */
  readonly isProved?: boolean;
  /** True if browsers mark their requests to this host with Fetch Metadata, also without https. */
  readonly isMarked: boolean;
  /** Returns whether pages of an origin may call this host. */
  readonly mayCall: (origin: string) => boolean;
  /** Returns whether the user allowed pages of an origin by name to call this host. */
  readonly isListed: (origin: string) => boolean;
  /** Returns whether pages of an origin may open pages of plugins at this host. */
  readonly mayOpen: (origin: string) => boolean;
}

/**
 * Sites whose pages share no origin:
 *
 * - `service`: everything, for programs and for clients that show the pages of plugins themselves.
 * - `console`: the console, whose page may hold a token of the owner. No page of a plugin.
 * - `plugin`: the page of one plugin, and what it calls.
 */
type SiteKind = 'service' | 'console' | 'plugin';

/** Settings of {@link createSites}. */
export interface SiteOptions {
  /** The port in the URLs of callers, even if a proxy listens on it. */
  readonly port: number;
  /** Host names besides the loopback ones, without a port. */
  readonly extraHosts: readonly string[];
  /** Returns whether another page was allowed to call, by its origin exactly as browsers send it. */
  readonly isAllowed: (origin: string) => boolean;
  /** Returns the plugin whose page has a label; undefined without one. */
  readonly findPlugin: (label: string) => LabelOwner | undefined;
}

/** The plugin whose page has a label. */
export interface LabelOwner {
  readonly id: string;
  /** True if no other program can know the label. */
  readonly isProved: boolean;
}

/** Finds the site of a Host header; undefined if the service does not have this name. Expects lower case. */
export type Sites = (host: string) => Site | undefined;

/**
 * Name of the console. Pages of plugins have names below it, since browsers treat those as the same site: a frame of another site has no
 * storage. Browsers resolve all of them to this machine (RFC 6761 section 6.3).
 */
export const CONSOLE_NAME = 'crewroom.localhost';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns whether a host, with or without a port, is a loopback name, which the pages of plugins may have too. */
export function isLoopbackName(host: string): boolean {
  return LOOPBACK_NAMES.includes(host.toLowerCase().replace(/:\d+$/, ''));
}

const HTTP_PORT = 80;
/** Scheme of all origins of the service, with what follows it. */
export const SCHEME = 'http://';

/** Derives the sites from the settings. They do not depend on the address that the server listens on. */
export function createSites({port, extraHosts, isAllowed, findPlugin}: SiteOptions): Sites {
  // Clients omit the default port of the scheme (RFC 9110 section 4.2.1).
  const ports = port === HTTP_PORT ? [`:${port}`, ''] : [`:${port}`];
  const withPort = (name: string): readonly string[] => ports.map(each => name.toLowerCase() + each);
  const names = [...LOOPBACK_NAMES, ...extraHosts];
  const own = new Set([...names.flatMap(withPort), ...withPort(CONSOLE_NAME)].map(host => SCHEME + host));
  const isOwn = (origin: string): boolean => own.has(origin);
  const mayOpen = (origin: string): boolean => isOwn(origin) || isAllowed(origin);
  const findPluginSite: Sites = host => {
    const end = withPort(`.${CONSOLE_NAME}`).find(each => host.endsWith(each));
    const plugin = end === undefined ? undefined : findPlugin(host.slice(0, -end.length));
    if (plugin === undefined) return undefined;
    const origin = SCHEME + host;
    return {
      kind: 'plugin',
      plugin: plugin.id,
      isProved: plugin.isProved,
      isMarked: true,
      mayCall: each => each === origin,
      isListed: () => false,
      mayOpen: each => each === origin || mayOpen(each),
    };
  };
  const isPlugin = (origin: string): boolean =>
    origin.startsWith(SCHEME) && findPluginSite(origin.slice(SCHEME.length)) !== undefined;
  // Pages of plugins may also call the address that they have as a constant.
  const mayCall = (origin: string): boolean => mayOpen(origin) || isPlugin(origin);
  const service = (name: string): Site => ({
    kind: 'service',
    isMarked: isTrustworthyUrl(`${SCHEME}${name}/`),
    mayOpen,
    mayCall,
    isListed: isAllowed,
  });
  const console: Site = {kind: 'console', isMarked: true, mayOpen: isOwn, mayCall: isOwn, isListed: () => false};
  const fixed = new Map<string, Site>([
    ...names.flatMap(name => withPort(name).map(host => [host, service(name.toLowerCase())] as const)),
    ...withPort(CONSOLE_NAME).map(host => [host, console] as const),
  ]);
  return host => fixed.get(host) ?? findPluginSite(host);
}

/** Returns whether a host, with or without a port, is that of the console or of the page of a plugin. */
export function isBelowConsole(host: string): boolean {
  return BELOW_CONSOLE.test(host);
}

const BELOW_CONSOLE = /(?:^|\.)crewroom\.localhost(?::\d+)?$/i;

/**
 * Returns the headers with which an answer clears cookies. The service has none, and the page of a plugin could set some for the console and all other
 * plugins, even so many that their requests are refused. Empty at other hosts: cookies know no port, and those of `localhost` belong to others.
 */
export function clearCookies(host: string): readonly string[] {
  return isBelowConsole(host) ? ['Clear-Site-Data', '"cookies"'] : [];
}

/**
 * Returns the headers with which a failure clears cookies that made a request too large. From the host of a plugin it leads on to the console's:
 * Firefox clears at one host only, and cookies for all of them are those of the console.
 */
export function clearLargeCookies(host: string, path: string): readonly string[] {
  const [, port] = PLUGIN_HOST.exec(host) ?? [];
  const onward = port === undefined ? [] : ['Refresh', `0; url=${SCHEME}${CONSOLE_NAME}${port}${path}`];
  return [...clearCookies(host), ...onward];
}

const PLUGIN_HOST = /\.crewroom\.localhost((?::\d+)?)$/i;

/** Clears cookies with a page, or with a failure in its place, unless another origin sent the request. To be called only for a request that has cookies. */
export function withoutCookies(answered: HttpAnswer, {headers}: Pick<HttpRequest, 'headers'>): HttpAnswer {
  if (headers.origin.some(origin => origin !== SCHEME + headers.host[0])) return answered;
  // Only if a window or a frame is to show the answer (Fetch Metadata), as far as the browser tells.
  if (!headers['sec-fetch-dest'].every(value => value === 'document' || value === 'iframe')) return answered;
  const further = clearCookies(headers.host[0] ?? '');
  return further.length === 0 ? answered : {...answered, rawHeaders: [...answered.rawHeaders, ...further]};
}

/** Path of the pages of plugins. */
export const PLUGIN_PAGES = '/plugins/';

/** Path at which the client of webpack-dev-server opens its WebSocket, whatever the path of the page. */
export const WEBPACK_SOCKET = '/ws';

/** File for which the developer tools of Chromium ask at the origin of each page. The service has none. */
export const DEVTOOLS_FILE = '/.well-known/appspecific/com.chrome.devtools.json';

/** Path of the client for pages that need no build: a file without data. */
export const CLIENT_MODULE = '/client.js';
