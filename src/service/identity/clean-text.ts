import {hideSecrets} from '../../core/domain/redaction.ts';

/** Maximum length of a text of a back end that is shown, in characters: a sentence or two. */
export const CLEAN_LENGTH_MAX = 200;

/**
 * Maximum length of a text of a back end that is searched, in UTF-16 units: the title of a page and the first warning of
 * PHP are in the first few thousand characters.
 */
export const SEARCHED_LENGTH_MAX = 64 * 1024;

/** Characters that move the cursor, change the direction of the text, or are invisible. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu;

/**
 * Makes a text from outside safe to show and to log: one line, without control characters, without the secrets that were
 * sent (some error pages repeat them), and truncated.
 */
export function cleanText(text: string, secrets: readonly string[]): string {
  const line = hideSecrets(text, secrets, SEARCHED_LENGTH_MAX).replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  // A character is at most two UTF-16 units.
  const characters = Array.from(line.slice(0, 2 * CLEAN_LENGTH_MAX + 2));
  return characters.length > CLEAN_LENGTH_MAX ? `${characters.slice(0, CLEAN_LENGTH_MAX).join('')}…` : line;
}
