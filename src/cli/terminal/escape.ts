import {escapeCharacter, UNSEEN} from '../../domain/unseen.ts';

const UNSEEN_ON_LINE = new RegExp(`[${UNSEEN}]`, 'g');

/** The same without tab and line feed, for texts of several lines. */
const UNSEEN_IN_TEXT = new RegExp(`(?![\\t\\n])[${UNSEEN}]`, 'g');

/** Longest text from outside that is shown, in UTF-16 units; messages with an address or a key are shorter. */
const SHOWN_LENGTH_MAX = 4000;

/** Makes a text safe to show on one line of a terminal, which would obey control characters. Truncates a very long text. */
export function escapeControls(text: string): string {
  const isCut = text.length > SHOWN_LENGTH_MAX;
  return replaceUnseen(isCut ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text, UNSEEN_ON_LINE);
}

/** Makes a text of several lines safe to show on a terminal, like {@link escapeControls}, with all lines but the first indented: none looks like another entry. */
export function escapeLines(text: string, indent: string): string {
  const isCut = text.length > SHOWN_LENGTH_MAX;
  const lines = (isCut ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text).split('\n');
  return lines.map(line => replaceUnseen(line, UNSEEN_ON_LINE)).join(`\n${indent}`);
}

/** Makes a text of several lines safe to show on a terminal. Tabs and line breaks stay. */
export function escapeText(text: string): string {
  return replaceUnseen(text, UNSEEN_IN_TEXT);
}

/** Makes the parts of a text of several lines safe to show on a terminal, like {@link escapeText}. Characters may be split between them. */
export async function* escapeParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(escapeText(decoder.decode(part, {stream: true})));
}

/**
 * Formats a document as one line of JSON that is safe to show on a terminal. Control characters occur only in its strings, where
 * escaping does not change the document.
 */
export function jsonLine(document: unknown): string {
  return `${escapeText(JSON.stringify(document))}\n`;
}

function replaceUnseen(text: string, unseen: RegExp): string {
  return text.replace(unseen, escapeCharacter);
}
