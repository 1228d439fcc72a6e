import {hideSecrets} from '../../../core/domain/redaction.ts';
import {SEARCHED_LENGTH_MAX} from '../clean-text.ts';

/** Longest title that is read, in UTF-16 units: more than is shown. */
const TITLE_LENGTH_MAX = 1000;

/** Decodes the beginning of an answer and hides the secrets in it, before anything is extracted. */
export function decodeWithoutSecrets(bytes: Uint8Array, secrets: readonly string[]): string {
  return hideSecrets(new TextDecoder().decode(bytes), secrets, SEARCHED_LENGTH_MAX);
}

/**
 * Returns the title of an HTML page, undecoded; undefined if the beginning of the page has no title. Linear time: a regular
 * expression would search for the end of each tag again and again.
 */
export function titleOf(page: string): string | undefined {
  const beginning = page.slice(0, SEARCHED_LENGTH_MAX);
  const start = beginning.search(/<title[\s>]/i);
  const end = start === -1 ? -1 : beginning.indexOf('>', start);
  if (end === -1) return undefined;
  const title = beginning
    .slice(end + 1, end + 1 + TITLE_LENGTH_MAX)
    .split('<', 1)[0]
    ?.trim();
  return title === '' ? undefined : title;
}

/** Returns the text of an HTML page without its tags, in linear time. */
export function withoutTags(page: string): string {
  const beginning = page.slice(0, SEARCHED_LENGTH_MAX);
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = beginning.indexOf('<', from);
    const end = start === -1 ? -1 : beginning.indexOf('>', start);
    if (end === -1) return [...parts, beginning.slice(from)].join(' ');
    parts.push(beginning.slice(from, start));
    from = end + 1;
  }
}

/** Returns the first line of a text that is not blank; the `<br />` that PHP prints before a warning is skipped. */
export function firstLineOf(text: string): string {
  return /^(?:\s|<br \/>)*(\S[^\r\n]*)/.exec(text.slice(0, SEARCHED_LENGTH_MAX))?.[1] ?? '';
}

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
