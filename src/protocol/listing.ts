import type {Page} from '../domain/entries/entries.ts';
import type {Entry, EntryInfo} from '../domain/entries/entry.ts';
import type {StoreId} from '../domain/entries/store-id.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {encodeText, trustStoredJson} from '../json/json-text.ts';
import {ByteWriter} from './text/byte-writer.ts';
import {formatString} from './text/format-string.ts';
import {createTimeFormat, type TimeFormat} from './text/format-time.ts';
import {EACH, readExactTexts} from './text/json-reader.ts';
import {
  readDocument,
  readSentEntry,
  readTime,
  SENT_ENTRY,
  type SentEntry,
  UnexpectedDocument,
} from './text/read-document.ts';

/** A page of entries as it travels, with the store that their revisions belong to. */
export interface Listing<E extends EntryInfo> {
  readonly storeId: StoreId;
  readonly page: Page<E>;
}

/** Writes a page, with the exact bytes of the values if its entries have values. */
export function formatListing({storeId, page: {entries, next}}: Listing<EntryInfo | Entry>): Uint8Array {
  const writer = new ByteWriter().text(`{"storeId":"${storeId}","entries":[`);
  const formatTime = createTimeFormat();
  let separator = '';
  for (const entry of entries) {
    writeEntry(writer, separator, entry, formatTime);
    separator = ',';
  }
  return writer.text(next === undefined ? ']}' : `],"next":${formatString(next)}}`).end();
}

/** Writes one entry as a listing shows it. */
export function formatEntry(entry: EntryInfo | Entry): Uint8Array {
  const writer = new ByteWriter();
  writeEntry(writer, '', entry, createTimeFormat());
  return writer.end();
}

function writeEntry(writer: ByteWriter, before: string, entry: EntryInfo | Entry, formatTime: TimeFormat): void {
  const {key, revision, sizeBytes, updatedAtMs, expiresAtMs, writtenBy} = entry;
  const updatedAt = formatTime(updatedAtMs);
  const expiry = expiresAtMs === undefined ? '' : `,"expiresAt":"${formatTime(expiresAtMs)}"`;
  const by = writtenBy === undefined ? '' : `,"writtenBy":${JSON.stringify(writtenBy)}`;
  writer.text(
    `${before}{"key":${formatString(key)},"revision":"${revision}","sizeBytes":${sizeBytes},"updatedAt":"${updatedAt}"${expiry}${by}${'json' in entry ? ',"value":' : '}'}`,
  );
  if ('json' in entry) writer.bytes(entry.json).text('}');
}

/** Reads a page without values. @throws {UnexpectedDocument} */
export function readListing(json: string): Listing<EntryInfo> {
  const {storeId, entries: listed, next} = readDocument<ListedPage>(json, LISTED_PAGE);
  const entries = listed.map(
    (sent): EntryInfo => ({
      ...readSentEntry(sent),
      sizeBytes: sent.sizeBytes,
      updatedAtMs: readTime(sent.updatedAt),
    }),
  );
  return {storeId, page: next === undefined ? {entries} : {entries, next}};
}

/** Reads a page with values. @throws {UnexpectedDocument} */
export function readValueListing(json: string): Listing<Entry> {
  const {storeId, page} = readListing(json);
  const values = readExactTexts(json, ['entries', EACH, 'value']);
  const entries = page.entries.map((info, index): Entry => {
    const value = values[index];
    if (value === undefined) throw new UnexpectedDocument();
    return {...info, json: trustStoredJson(encodeText(value))};
  });
  return {storeId, page: {...page, entries}};
}

interface ListedPage {
  readonly storeId: StoreId;
  readonly entries: readonly (SentEntry & {readonly sizeBytes: number; readonly updatedAt: string})[];
  readonly next?: string;
}

const LISTED_PAGE: ShapeOf<ListedPage> = {
  storeId: 'string',
  entries: [{...SENT_ENTRY, sizeBytes: 'number', updatedAt: 'string'}],
  'next?': 'string',
};

/** Reads how many entries were deleted under a prefix. @throws {UnexpectedDocument} */
export function readDeleted(json: string): number {
  return readDocument<{readonly deleted: number}>(json, {deleted: 'number'}).deleted;
}
