import {AppError} from '../../domain/failure.ts';
import {type Body, readBody} from './answer-body.ts';
import {describeTrouble} from './network-trouble.ts';

/** Largest answer of a back end that is read, in bytes, unless a request says otherwise. A pilot is less than 1 KB. */
export const ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * Largest answer that is parsed as JSON, in bytes, unless a request says otherwise: parsing 1 MiB of members would hold up
 * everything else for a quarter of a second.
 */
export const PARSED_BYTES_MAX = 64 * 1024;

/** How long a back end may take to answer to the end, in milliseconds: shared hosting is slow, and people wait no longer. */
export const BACK_END_TIMEOUT_MS = 10_000;

/** What requests to back ends need. */
export interface ExchangeDeps {
  readonly fetch: typeof globalThis.fetch;
  /** Names the program and its version, such as `Crewroom/1.2.3`. */
  readonly userAgent: string;
  /** @default {BACK_END_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
}

/** One request to a back end. */
export interface BackEndRequest {
  /** The address of the back end, with a slash at its end. */
  readonly scriptURL: string;
  /** What is appended to it, such as `pilot/login`; empty for the back end itself. */
  readonly path: string;
  /** Parameters of the query. They are never shown. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** What must not be shown, should the answer repeat it. */
  readonly secrets?: readonly string[] | undefined;
  /** Largest answer that is read and parsed, in bytes. Default: {@link ANSWER_BYTES_MAX}, parsed up to {@link PARSED_BYTES_MAX}. */
  readonly answerBytesMax?: number | undefined;
  /** How long the whole answer may take, in milliseconds. Default: that of {@link ExchangeDeps}. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a back end answered, whatever it is. */
export interface BackEndAnswer {
  /** Where the request went, without its query. */
  readonly url: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly body: Body;
  readonly secrets: readonly string[];
}

/**
 * Sends one request and reads the whole answer. Redirects are not followed: they are answers, too.
 *
 * @throws {AppError} `back-end-unreachable`, `back-end-timeout`; `not-a-back-end` when the answer is too large. The
 * reason of `signal` when that ends it.
 */
export async function exchange(request: BackEndRequest, deps: ExchangeDeps): Promise<BackEndAnswer> {
  const {scriptURL, path, query, secrets = [], signal, answerBytesMax = ANSWER_BYTES_MAX} = request;
  const timeoutMs = request.timeoutMs ?? deps.timeoutMs ?? BACK_END_TIMEOUT_MS;
  const url = `${scriptURL}${path}`;
  const address = query === undefined ? url : `${url}?${new URLSearchParams(query)}`;
  signal?.throwIfAborted();
  // Not AbortSignal.any(): Node keeps what that makes as long as anybody listens to it, and fetch() goes on listening.
  const ending = new AbortController();
  const end = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', end, {once: true});
  let isLate = false;
  let hasBegun = false;
  // A timer that keeps the process alive: when a peer closes at once, some versions of fetch() never settle.
  const timer = setTimeout(() => {
    isLate = true;
    ending.abort();
  }, timeoutMs);
  const answer = async (): Promise<BackEndAnswer> => {
    const response = await deps.fetch(address, {...describeRequest(request, deps.userAgent), signal: ending.signal});
    hasBegun = true;
    const bytes = await readBytes(response, url, answerBytesMax);
    const body = readBody(bytes, request.answerBytesMax ?? PARSED_BYTES_MAX);
    return {url, path, status: response.status, headers: response.headers, bytes, body, secrets};
  };
  try {
    return await Promise.race([answer(), aborted(ending.signal)]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    signal?.throwIfAborted();
    // Without the cause: it may hold what was sent.
    if (isLate) throw new AppError({code: 'back-end-timeout', url, timeoutMs});
    throw new AppError({code: 'back-end-unreachable', url, ...describeTrouble(error, {url: new URL(url), hasBegun})});
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), {once: true}));
}

function describeRequest({method, headers, body}: BackEndRequest, userAgent: string): RequestInit {
  return {
    method,
    headers: {
      Accept: 'application/json',
      'User-Agent': userAgent,
      ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      ...headers,
    },
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    // A redirected POST loses its body or takes a password elsewhere: neither is wanted.
    redirect: 'manual',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  };
}

async function readBytes(response: Response, url: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) {
      const problem = `its answer is larger than ${bytesMax} bytes`;
      throw new AppError({code: 'not-a-back-end', url, backEndStatus: response.status, problem});
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
