import {describeProblem} from '../domain/client-failure-texts.ts';
import {DOCUMENT_MEMBERS_MAX, DocumentObject, type DocumentPlace, describeBreadth} from '../domain/document-object.ts';
import type {Entry, Revision} from '../domain/entry.ts';
import {AppError, type DocumentProblem} from '../domain/failure.ts';
import {JsonIndex} from '../domain/json-index.ts';
import {decodeJsonText, encodeText, type JsonText, parseInSteps, TooBroad} from '../domain/json-text.ts';
import {type Key, type Prefix, parseKey, parsePrefix} from '../domain/key.ts';
import type {Steps} from '../domain/steps.ts';
import {assertValueSize, type ValueLimits} from '../domain/value.ts';

/**
 * The lines of an export, each a JSON object (NDJSON). First a header,
 * `{"format":"crewroom-export","version":1,"revision":"57","prefix":""}`; then one line for each entry,
 * `{"key":"a","revision":"12","updatedAt":"2026-01-01T00:00:00.000Z","value":1.0}`, in the order of their keys, with
 * `expiresAt` where it expires; last a trailer, `{"end":true,"entries":1}`, without which it was cut off.
 *
 * A value stands there as it is, byte for byte. Where line breaks stand between its parts, it is a text instead:
 * `"text":"[\n1\n]"`.
 */
export type ExportLine = HeaderLine | EntryLine | TrailerLine | WrongLine;

/** What follows is an export. */
export interface HeaderLine {
  readonly kind: 'header';
  readonly prefix: Prefix;
}

/** One entry. Its revision and the time of its last write are for people: they are not brought back. */
export interface EntryLine {
  readonly kind: 'entry';
  readonly key: Key;
  readonly json: JsonText;
  /** In milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
}

/** The end, and how many entries stand before it. */
export interface TrailerLine {
  readonly kind: 'trailer';
  readonly entries: number;
}

/** What cannot be read. */
export interface WrongLine {
  readonly kind: 'wrong';
  readonly problem: string;
}

const FORMAT = 'crewroom-export';

/** The version of the format that is written, and the only one that is read. */
const FORMAT_VERSION = 1;

/** Most members of a line. */
const BREADTH_MAX = [DOCUMENT_MEMBERS_MAX];

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Writes the first line of an export. */
export function formatHeaderLine({revision, prefix}: {readonly revision: Revision; readonly prefix: Prefix}): string {
  return `${JSON.stringify({format: FORMAT, version: FORMAT_VERSION, revision: String(revision), prefix})}\n`;
}

/** Writes the last line of an export. */
export function formatTrailerLine(entries: number): string {
  return `${JSON.stringify({end: true, entries})}\n`;
}

/** Writes the lines of entries, behind the lines before them. */
export function formatEntryLines(entries: readonly Entry[], linesBefore = ''): Uint8Array {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let before = linesBefore;
  for (const {key, revision, updatedAtMs, expiresAtMs, json} of entries) {
    const expiry = expiresAtMs === undefined ? '' : `"expiresAt":"${formatTime(expiresAtMs)}",`;
    const start = `${before}{"key":${JSON.stringify(key)},"revision":"${revision}","updatedAt":"${formatTime(updatedAtMs)}",${expiry}`;
    if (json.includes(LINE_FEED) || json.includes(CARRIAGE_RETURN)) {
      before = `${start}"text":${JSON.stringify(decodeJsonText(json))}}\n`;
    } else {
      parts.push(encoder.encode(`${start}"value":`), json);
      before = '}\n';
    }
  }
  parts.push(encoder.encode(before));
  return concatBytes(parts);
}

/** Makes what reads lines, each without its line feed, in steps; one line after the other. */
export function createExportLineParser(limits: ValueLimits): (bytes: Uint8Array) => Steps<ExportLine> {
  let ends = new Int32Array();
  return function* (bytes) {
    if (ends.length < bytes.length) ends = new Int32Array(bytes.length * 2);
    try {
      return yield* readLine(bytes, limits, ends);
    } catch (error) {
      if (error instanceof TooBroad) return wrong(describeProblem(describeBreadth(error)));
      if (!(error instanceof AppError)) throw error;
      return wrong(describeWrong(error, limits));
    }
  };
}

/** Whether there is only white space on a line. */
export function isBlank(line: Uint8Array): boolean {
  // Without a call for each byte: a line may be three times as long as a value.
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  return true;
}

/** Cuts bytes that come in chunks into lines. Holds at most one line and the chunk that it was given last. */
export class LineSplitter {
  readonly #lineBytesMax: number;
  /** What came of a line so far. */
  #parts: Uint8Array[] = [];
  #partsBytes = 0;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** The lines that end in a chunk; the first that is too long is undefined, and ends them. */
  *push(given: Uint8Array): Iterable<Uint8Array | undefined> {
    // Parts of a subclass, such as those of Node's buffers, take several times as long to make.
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length);
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (this.#partsBytes + part.length > this.#lineBytesMax) {
        yield undefined;
        return;
      }
      if (end === -1) {
        this.#keep(part);
        return;
      }
      yield this.#partsBytes === 0 ? part : this.#join(part);
      start = end + 1;
    }
  }

  /** The last line, where no line feed follows it; undefined when there is none. */
  end(): Uint8Array | undefined {
    return this.#partsBytes === 0 ? undefined : this.#join(new Uint8Array());
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#partsBytes += part.length;
  }

  #join(part: Uint8Array): Uint8Array {
    const line = concatBytes([...this.#parts, part]);
    this.#parts = [];
    this.#partsBytes = 0;
    return line;
  }
}

