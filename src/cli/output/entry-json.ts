import type {ListedEntry} from '../../core/domain/entries/entry.ts';
import {formatEntry} from '../../core/protocol/listing.ts';
import {onOneLine} from '../../core/protocol/text/one-line.ts';
import {escapeText} from '../terminal/context.ts';

/** Returns an entry as one line of JSON as the API lists it, with its value if it has one. */
export function entryLine(entry: ListedEntry): string {
  return safeLine(formatEntry(entry));
}

/** Returns JSON as one line that is safe to print. It is not parsed: numbers and names stay as they were written. */
export function safeLine(json: Uint8Array): string {
  return `${escapeText(new TextDecoder().decode(onOneLine(json)))}\n`;
}
