/** Maximum accepted delay, in seconds: one day. */
const SECONDS_MAX = 24 * 60 * 60;

/**
 * Reads the header `Retry-After` (RFC 9110 section 10.2.3), in seconds. A date is compared with the `Date` of the same answer,
 * so only the clock of the server matters.
 *
 * @returns Undefined if the header is missing or invalid.
 */
export function readRetryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^[0-9]{1,15}$/.test(text) ? Number(text) : secondsBetween(headers.get('date'), text);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), SECONDS_MAX);
}

/** An HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`; `Date.parse()` alone accepts "-5" as a date. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,30} GMT$/;

function secondsBetween(from: string | null, to: string): number {
  if (!HTTP_DATE.test(to)) return Number.NaN;
  return Math.ceil((Date.parse(to) - Date.parse(from ?? '')) / 1000);
}
