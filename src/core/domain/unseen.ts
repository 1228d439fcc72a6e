/**
 * Characters that are not seen but change what is seen: control characters (C0, DEL, C1), line and paragraph separators, and
 * characters that change the direction of writing (UAX #9). A part of a class of a regular expression.
 */
export const UNSEEN = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/** Writes a character as in JSON and JavaScript, such as `\u001b`. */
export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
