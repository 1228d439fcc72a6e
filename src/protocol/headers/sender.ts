import {headerValues} from './raw-headers.ts';

/** The plugin that sent a request, as its headers name it. Only for logs: any program can send any header. */
export interface Sender {
  /** By the header that the process of a background adds. */
  readonly background: string | undefined;
  /** By the address of the page, in the `Referer`. */
  readonly page: string | undefined;
  /** True if a browser sent it for a page: it marks such requests with headers that a page can neither set nor leave out. */
  readonly isPage: boolean;
}

/** Reads the sender of a request. */
export function senderOf(rawHeaders: readonly string[]): Sender {
  const [background] = headerValues(rawHeaders, PLUGIN_HEADER);
  const [referer = ''] = headerValues(rawHeaders, 'referer');
  const page = /^https?:\/\/[^/]{1,300}\/plugins\/([A-Za-z0-9._-]{1,253})\//.exec(referer)?.[1];
  return {background, page, isPage: PAGE_HEADERS.some(name => headerValues(rawHeaders, name).length > 0)};
}

/** Header that names the plugin whose background sent a request. */
const PLUGIN_HEADER = 'x-crewroom-plugin';

/** Headers that browsers add, and programs such as Node do not. */
const PAGE_HEADERS = ['origin', 'sec-fetch-site'];
