import type {Principal} from '../../domain/access/access.ts';
import {headerValues} from './raw-headers.ts';

/**
 * Returns the id of the plugin that sent a request: the one that its caller is, or the one whose page has the address in the `Referer`. Only for logs and
 * faults: programs can send the `Referer` and the origin of any page. The token of a background proves its plugin.
 *
 * @returns Undefined for other senders.
 */
export function pluginOf(principal: Principal | undefined, rawHeaders: readonly string[]): string | undefined {
  if (principal?.startsWith(PLUGIN)) return principal.slice(PLUGIN.length);
  const [host = ''] = headerValues(rawHeaders, 'host');
  const [referer = ''] = headerValues(rawHeaders, 'referer');
  // A page of another origin may have an address like that of a plugin.
  const path = referer.startsWith(`http://${host}/`) ? referer.slice(`http://${host}`.length) : '';
  return /^\/plugins\/([A-Za-z0-9._-]{1,253})\//.exec(path)?.[1];
}

const PLUGIN = 'plugin:';

/** Returns whether a browser sent a request for a page: it marks such requests with headers that a page can neither set nor leave out. */
export function isOfPage(rawHeaders: readonly string[]): boolean {
  return PAGE_HEADERS.some(name => headerValues(rawHeaders, name).length > 0);
}

/** Headers that browsers add, and programs such as Node do not. */
const PAGE_HEADERS = ['origin', 'sec-fetch-site'];
