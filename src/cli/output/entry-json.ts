import type {Entry, EntryInfo} from '../../domain/entry.ts';
import {escapeText, jsonLine} from '../terminal/escape.ts';

/** An entry as one line of JSON, like the API lists it; with its value where it has one. */
export function entryLine(entry: EntryInfo | Entry): string {
  const {key, revision, sizeBytes, updatedAtMs, expiresAtMs} = entry;
  const updatedAt = new Date(updatedAtMs).toISOString();
  const expiry = expiresAtMs === undefined ? {} : {expiresAt: new Date(expiresAtMs).toISOString()};
  const info = {key, revision: String(revision), sizeBytes, updatedAt, ...expiry};
  return 'json' in entry ? lineWithValue(info, entry.json) : jsonLine(info);
}

/** A document as one line of JSON, with a value as its last member. It is not parsed: numbers and names stay as they were written. */
export function lineWithValue(document: object, json: Uint8Array): string {
  return `${jsonLine(document).slice(0, -'}\n'.length)},"value":${escapeText(Buffer.from(onOneLine(json)).toString())}}\n`;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A JSON text with its line breaks as spaces. They stand only between its parts, where both mean nothing. */
export function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map(byte => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
