/** Longest wait that is believed, in seconds: a day. */
const SECONDS_MAX = 24 * 60 * 60;

/**
 * Reads how long a server wants to be left alone, in seconds (`Retry-After`, RFC 9110 section 10.2.3). A date counts from the
 * `Date` of the same answer, so that no clock but the server's own matters.
 *
 * @returns Undefined if the server does not say it.
 */
export function readRetryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^[0-9]{1,15}$/.test(text) ? Number(text) : secondsBetween(headers.get('date'), text);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), SECONDS_MAX);
}

/** A date as HTTP writes it, such as `Sun, 06 Nov 1994 08:49:37 GMT`: `Date.parse()` alone takes "-5" for one. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,30} GMT$/;

function secondsBetween(from: string | null, to: string): number {
  if (!HTTP_DATE.test(to)) return Number.NaN;
  return Math.ceil((Date.parse(to) - Date.parse(from ?? '')) / 1000);
}