function* readLine(bytes: Uint8Array, limits: ValueLimits, ends: Int32Array<ArrayBuffer>): Steps<ExportLine> {
  const index = yield* JsonIndex.inSteps(
    bytes,
    {depthMax: limits.valueDepthMax + LEVELS_AROUND_VALUE, breadthMax: BREADTH_MAX},
    ends,
  );
  const problems: DocumentProblem[] = [];
  const line = new DocumentObject({index, span: index.root, path: '$', report: problem => problems.push(problem)});
  // Where something is reported, what is read is worth nothing.
  const read = yield* readMembers(line, limits);
  if (read.kind !== 'wrong') line.end();
  const [first] = problems;
  return first === undefined ? read : wrong(describeProblem(first));
}

/** Levels of a line around a value: the line itself. */
const LEVELS_AROUND_VALUE = 1;

function* readMembers(line: DocumentObject, limits: ValueLimits): Steps<ExportLine> {
  if (line.has('format')) return readHeader(line);
  if (line.has('end')) return readTrailer(line);
  return yield* readEntry(line, limits);
}

function readHeader(line: DocumentObject): ExportLine {
  if (line.string('format') !== FORMAT) return wrong('it is not the header of an export of Crewroom');
  // Of another version nobody knows what the other members are.
  if (readText(line.value('version')) !== String(FORMAT_VERSION))
    return wrong(`$.version has to be ${FORMAT_VERSION}, the version of the format that this service reads`);
  if (line.has('revision')) line.string('revision');
  const prefix = line.has('prefix') ? (line.string('prefix') ?? '') : '';
  return {kind: 'header', prefix: parsePrefix(prefix)};
}

function readTrailer(line: DocumentObject): ExportLine {
  if (readText(line.value('end')) !== 'true') return wrong('$.end has to be true');
  const count = readText(line.value('entries'));
  return /^(?:0|[1-9][0-9]{0,14})$/.test(count)
    ? {kind: 'trailer', entries: Number(count)}
    : wrong('$.entries has to be the number of entries');
}

function* readEntry(line: DocumentObject, limits: ValueLimits): Steps<ExportLine> {
  const key = line.string('key');
  for (const name of ['revision', 'updatedAt']) if (line.has(name)) line.string(name);
  const expiry = line.has('expiresAt') ? parseTime(line.string('expiresAt') ?? '') : undefined;
  if (Number.isNaN(expiry)) return wrong(`$.expiresAt has to be a time such as "${formatTime(0)}"`);
  const json = line.has('text') ? yield* readValueText(line, limits) : readValue(line.value('value'));
  if (key === undefined || json === undefined) return wrong('');
  assertValueSize(json, limits.valueBytesMax);
  return {kind: 'entry', key: parseKey(key), json, ...(expiry === undefined ? {} : {expiresAtMs: expiry})};
}

function readValue(place: DocumentPlace | undefined): JsonText | undefined {
  return place?.index.json(place.span);
}

/** A value that stands there as a text: the text is JSON in turn. */
function* readValueText(line: DocumentObject, {valueDepthMax}: ValueLimits): Steps<JsonText | undefined> {
  const text = line.string('text');
  if (text === undefined) return undefined;
  try {
    yield text.length;
    const bytes = encodeText(text);
    return yield* parseInSteps(bytes, {depthMax: valueDepthMax});
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'invalid-json') throw error;
    throw new AppError({...error.failure, problem: `in $.text ${error.failure.problem}`}, {cause: error});
  }
}

/** The JSON of a value that is a number or a literal; empty for everything else. */
function readText(place: DocumentPlace | undefined): string {
  if (place === undefined || place.span.end - place.span.start > SHORT_LENGTH_MAX) return '';
  return decodeJsonText(place.index.json(place.span));
}

/** More than any number or literal that is meant here has, in bytes. */
const SHORT_LENGTH_MAX = 20;

/** A time of RFC 3339, section 5.6. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** @returns Milliseconds since the Unix epoch, or NaN. */
function parseTime(text: string): number {
  return TIME.test(text) ? Date.parse(text) : Number.NaN;
}

function formatTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function wrong(problem: string): WrongLine {
  return {kind: 'wrong', problem};
}

function describeWrong({failure, message}: AppError, {valueDepthMax}: ValueLimits): string {
  switch (failure.code) {
    case 'invalid-json':
      return `${failure.problem} at its byte ${failure.position}`;
    case 'value-too-large':
      return `its value is larger than ${failure.sizeBytesMax} bytes`;
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

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, {length}) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
