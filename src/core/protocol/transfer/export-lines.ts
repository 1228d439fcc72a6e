import type {Entry} from '../../domain/entries/entry.ts';
import {type Key, type Prefix, parseKey, parsePrefix, type Revision} from '../../domain/entries/identifiers.ts';
import {assertValueSize, type ValueLimits} from '../../domain/entries/value.ts';
import {KEY_BYTES_MAX} from '../../domain/fixed-limits.ts';
import {AppError, isFailure} from '../../failures/app-error.ts';
import {type DocumentProblem, describeProblem} from '../../failures/members/problems.ts';
import {DOCUMENT_MEMBERS_MAX, DocumentObject, type DocumentPlace, describeBreadth} from '../../json/document-object.ts';
import {JsonIndex} from '../../json/json-index.ts';
import {TooBroad} from '../../json/json-limits.ts';
import {decodeJsonText, encodeText, type JsonText, parseJsonText} from '../../json/json-text.ts';
import {ByteWriter} from '../text/byte-writer.ts';
import {createTimeFormat, formatTime, type TimeFormat} from '../text/format-time.ts';
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
interface WrongLine {
  readonly kind: 'wrong';
  readonly problem: string;
}

/** Name of the format. */
export const EXPORT_FORMAT = 'crewroom-export';

/** Version of the format that is written, and the only one that is read. */
const EXPORT_VERSION = 1;

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
  writer.text(`{"key":${JSON.stringify(key)},"revision":"${revision}","updatedAt":"${updatedAt}",${expiry}${by}`);
  if (hasLineBreaks(json)) writer.text(`"text":${JSON.stringify(decodeJsonText(json))}`);
  else writer.text('"value":').bytes(json);
  writer.text('}\n');
}

/** Maximum number of members of a line. */
const BREADTH_MAX = [DOCUMENT_MEMBERS_MAX];

/** Longest string that is decoded, besides `text`, in UTF-16 units: keys are the longest of a line. */
const STRING_LENGTH_MAX = KEY_BYTES_MAX;

/** Creates a function that parses one line after another. Lines are passed without their line feed. */
export function createExportLineParser(limits: ValueLimits): (bytes: Uint8Array) => ExportLine {
  let ends = new Int32Array();
  return bytes => {
    if (ends.length < bytes.length) ends = new Int32Array(bytes.length * 2);
    try {
      return readLine(bytes, limits, ends);
    } catch (error) {
      if (error instanceof TooBroad) return wrong(describeProblem(describeBreadth(error)));
      if (!(error instanceof AppError)) throw error;
      return wrong(describeWrong(error, limits));
    }
  };
}

function readLine(bytes: Uint8Array, limits: ValueLimits, ends: Int32Array<ArrayBuffer>): ExportLine {
  const index = new JsonIndex(
    bytes,
    {depthMax: limits.valueDepthMax + LEVELS_AROUND_VALUE, breadthMax: BREADTH_MAX},
    ends,
  );
  const problems: DocumentProblem[] = [];
  const line = new DocumentObject({index, span: index.root, path: '$', report: problem => problems.push(problem)});
  // If a problem is reported, the result is not used.
  const read = readMembers(line, limits);
  // Later versions may add to header and trailer; an unknown member of an entry could be a part of its state.
  if (read.kind === 'entry') line.end();
  const [first] = problems;
  return first === undefined ? read : wrong(describeProblem(first));
}

/** Levels of a line around a value: the line itself. */
const LEVELS_AROUND_VALUE = 1;

function readMembers(line: DocumentObject, limits: ValueLimits): ExportLine {
  if (line.has('format')) return readHeader(line);
  if (line.has('end')) return readTrailer(line);
  return readEntry(line, limits);
}

