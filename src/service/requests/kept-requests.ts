import type {Principal} from '../../core/domain/access/access.ts';
import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import type {RecordedFailure} from '../../core/domain/recorded-request.ts';
import {hideSecrets, withoutSecrets} from '../../core/domain/redaction.ts';
import type {AppError} from '../../core/failures/app-error.ts';
import {adviseOnError} from '../../core/failures/facts.ts';
import {caseOfFailure} from '../../core/failures/rows/rows.ts';
import {CLIENT_HEADER} from '../../core/protocol/headers/client-header.ts';
import {headerPairs} from '../../core/protocol/headers/raw-headers.ts';

/** A request with its answer. */
export interface AnsweredRequest {
  readonly request: {readonly method: string; readonly target: string; readonly rawHeaders: readonly string[]};
  /** Its caller; undefined if it is not known. */
  readonly principal: Principal | undefined;
  /** Path of its route; undefined without one. */
  readonly route: string | undefined;
  readonly answer: {readonly status: number; readonly rawHeaders: readonly string[]; readonly body?: unknown};
  readonly durationMs: number;
  readonly failed: {readonly error: AppError; readonly requestId: string} | undefined;
}

/** A request as it was kept. */
export interface KeptRequest {
  readonly endedMs: number;
  readonly durationMs: number;
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly principal: Principal | undefined;
  readonly status: number;
  /** Size of the body of the answer; undefined if it was not known in advance. */
  readonly sizeBytes: number | undefined;
  readonly failure: RecordedFailure | undefined;
}

/** Largest texts of a request kept as they are: method, target and headers, in bytes. A browser sends some 1,500. */
const TEXT_BYTES_MAX = 4096;

/** Memory of a string beside its characters, in bytes: its header in V8, its place in an array, and alignment. */
const STRING_BYTES = 24;

/** Longest method, target and header value in texts that are cut, and of the texts of a failure, in UTF-16 units. */
const METHOD_LENGTH_MAX = 32;
const TARGET_LENGTH_MAX = 1024;
const VALUE_LENGTH_MAX = 256;
const FAILURE_LENGTH_MAX = 512;

/** The texts of a request. */
type RequestTexts = AnsweredRequest['request'];

const NO_TEXTS: RequestTexts = {method: '', target: '', rawHeaders: []};

/** Number of lists of headers that are looked through for one that is equal: some programs and pages at once. */
const RECENT_LISTS = 8;

/**
 * A fixed number of requests, in columns, so that a request takes no object of its own. Its strings exist anyway: to refer to them
 * costs a tenth of copying the headers of a browser. But the garbage collector has to move what is kept, which with the headers of a
 * browser is 4 % of the processor time of a small request: so equal lists, which a program or page sends again and again, are kept once.
 */
export class KeptRequests {
  readonly #methods: string[];
  readonly #targets: string[];
  readonly #rawHeaders: (readonly string[])[];
  /** The last lists that were not equal to one of these. */
  readonly #recentLists: (readonly string[])[] = [];
  #replacedNext = 0;
  readonly #principals: (Principal | undefined)[];
  readonly #endedMs: Float64Array;
  readonly #durationMs: Float64Array;
  /** NaN if it is not known. */
  readonly #sizeBytes: Float64Array;
  readonly #statuses: Uint16Array;
  /** Failures are the exception. */
  readonly #failures: (RecordedFailure | undefined)[];

  constructor(count: number) {
    this.#methods = new Array<string>(count).fill(NO_TEXTS.method);
    this.#targets = new Array<string>(count).fill(NO_TEXTS.target);
    this.#rawHeaders = new Array<readonly string[]>(count).fill(NO_TEXTS.rawHeaders);
    this.#principals = new Array<Principal | undefined>(count).fill(undefined);
    this.#endedMs = new Float64Array(count);
    this.#durationMs = new Float64Array(count);
    this.#sizeBytes = new Float64Array(count);
    this.#statuses = new Uint16Array(count);
    this.#failures = new Array<RecordedFailure | undefined>(count).fill(undefined);
  }

  /** Keeps a request in a place. Runs for each: it formats nothing but failures, and cuts only what is too large. */
  set(place: number, {request, principal, answer, durationMs, failed}: AnsweredRequest, endedMs: number): void {
    const {method, target, rawHeaders} = bytesOf(request) <= TEXT_BYTES_MAX ? request : shortenTexts(request);
    this.#methods[place] = method;
    this.#targets[place] = target;
    this.#rawHeaders[place] = this.#keepOnce(rawHeaders);
    this.#principals[place] = principal;
    this.#endedMs[place] = endedMs;
    this.#durationMs[place] = durationMs;
    this.#sizeBytes[place] = sizeOf(request.method, answer);
    this.#statuses[place] = answer.status;
    this.#failures[place] = failed === undefined ? undefined : keepFailure(failed, request.target);
  }

  /** Returns a list of headers that is equal, the same one if there was one lately. */
  #keepOnce(rawHeaders: readonly string[]): readonly string[] {
    for (const recent of this.#recentLists) if (areEqual(recent, rawHeaders)) return recent;
    this.#recentLists[this.#replacedNext] = rawHeaders;
    this.#replacedNext = (this.#replacedNext + 1) % RECENT_LISTS;
    return rawHeaders;
  }

