import {describeFailure} from '../domain/app-error.ts';
import type {Failure} from '../domain/failure.ts';
import {adviseOn} from '../domain/failure-advice.ts';
import type {RecordedFailure} from '../domain/recorded-request.ts';
import {maskValues} from './mask-values.ts';
import {SHOWN_HEADERS} from './shown-headers.ts';

/** A request with its answer. */
export interface AnsweredRequest {
  readonly request: {readonly method: string; readonly target: string; readonly rawHeaders: readonly string[]};
  /** Path of its route; undefined without one. */
  readonly route: string | undefined;
  readonly answer: {readonly status: number; readonly rawHeaders: readonly string[]; readonly body?: unknown};
  readonly durationMs: number;
  readonly failed: {readonly failure: Failure; readonly requestId: string} | undefined;
}

/** A request as it was kept. */
export interface KeptRequest {
  readonly endedMs: number;
  readonly durationMs: number;
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly status: number;
  /** Size of the body of the answer; undefined if it was not known in advance. */
  readonly sizeBytes: number | undefined;
  readonly failure: RecordedFailure | undefined;
}

/** Size of the texts of a request, in bytes: method, target and headers. A browser sends some 1,000. Longer ones are cut. */
const TEXT_BYTES_MAX = 2048;

/** Longest method, target and value of a header in texts that are cut, and of the texts of a failure, in UTF-16 units. */
const METHOD_LENGTH_MAX = 32;
const TARGET_LENGTH_MAX = 1024;
const VALUE_LENGTH_MAX = 256;
const FAILURE_LENGTH_MAX = 512;

/** Character between the texts of a request, none of which has it (RFC 9112). */
const SEPARATOR = '\n';

/**
 * A fixed number of requests, in memory that is allocated once. It keeps no object of a request: objects that live for a thousand
 * requests are moved to the old generation of the garbage collector, where each costs more than the rest of its request.
 */
export class KeptRequests {
  readonly #texts: Buffer;
  readonly #textLengths: Uint16Array;
  readonly #endedMs: Float64Array;
  readonly #durationMs: Float64Array;
  /** NaN if it is not known. */
  readonly #sizeBytes: Float64Array;
  readonly #statuses: Uint16Array;
  /** Failures are the exception. */
  readonly #failures: (RecordedFailure | undefined)[];

  constructor(count: number) {
    this.#texts = Buffer.alloc(count * TEXT_BYTES_MAX);
    this.#textLengths = new Uint16Array(count);
    this.#endedMs = new Float64Array(count);
    this.#durationMs = new Float64Array(count);
    this.#sizeBytes = new Float64Array(count);
    this.#statuses = new Uint16Array(count);
    this.#failures = new Array<RecordedFailure | undefined>(count).fill(undefined);
  }

  /** Keeps a request in a place. Runs for each one: it copies its texts as they are, and formats nothing but failures. */
  set(place: number, {request, answer, durationMs, failed}: AnsweredRequest, endedMs: number): void {
    this.#textLengths[place] = writeTexts(request, this.#texts, place * TEXT_BYTES_MAX);
    this.#endedMs[place] = endedMs;
    this.#durationMs[place] = durationMs;
    this.#sizeBytes[place] = sizeOf(request.method, answer);
    this.#statuses[place] = answer.status;
    this.#failures[place] = failed === undefined ? undefined : keepFailure(failed, request.target);
  }

  /** Returns the request in a place. */
  get(place: number): KeptRequest {
    const start = place * TEXT_BYTES_MAX;
    const text = this.#texts.toString('latin1', start, start + (this.#textLengths[place] ?? 0));
    const [method = '', target = '', ...rawHeaders] = text.split(SEPARATOR);
    const sizeBytes = this.#sizeBytes[place] ?? Number.NaN;
    return {
      endedMs: this.#endedMs[place] ?? 0,
      durationMs: this.#durationMs[place] ?? 0,
      ...{method, target, rawHeaders},
      status: this.#statuses[place] ?? 0,
      sizeBytes: Number.isNaN(sizeBytes) ? undefined : sizeBytes,
      failure: this.#failures[place],
    };
  }
}

/** Writes the texts of a request. @returns Their size, in bytes. */
function writeTexts(request: AnsweredRequest['request'], bytes: Buffer, start: number): number {
  const {method, target, rawHeaders} = request;
  let length = method.length + SEPARATOR.length + target.length;
  for (const text of rawHeaders) length += SEPARATOR.length + text.length;
  if (length > LOOP_LENGTH_MAX) {
    const text = length <= TEXT_BYTES_MAX ? joinTexts(request) : shortenTexts(request);
    return bytes.write(text, start, TEXT_BYTES_MAX, 'latin1');
  }
  let end = writeText(target, bytes, writeText(method, bytes, start));
  for (const text of rawHeaders) end = writeText(text, bytes, end);
  return length;
}

/** Longest texts that are written in a loop, in UTF-16 units. It takes a nanosecond for each; to call `write()` some 200. */
const LOOP_LENGTH_MAX = 200;

/** Writes a text, and a separator for the next one. @returns The place of the next one. */
function writeText(text: string, bytes: Buffer, start: number): number {
  for (let index = 0; index < text.length; index++) bytes[start + index] = text.charCodeAt(index);
  bytes[start + text.length] = SEPARATOR_CODE;
  return start + text.length + 1;
}

const SEPARATOR_CODE = SEPARATOR.charCodeAt(0);

function joinTexts({method, target, rawHeaders}: AnsweredRequest['request']): string {
  let joined = method + SEPARATOR + target;
  for (const text of rawHeaders) joined += SEPARATOR + text;
  return joined;
}

/** Joins cut texts: of the headers only those that are shown, each once, as many as fit. */
function shortenTexts({method, target, rawHeaders}: AnsweredRequest['request']): string {
  let joined = cut(method, METHOD_LENGTH_MAX) + SEPARATOR + cut(target, TARGET_LENGTH_MAX);
  const names = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!SHOWN_HEADERS.has(name) || names.has(name)) continue;
    names.add(name);
    const pair = SEPARATOR + name + SEPARATOR + cut(rawHeaders[index + 1] ?? '', VALUE_LENGTH_MAX);
    if (joined.length + pair.length <= TEXT_BYTES_MAX) joined += pair;
  }
  return joined;
}

function sizeOf(method: string, {rawHeaders, body}: AnsweredRequest['answer']): number {
  if (body === undefined || method === 'HEAD') return 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index] === 'Content-Length') return Number(rawHeaders[index + 1]);
  return Number.NaN;
}

/** Texts, not the failure itself, which may have many members. */
function keepFailure({failure, requestId}: NonNullable<AnsweredRequest['failed']>, target: string): RecordedFailure {
  const message = describeFailure(failure);
  const safe =
    failure.code === 'invalid-parameter' ? maskValues(message, {target, parameter: failure.parameter}) : message;
  const detail = cut(safe, FAILURE_LENGTH_MAX);
  return {code: failure.code, detail, remedy: cut(adviseOn(failure), FAILURE_LENGTH_MAX), requestId};
}

/** Cuts a text. Copies what stays: a slice would keep the whole text in memory. */
function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${Buffer.from(text.slice(0, lengthMax - CUT.length)).toString()}${CUT}`;
}

/** Mark at the end of a text that was cut, in Latin-1 as the texts of requests. */
const CUT = '...';
