import type {Entry, EntryInfo} from '../domain/entry.ts';

/** An entry as one line of JSON, like the API lists it; with its value where it has one. */
export function entryLine(entry: EntryInfo | Entry): Uint8Array {
  const {key, revision, sizeBytes, updatedAtMs, expiresAtMs} = entry;
  const updatedAt = new Date(updatedAtMs).toISOString();
  const expiry = expiresAtMs === undefined ? {} : {expiresAt: new Date(expiresAtMs).toISOString()};
  const info = {key, revision: String(revision), sizeBytes, updatedAt, ...expiry};
  const text = JSON.stringify(info);
  if (!('json' in entry)) return Buffer.from(`${text}\n`);
  // Not parsed: numbers and names stay as they were written.
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)},"value":`), onOneLine(entry.json), Buffer.from('}\n')]);
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A JSON text with its line breaks as spaces. They stand only between its parts, where both mean nothing. */
export function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map(byte => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