  /** Returns the request in a place. */
  get(place: number): KeptRequest {
    const sizeBytes = this.#sizeBytes[place] ?? Number.NaN;
    return {
      endedMs: this.#endedMs[place] ?? 0,
      durationMs: this.#durationMs[place] ?? 0,
      method: this.#methods[place] ?? NO_TEXTS.method,
      target: this.#targets[place] ?? NO_TEXTS.target,
      rawHeaders: this.#rawHeaders[place] ?? NO_TEXTS.rawHeaders,
      principal: this.#principals[place],
      status: this.#statuses[place] ?? 0,
      sizeBytes: Number.isNaN(sizeBytes) ? undefined : sizeBytes,
      failure: this.#failures[place],
    };
  }
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

/** Returns the memory that texts take. Node decodes them as Latin-1: a byte for each character. */
function bytesOf({method, target, rawHeaders}: RequestTexts): number {
  let sizeBytes = method.length + target.length;
  for (let index = 0; index < rawHeaders.length; index++) sizeBytes += STRING_BYTES + (rawHeaders[index] ?? '').length;
  return sizeBytes;
}

/** Cuts texts: of the headers only those that are shown, each once, as many as fit. */
function shortenTexts({method, target, rawHeaders}: RequestTexts): RequestTexts {
  const shown = new Map<string, string>();
  const texts = {method: cut(method, METHOD_LENGTH_MAX), target: cut(target, TARGET_LENGTH_MAX)};
  let left = TEXT_BYTES_MAX - bytesOf({...texts, rawHeaders: []});
  for (const [given, text] of headerPairs(rawHeaders)) {
    const name = given.toLowerCase();
    if (!SHOWN_HEADERS.has(name) || shown.has(name)) continue;
    const value = cut(text, VALUE_LENGTH_MAX);
    left -= 2 * STRING_BYTES + name.length + value.length;
    if (left >= 0) shown.set(name, value);
  }
  return {...texts, rawHeaders: [...shown].flat()};
}

function sizeOf(method: string, {rawHeaders, body}: AnsweredRequest['answer']): number {
  if (body === undefined || method === 'HEAD') return 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index] === 'Content-Length') return Number(rawHeaders[index + 1]);
  return Number.NaN;
}

/** Texts, not the failure itself, which may have many members. */
function keepFailure({error, requestId}: NonNullable<AnsweredRequest['failed']>, target: string): RecordedFailure {
  const {code, failure} = error;
  const message = withoutSecrets(error.message);
  const safe =
    failure?.code === 'invalid-parameter' ? maskValues(message, {target, parameter: failure.parameter}) : message;
  const detail = cut(safe, FAILURE_LENGTH_MAX);
  return {
    code,
    detail,
    advice: cut(withoutSecrets(adviseOnError(error)), FAILURE_LENGTH_MAX),
    instance: requestId,
    ...(failure && caseOfFailure(failure)),
  };
}

/** Cuts a text. Copies what stays: a slice would keep the whole text in memory. */
function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${Buffer.from(text.slice(0, lengthMax - CUT.length)).toString()}${CUT}`;
}

/** Mark at the end of a text that was cut. */
const CUT = '...';

/** Number of parameters whose values are masked in a message, which names only one of them: the first wrong one. */
const PARAMETERS_MAX = 32;

/** Shortest value that may be a secret, in UTF-16 units: shorter ones, such as numbers, occur in messages by chance. */
const SECRET_LENGTH_MIN = 4;

/**
 * Masks the values of parameters, and parameters without a name, in a message about them.
 *
 * @param target The target of the request.
 * @param parameter The parameter in the message, perhaps shortened.
 */
function maskValues(
  message: string,
  {target, parameter}: {readonly target: string; readonly parameter: string},
): string {
  const query = target.slice(target.indexOf('?') + 1);
  const parts = query.split('&');
  const shown = parts.slice(0, PARAMETERS_MAX).map(part => part.slice(part.indexOf('=') + 1));
  const values = [query, ...shown].flatMap(value => [value, decode(value)]);
  // Its beginning alone may be a secret too.
  if (parts.some(part => !part.includes('=') && isBeginning(parameter, part))) values.push(parameter);
  return hideSecrets(
    message,
    values.filter(value => value.length >= SECRET_LENGTH_MIN),
  );
}

function isBeginning(parameter: string, part: string): boolean {
  return [part, decode(part)].some(text => text.slice(0, parameter.length).toWellFormed() === parameter);
}

function decode(value: string): string {
  return decodeIfEncoded(value.replaceAll('+', ' '));
}

/**
 * Names of the headers that are shown, in lower case: those by which the service and its guard judge requests. Credentials, cookies and
 * headers with unknown names are not among them.
 */
export const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'referer',
  'user-agent',
  'accept',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'last-event-id',
  'upgrade',
  'purpose',
  'sec-purpose',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'access-control-request-method',
  CLIENT_HEADER,
]);
