import type {Page} from '../domain/entries/entries.ts';
import type {Entry, EntryInfo, ListedEntry} from '../domain/entries/entry.ts';
import {type EntityTag, formatEntityTag, type StoreId} from '../domain/entries/identifiers.ts';
import {encodeText, trustStoredJson} from '../json/json-text.ts';
import {ByteWriter} from './text/byte-writer.ts';
import {createTimeFormat, type TimeFormat} from './text/format-time.ts';
import {EACH, readExactTexts} from './text/json-reader.ts';
import {parseDocument, readSentEntry, readTime, type SentEntry} from './text/read-document.ts';

/** A page of entries as it travels, with the store that their revisions belong to. */
export interface Listing<E extends EntryInfo> {
  readonly storeId: StoreId;
  readonly page: Page<E>;
}

/** Writes a page, with the exact bytes of the values if its entries have values. */
export function formatListing({storeId, page: {entries, cursor}}: Listing<EntryInfo | Entry>): Uint8Array {
  const writer = new ByteWriter().text(`{"storeId":"${storeId}","entries":[`);
  const formatTime = createTimeFormat();
  let separator = '';
  for (const entry of entries) {
    writer.text(separator);
    writeEntry(writer, entry, formatEntityTag({storeId, revision: entry.revision}), formatTime);
    separator = ',';
  }
  return writer.text(cursor === undefined ? ']}' : `],"cursor":${JSON.stringify(cursor)}}`).end();
}

/** Writes one entry as a listing shows it. */
export function formatEntry(entry: ListedEntry | (ListedEntry & Entry)): Uint8Array {
  const writer = new ByteWriter();
  writeEntry(writer, entry, entry.etag, createTimeFormat());
  return writer.end();
}

function writeEntry(writer: ByteWriter, entry: EntryInfo | Entry, etag: EntityTag, formatTime: TimeFormat): void {
  const {key, revision, sizeBytes, updatedAtMs, expiresAtMs, writtenBy} = entry;
  const updatedAt = formatTime(updatedAtMs);
  const expiry = expiresAtMs === undefined ? '' : `,"expiresAt":"${formatTime(expiresAtMs)}"`;
  const by = writtenBy === undefined ? '' : `,"writtenBy":${JSON.stringify(writtenBy)}`;
  writer.text(
    `{"key":${JSON.stringify(key)},"revision":"${revision}","etag":${JSON.stringify(etag)},"sizeBytes":${sizeBytes},"updatedAt":"${updatedAt}"${expiry}${by}${'json' in entry ? ',"value":' : '}'}`,
  );
  if ('json' in entry) writer.bytes(entry.json).text('}');
}

/** Reads a page without values. */
export function readListing(json: string): Listing<ListedEntry> {
  const {storeId, entries: listed, cursor} = parseDocument<ListedPage>(json);
  const entries = listed.map(
    (sent): ListedEntry => ({
      ...readSentEntry(sent),
      sizeBytes: sent.sizeBytes,
      updatedAtMs: readTime(sent.updatedAt),
    }),
  );
  return {storeId, page: cursor === undefined ? {entries} : {entries, cursor}};
}

/** Reads a page with values. */
export function readValueListing(json: string): Listing<Entry & ListedEntry> {
  const {storeId, page} = readListing(json);
  const values = readExactTexts(json, ['entries', EACH, 'value']);
  const entries = page.entries.map((info, index) => ({
    ...info,
    json: trustStoredJson(encodeText(values[index] ?? '')),
  }));
  return {storeId, page: {...page, entries}};
}

/** Answer of `GET /api/keys`, without the values. */
export interface ListedPage {
  readonly storeId: StoreId;
  readonly entries: readonly (SentEntry & {
    readonly sizeBytes: number;
    readonly updatedAt: string;
  })[];
  /** Absent on the last page. */
  readonly cursor?: string;
}