function readHeader(line: DocumentObject): ExportLine {
  if (line.string('format', STRING_LENGTH_MAX) !== EXPORT_FORMAT)
    return wrong('it is not the header of an export of Crewroom');
  const version = readText(line.value('version'));
  if (version !== String(EXPORT_VERSION))
    return wrong(
      /^[1-9]\d*$/.test(version)
        ? `$.version is ${version}: a newer Crewroom wrote it, and this service reads version ${EXPORT_VERSION} only`
        : `$.version has to be ${EXPORT_VERSION}`,
    );
  if (line.has('revision')) line.string('revision', STRING_LENGTH_MAX);
  const prefix = line.has('prefix') ? (line.string('prefix', STRING_LENGTH_MAX) ?? '') : '';
  return {kind: 'header', prefix: parsePrefix(prefix)};
}

function readTrailer(line: DocumentObject): ExportLine {
  if (readText(line.value('end')) !== 'true') return wrong('$.end has to be true');
  const count = readText(line.value('entries'));
  return /^(?:0|[1-9][0-9]{0,14})$/.test(count)
    ? {kind: 'trailer', entries: Number(count)}
    : wrong('$.entries has to be the number of entries');
}

function readEntry(line: DocumentObject, limits: ValueLimits): ExportLine {
  const key = line.string('key', STRING_LENGTH_MAX);
  for (const name of ['revision', 'updatedAt', 'writtenBy']) if (line.has(name)) line.string(name, STRING_LENGTH_MAX);
  const expiry = line.has('expiresAt') ? parseTime(line.string('expiresAt', STRING_LENGTH_MAX) ?? '') : undefined;
  if (Number.isNaN(expiry)) return wrong(`$.expiresAt has to be a time such as "${formatTime(0)}"`);
  const json = line.has('text') ? readValueText(line, limits) : readValue(line.value('value'));
  if (key === undefined || json === undefined) return wrong('');
  assertValueSize(json, limits.valueBytesMax);
  return {kind: 'entry', key: parseKey(key), json, ...(expiry === undefined ? {} : {expiresAtMs: expiry})};
}

function readValue(place: DocumentPlace | undefined): JsonText | undefined {
  return place?.index.json(place.span);
}

/** Reads a value that is encoded as a string. */
function readValueText(line: DocumentObject, {valueBytesMax, valueDepthMax}: ValueLimits): JsonText | undefined {
  const text = line.string('text', valueBytesMax);
  if (text === undefined) return undefined;
  // A text has at least as many bytes as UTF-16 units, so a huge one is refused before it is encoded.
  assertValueSize(text, valueBytesMax);
  try {
    return parseJsonText(encodeText(text), {depthMax: valueDepthMax});
  } catch (error) {
    if (!isFailure(error, 'invalid-json')) throw error;
    throw new AppError({...error.failure, problem: `in $.text ${error.failure.problem}`}, {cause: error});
  }
}

/** Returns the JSON of a number or a literal; an empty text for everything else. */
function readText(place: DocumentPlace | undefined): string {
  if (place === undefined || place.span.end - place.span.start > SHORT_LENGTH_MAX) return '';
  return decodeJsonText(place.index.json(place.span));
}

/** Largest number or literal of a line, in bytes. */
const SHORT_LENGTH_MAX = 20;

/** A time of RFC 3339, section 5.6. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** @returns Milliseconds since the Unix epoch, or NaN. */
function parseTime(text: string): number {
  return TIME.test(text) ? Date.parse(text) : Number.NaN;
}

function wrong(problem: string): WrongLine {
  return {kind: 'wrong', problem};
}

function describeWrong({failure, message}: AppError, {valueDepthMax}: ValueLimits): string {
  switch (failure?.code) {
    case 'invalid-json':
      return `${failure.problem} at its byte ${failure.position}`;
    case 'too-large':
      return `its value is larger than ${failure.max} bytes`;
    case 'value-too-deep':
      return `its value nests deeper than ${valueDepthMax} levels`;
    case 'invalid-key':
      return `$.key cannot be used: ${failure.problem}`;
    case 'invalid-parameter':
      return `$.prefix cannot be used: ${failure.problem}`;
    default:
      return message;
  }
}
