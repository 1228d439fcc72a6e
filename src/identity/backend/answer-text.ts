import {hideSecrets} from '../../domain/redaction.ts';
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
