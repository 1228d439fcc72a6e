/**
 * Returns whether browsers trust the origin of a URL as a page has it: with https, or with a host of this machine, which is a loopback address, `localhost`
 * or a name below it (W3C Secure Contexts section 3.1). To other origins they send no Fetch Metadata.
 *
 * @param url In its serialised form (WHATWG URL standard), without user name and password.
 */
export function isTrustworthyUrl(url: string): boolean {
  return /^http(s:|:\/\/(([^/]+\.)?localhost|127\.[\d.]+|\[::1])[:/])/.test(url);
}
