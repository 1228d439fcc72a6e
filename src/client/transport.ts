import {AppError, type Failure, isFailureCode} from '../domain/failure.ts';
import {REQUESTS_MAX, Turns} from './turns.ts';

/** What a transport needs: see `ClientOptions`. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The parts of a request that differ. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses besides 2xx that are answers and no failures. */
  readonly accept?: readonly number[];
}

/** An answer, read whole. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Sends requests and turns problem documents back into the failures they came from. */
export interface Transport {
  /** @throws {AppError} What the service threw; `service-unreachable`, `service-timeout`, `unexpected-answer`. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
}

/** Makes the transport of a client. */
export function createTransport({baseUrl, timeoutMs, signal, fetch}: TransportOptions): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  const turns = new Turns(REQUESTS_MAX);
  return {
    send: (method, path, options) =>
      turns.take(() => sendOne({method, url: `${base}${path}`, ...options}, {base, timeoutMs, signal, fetch}), signal),
  };
}

interface OneRequest extends SendOptions {
  readonly method: string;
  readonly url: string;
}

interface Sending extends Omit<TransportOptions, 'baseUrl'> {
  readonly base: string;
}

async function sendOne(
  {method, url, headers = {}, body, accept = []}: OneRequest,
  {base, timeoutMs, signal, fetch}: Sending,
): Promise<Answer> {
  const timeout = new AbortController();
  // A timer that keeps the process alive: when a peer closes at once, some versions of fetch() never settle.
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const ended = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
    const request = new Request(url, {
      method,
      headers,
      ...(body === undefined ? {} : {body: body as Uint8Array<ArrayBuffer>}),
      signal: ended,
      // The service never redirects: whoever does is not the service, and gets nothing of the request.
      redirect: 'error',
    });
    const answer = await untilAborted(readAnswer(url, fetch(request)), ended);
    if ((answer.status >= 200 && answer.status < 300) || accept.includes(answer.status)) return answer;
    throw readFailure(answer);
  } catch (error) {
    if (error instanceof AppError) throw error;
    signal?.throwIfAborted();
    if (timeout.signal.aborted) throw new AppError({code: 'service-timeout', url, timeoutMs}, {cause: error});
    throw new AppError({code: 'service-unreachable', url: base, problem: describeCause(error)}, {cause: error});
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of an answer. @throws {AppError} `unexpected-answer` when it is none. */
export function parseAnswer<T>(answer: Answer): T {
  try {
    return JSON.parse(decodeAnswer(answer)) as T;
  } catch (error) {
    throw unexpectedAnswer(answer, 'it is not JSON', {cause: error});
  }
}

/** The text of an answer. */
export function decodeAnswer({bytes}: Answer): string {
  return new TextDecoder().decode(bytes);
}

/** The failure for an answer that the service would not give. */
export function unexpectedAnswer({url, status}: Answer, problem: string, options?: ErrorOptions): AppError {
  return new AppError({code: 'unexpected-answer', url, status, problem}, options);
}

async function readAnswer(url: string, responding: Promise<Response>): Promise<Answer> {
  const response = await responding;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {url, status: response.status, headers: response.headers, bytes};
}

/** Does not rely on the other side to notice the signal. */
async function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, {once: true});
  });
  try {
    return await Promise.race([working, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

function readFailure(answer: Answer): AppError {
  const problem = parseAnswer<unknown>(answer);
  if (typeof problem !== 'object' || problem === null || !('code' in problem) || !isFailureCode(problem.code)) {
    return unexpectedAnswer(answer, 'it is no problem document of this service');
  }
  const {type, title, status, detail, instance, advice, ...failure} = problem as Readonly<Record<string, unknown>>;
  try {
    // The service puts the members of the failure beside those of the problem document.
    return new AppError(failure as unknown as Failure);
  } catch (error) {
    // It lacks a member that the words for its code need.
    return unexpectedAnswer(answer, 'it is no problem document of this service', {cause: error});
  }
}

/** The system's words are in the cause; `fetch failed` says nothing. */
function describeCause(error: unknown): string {
  const {message, cause} = error as {
    readonly message: string;
    readonly cause?: {readonly code?: string; readonly message?: string};
  };
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there';
  return cause?.message || cause?.code || message;
}
