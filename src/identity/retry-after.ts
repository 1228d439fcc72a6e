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
  const seconds = /^[0-9]{1,9}$/.test(text) ? Number(text) : secondsBetween(headers.get('date'), text);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), SECONDS_MAX);
}

function secondsBetween(from: string | null, to: string): number {
  return Math.ceil((Date.parse(to) - Date.parse(from ?? '')) / 1000);
}
