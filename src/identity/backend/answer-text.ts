import {hideSecrets} from './hide-secrets.ts';

/** How much of a text that comes from a back end is shown, in characters: a sentence or two. */
export const SHOWN_LENGTH_MAX = 200;

/**
 * How much of a text that comes from a back end is looked at, in UTF-16 units: pages have their title, and PHP its first
 * warning, in the first few thousand.
 */
const BEGINNING_LENGTH_MAX = 64 * 1024;

/** Longest title that is read, in UTF-16 units: more than is shown of it. */
const TITLE_LENGTH_MAX = 1000;

/** Everything that moves the cursor, turns text around or cannot be seen. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu;

/**
 * Makes a text of a back end fit to be shown and logged: one line, without control characters, without the secrets that
 * were sent, which some error pages repeat, and cut.
 */
export function cleanText(text: string, secrets: readonly string[]): string {
  const line = hideSecrets(text, secrets, BEGINNING_LENGTH_MAX).replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  // A character is two UTF-16 units at most.
  const characters = Array.from(line.slice(0, 2 * SHOWN_LENGTH_MAX + 2));
  return characters.length > SHOWN_LENGTH_MAX ? `${characters.slice(0, SHOWN_LENGTH_MAX).join('')}…` : line;
}

/** Decodes the beginning of an answer, and hides the secrets in it before anything is taken out of it. */
export function decodeBeginning(bytes: Uint8Array, secrets: readonly string[]): string {
  return hideSecrets(new TextDecoder().decode(bytes), secrets, BEGINNING_LENGTH_MAX);
}

/**
 * Returns the title of an HTML page, as it is written there; undefined if its beginning has none. Takes linear time: no
 * expression looks for the end of a mark again and again.
 */
export function titleOf(page: string): string | undefined {
  const beginning = page.slice(0, BEGINNING_LENGTH_MAX);
  const start = beginning.search(/<title[\s>]/i);
  const end = start === -1 ? -1 : beginning.indexOf('>', start);
  if (end === -1) return undefined;
  const title = beginning
    .slice(end + 1, end + 1 + TITLE_LENGTH_MAX)
    .split('<', 1)[0]
    ?.trim();
  return title === '' ? undefined : title;
}

/** Returns the text of an HTML page without its marks. Takes linear time, as {@link titleOf}. */
export function withoutMarks(page: string): string {
  const beginning = page.slice(0, BEGINNING_LENGTH_MAX);
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

/** Returns the first line of a text with something in it; the breaks that PHP puts before its warnings are nothing. */
export function firstLineOf(text: string): string {
  return /^(?:\s|<br \/>)*(\S[^\r\n]*)/.exec(text.slice(0, BEGINNING_LENGTH_MAX))?.[1] ?? '';
}
