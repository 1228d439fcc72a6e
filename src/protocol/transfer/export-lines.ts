import type {Entry} from '../../domain/entries/entry.ts';
import type {Key, Prefix} from '../../domain/entries/key.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {decodeJsonText, type JsonText} from '../../json/json-text.ts';
import {ByteWriter} from '../text/byte-writer.ts';
import {formatString} from '../text/format-string.ts';
import {createTimeFormat, type TimeFormat} from '../text/format-time.ts';
import {hasLineBreaks} from '../text/one-line.ts';

/**
 * One line of an export; each line is a JSON object (NDJSON). The first line is a header,
 * `{"format":"crewroom-export","version":1,"revision":"57","prefix":""}`; then comes one line for each entry,
 * `{"key":"a","revision":"12","updatedAt":"2026-01-01T00:00:00.000Z","value":1.0}`, in the order of the keys, with
 * `expiresAt` if it expires, and `writtenBy` if its writer is known; the last line is a trailer, `{"end":true,"entries":1}`, which a truncated export lacks.
 *
 * A value is copied byte for byte. If it has line breaks between its tokens, it is encoded as a string instead:
 * `"text":"[\n1\n]"`.
 */
export type ExportLine = HeaderLine | EntryLine | TrailerLine | WrongLine;

/** First line of an export. */
export interface HeaderLine {
  readonly kind: 'header';
  readonly prefix: Prefix;
}

/** One entry. Its revision, and time and caller of its last write are for people: an import ignores them. */
export interface EntryLine {
  readonly kind: 'entry';
  readonly key: Key;
  readonly json: JsonText;
  /** In milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
}

/** Last line, with the number of entries before it. */
export interface TrailerLine {
  readonly kind: 'trailer';
  readonly entries: number;
}

/** A line that cannot be read. */
export interface WrongLine {
  readonly kind: 'wrong';
  readonly problem: string;
}

/** Name of the format. */
export const EXPORT_FORMAT = 'crewroom-export';

/** Version of the format that is written, and the only one that is read. */
export const EXPORT_VERSION = 1;

/** Writes the first line of an export. */
export function formatHeaderLine({revision, prefix}: {readonly revision: Revision; readonly prefix: Prefix}): string {
  return `${JSON.stringify({format: EXPORT_FORMAT, version: EXPORT_VERSION, revision: String(revision), prefix})}\n`;
}

/** Writes the last line of an export. */
export function formatTrailerLine(entries: number): string {
  return `${JSON.stringify({end: true, entries})}\n`;
}

/** Writes the lines of entries, after the lines before them. */
export function formatEntryLines(entries: readonly Entry[], linesBefore = ''): Uint8Array {
  const writer = new ByteWriter().text(linesBefore);
  const formatTime = createTimeFormat();
  for (const entry of entries) writeEntryLine(writer, entry, formatTime);
  return writer.end();
}

function writeEntryLine(writer: ByteWriter, entry: Entry, formatTime: TimeFormat): void {
  const {key, revision, updatedAtMs, expiresAtMs, writtenBy, json} = entry;
  const updatedAt = formatTime(updatedAtMs);
  const expiry = expiresAtMs === undefined ? '' : `"expiresAt":"${formatTime(expiresAtMs)}",`;
  const by = writtenBy === undefined ? '' : `"writtenBy":${JSON.stringify(writtenBy)},`;
  writer.text(`{"key":${formatString(key)},"revision":"${revision}","updatedAt":"${updatedAt}",${expiry}${by}`);
  if (hasLineBreaks(json)) writer.text(`"text":${JSON.stringify(decodeJsonText(json))}`);
  else writer.text('"value":').bytes(json);
  writer.text('}\n');
}
