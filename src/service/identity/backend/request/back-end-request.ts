import {joinChunks} from '../../../../core/domain/byte-size.ts';
import {AppError} from '../../../../core/failures/app-error.ts';
import {PROCESS_TIMERS, type Timers} from '../../../../core/time/timers.ts';
import {untilAborted} from '../../../../core/time/until-aborted.ts';
import {type Body, readAnswerBody} from './answer-body.ts';
import {describeNetworkTrouble} from './network-trouble.ts';

/** Default limit for the answer of a back end, in bytes. A pilot is less than 1 KB. */
export const BACK_END_ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * Default limit for an answer that is parsed as JSON, in bytes: parsing 1 MiB of members would block the event loop for a
 * quarter of a second.
 */
export const PARSED_BYTES_MAX = 64 * 1024;

/** Timeout for a whole answer of a back end, in milliseconds: shared hosting is slow, and people do not wait longer. */
export const BACK_END_TIMEOUT_MS = 10_000;

export interface RequestDeps {
  readonly fetch: typeof globalThis.fetch;
  /** The program and its version, such as `Crewroom/1.2.3`. */
  readonly userAgent: string;
  /** @default {BACK_END_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
  /** @default {PROCESS_TIMERS} */
  readonly timers?: Timers | undefined;
}

/** One request to a back end. */
export interface BackEndCall {
  /** The address of the back end, with a slash at its end. */
  readonly scriptURL: string;
  /** The path that is appended to the address, such as `pilot/login`; empty for the probe. */
  readonly path: string;
  /** Parameters of the query. They never appear in a failure. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A value to send as JSON. */
  readonly body?: unknown;
  /** Secrets to hide if the answer repeats them. */
  readonly secrets?: readonly string[] | undefined;
  /** Largest answer that is read and parsed, in bytes. Default: {@link BACK_END_ANSWER_BYTES_MAX}, parsed up to {@link PARSED_BYTES_MAX}. */
  readonly answerBytesMax?: number | undefined;
  /** Timeout for the whole answer, in milliseconds. Default: that of {@link RequestDeps}. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer to one request, whatever its status and its body are. */
export interface BackEndResponse {
  /** The address of the request, without its query. */
  readonly url: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly body: Body;
  readonly secrets: readonly string[];
}

/**
 * Sends one request and reads the whole answer. A redirect is returned like any other answer, not followed.
 *
 * @throws {AppError} `back-end-failed`, also if the answer is too large. The reason of
 * `signal` if the signal aborts the request.
 */
export async function sendRequest(request: BackEndCall, deps: RequestDeps): Promise<BackEndResponse> {
  const {scriptURL, path, query, secrets = [], signal, answerBytesMax = BACK_END_ANSWER_BYTES_MAX} = request;
  const timeoutMs = request.timeoutMs ?? deps.timeoutMs ?? BACK_END_TIMEOUT_MS;
  const url = `${scriptURL}${path}`;
  const address = query === undefined ? url : `${url}?${new URLSearchParams(query)}`;
  signal?.throwIfAborted();
  // Not AbortSignal.any(): Node retains its result while it has a listener, and fetch() never removes its own.
  const ending = new AbortController();
  const end = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', end, {once: true});
  let isLate = false;
  let begun: Headers | undefined;
  // The timer keeps the process alive: if a peer closes at once, the promise of some versions of fetch() stays pending.
  const cancelTimeout = (deps.timers ?? PROCESS_TIMERS).after(timeoutMs, () => {
    isLate = true;
    ending.abort();
  });
  const answer = async (): Promise<BackEndResponse> => {
    const response = await deps.fetch(address, {...describeRequest(request, deps.userAgent), signal: ending.signal});
    begun = response.headers;
    const bytes = await readBytes(response, url, answerBytesMax);
    const body = readAnswerBody(bytes, request.answerBytesMax ?? PARSED_BYTES_MAX);
    return {url, path, status: response.status, headers: response.headers, bytes, body, secrets};
  };
  try {
    return await untilAborted(answer(), ending.signal);
  } catch (error) {
    if (error instanceof AppError) throw error;
    signal?.throwIfAborted();
    // Without the cause, which may contain secrets that were sent.
    if (isLate) throw new AppError({code: 'back-end-failed', stage: 'timeout', url, timeoutMs});
    const {advice, ...trouble} = describeNetworkTrouble(error, {url: new URL(url), headers: begun});
    throw new AppError({code: 'back-end-failed', url, ...trouble}, {advice});
  } finally {
    cancelTimeout();
    signal?.removeEventListener('abort', end);
  }
}

function describeRequest({method, headers, body}: BackEndCall, userAgent: string): RequestInit {
  return {
    method,
    headers: {
      Accept: 'application/json',
      'User-Agent': userAgent,
      ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      ...headers,
    },
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    // A redirected POST would lose its body, or send a password to another address.
    redirect: 'manual',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  };
}

function readBytes({body, status}: Response, url: string, bytesMax: number): Promise<Uint8Array> {
  return joinChunks(body ?? [], sizeBytes => {
    if (sizeBytes <= bytesMax) return;
    const problem = `its answer is larger than ${bytesMax} bytes`;
    throw new AppError({code: 'back-end-failed', stage: 'content', url, backEndStatus: status, problem});
  });
}
