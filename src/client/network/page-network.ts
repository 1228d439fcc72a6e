/*
 * The network as a page knows it. Bundles for browsers use this module in place of `network.ts` (`browser` in package.json).
 */

/** Returns whether no other machine can read what is sent to an address. A page cannot look up its host, and judges the name. */
export {isTrustworthyUrl as isProtected} from '../../core/domain/trustworthy-url.ts';

/** Returns whether there was no connection at all. Browsers do not report this. */
const neverKnown = (): void => {};

/** Returns the reason why a request to an address had no answer. */
export function describeInPage(error: unknown, url: string): string {
  const {message} = error as Error;
  // If the service refuses the origin of a page, browsers report only that there is no answer: the flag that may be missing comes first.
  return PAGE_ORIGIN === 'null' || isSameOrigin(url)
    ? message
    : `it needs --allow-origin ${PAGE_ORIGIN}, or is away: ${message}`;
}

/** Returns whether a request to an address needs no preflight, whatever its headers: it is one to the origin of the page, or no page sends it. */
export function isSameOrigin(url: string): boolean {
  return !PAGE_ORIGIN || `${url}/`.startsWith(`${PAGE_ORIGIN}/`);
}

/** Origin of the web page that the client runs in; undefined outside web pages. */
export const PAGE_ORIGIN = (globalThis as {readonly origin?: string}).origin;

export {describeInPage as describeCause, neverKnown as wasRefused};
