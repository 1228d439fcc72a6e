/** Control characters (C0, DEL, C1), line and paragraph separators, and those that turn the direction of writing (UAX #9). */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The same without tabs and line breaks, which a text of several lines has. */
const UNSEEN_IN_TEXT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Longest text from outside that is shown, in UTF-16 units; an address or a key with its words is shorter. */
const SHOWN_LENGTH_MAX = 4000;

/**
 * Makes a text safe to show on one line of a terminal, which would obey its control characters. A text that is longer than any
 * that people read is cut.
 */
export function escapeControls(text: string): string {
  const isCut = text.length > SHOWN_LENGTH_MAX;
  return replaceUnseen(isCut ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text, UNSEEN);
}

/** Makes a text of several lines safe to show on a terminal; tabs and line breaks stay, and it is not cut. */
export function escapeText(text: string): string {
  return replaceUnseen(text, UNSEEN_IN_TEXT);
}

/**
 * Writes a document as one line of JSON that is safe to show on a terminal: what a terminal would obey stands only within strings
 * there, and escaped it is the same document to programs.
 */
export function jsonLine(document: unknown): string {
  return `${escapeText(JSON.stringify(document))}\n`;
}

function replaceUnseen(text: string, unseen: RegExp): string {
  return text.replace(unseen, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
