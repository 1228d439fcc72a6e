import {AppError} from '../domain/app-error.ts';
import type {Expectation} from '../domain/entry.ts';
import {formatExpectation, hasBareRevision} from '../protocol/preconditions.ts';
import {readService} from '../protocol/service-documents.ts';
import {type Answer, failureOf, parseAnswer, readAnswer} from './answer.ts';
import {isIdempotent} from './idempotence.ts';
import {Limiter, REQUESTS_MAX} from './limiter.ts';
import {PinnedStore} from './pinned-store.ts';
import {type LinkedSignal, Signals} from './signals.ts';
import {backoffMs, untilAborted, waitMs} from './waiting.ts';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. A write may have happened by then. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time limit of the call, in milliseconds, retries included. Waiting for a permit does not count.
   * @default {that of the client}
   */
  readonly timeoutMs?: number | undefined;
}

/** Options of a transport: see `ClientOptions`. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly attemptsMax: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly random: () => number;
  /** The origin of the page that it is part of, if it is part of one. */
  readonly pageOrigin?: string | undefined;
}

/** The parts of a request that differ. */
export interface SendOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Precondition of a write: becomes a header. */
  readonly expected?: Expectation | undefined;
  readonly body?: Uint8Array;
  /** Statuses besides 2xx that are answers and no failures. */
  readonly accept?: readonly number[];
  /** Whether it is idempotent. @default {true for GET, and if `expected` makes it so} */
  readonly repeatable?: boolean;
}

/** A request whose answer is read as it comes. */
export interface OpenOptions {
  /** @default {'GET'} */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ReadableStream<Uint8Array> | Blob;
  /** Needed by `fetch` for a body that is a stream. */
  readonly duplex?: 'half';
  /** Ends the answer too. */
  readonly signal: AbortSignal;
}

/** Sends requests and turns problem documents back into the failures they came from. */
export interface Transport {
  /**
   * Sends a request as soon as there is a permit. Retries if the request is idempotent and the failure is transient.
   *
   * @throws {AppError} What the service threw; `service-unreachable`, `service-timeout`, `unexpected-answer`.
   * @throws The reason of a signal that ended it.
   */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;

  /**
   * Sends a request, once and at once, for an answer that is read as it comes.
   *
   * @throws As {@link send}.
   */
  open(path: string, options: OpenOptions): Promise<Response>;

  /** The failure for a connection that broke. */
  unreachable(error: unknown): AppError;

  /** The failure for an answer that did not come in time. */
  timedOut(path: string, timeoutMs: number): AppError;

  /** Makes a signal that ends with the client's own, and with others. */
  link(...others: readonly (AbortSignal | undefined)[]): LinkedSignal;

  /** How long a call may take unless it says otherwise, in milliseconds. */
  readonly timeoutMs: number;
  readonly random: () => number;
  readonly store: PinnedStore;
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string;
  /** True in a web page. */
  readonly isPage: boolean;
}

/**
 * Maximum number of attempts of a call: enough for a service that closes an idle connection at the moment it is used, or that is
 * busy for a moment. A restart takes longer; a program that has to survive one retries by itself.
 */
export const ATTEMPTS_MAX = 3;

/** Waits between attempts of a call, in milliseconds. */
const FIRST_WAIT_MS = 100;
const WAIT_MS_MAX = 1000;

/** Makes the transport of a client. */
export function createTransport(options: TransportOptions): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: TransportOptions;
  readonly baseUrl: string;
  readonly #limiter = new Limiter(REQUESTS_MAX);
  readonly #signals = new Signals();
  readonly store = new PinnedStore();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  get random(): () => number {
    return this.#options.random;
  }

  get isPage(): boolean {
    return this.#options.pageOrigin !== undefined;
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const {timeoutMs = this.timeoutMs} = options;
    const ended = this.link(options.signal);
    try {
      return await this.#limiter.run(() => {
        ended.abortAfter(timeoutMs, () => this.timedOut(path, timeoutMs));
        return this.#sendExpecting(method, path, {...options, signal: ended.signal});
      }, ended.signal);
    } finally {
      ended[Symbol.dispose]();
    }
  }

  open(path: string, options: OpenOptions): Promise<Response> {
    return this.#exchange(path, options, async response => {
      if (response.ok) return response;
      throw failureOf(await readAnswer(this.baseUrl + path, response));
    });
  }

  link(...others: readonly (AbortSignal | undefined)[]): LinkedSignal {
    return this.#signals.link(this.#options.signal, ...others);
  }

  unreachable(error: unknown): AppError {
    const failure = {
      code: 'service-unreachable',
      url: this.baseUrl,
      problem: describeCause(error) + this.#blameOrigin(),
    } as const;
    return new AppError(failure, {cause: error});
  }

  /** Browsers do not report that the service refused the page: it looks as if there were no answer. */
  #blameOrigin(): string {
    const {pageOrigin} = this.#options;
    if (pageOrigin === undefined || pageOrigin === 'null' || `${this.baseUrl}/`.startsWith(`${pageOrigin}/`)) return '';
    return `; or it runs without --allow-origin ${pageOrigin}`;
  }

  timedOut(path: string, timeoutMs: number): AppError {
    return new AppError({code: 'service-timeout', url: this.baseUrl + path, timeoutMs});
  }

  /** Adds the precondition to a request. A bare revision belongs to the store that is met first, so one has to be met before. */
  async #sendExpecting(method: string, path: string, {expected, ...options}: Sending): Promise<Answer> {
    if (hasBareRevision(expected) && !this.store.isKnown) {
      const service = await this.#sendAgain('GET', '/api', {signal: options.signal});
      this.store.meet(parseAnswer(service, readService).storeId);
    }
    const headers = {...options.headers, ...formatExpectation(expected, given => this.store.format(given))};
    const repeatable = method === 'GET' || isIdempotent(expected);
    return this.#sendAgain(method, path, {repeatable, ...options, headers});
  }

  /** Sends a request that may be repeated until it is answered, or nothing speaks for another attempt. */
  async #sendAgain(method: string, path: string, options: Sending): Promise<Answer> {
    const {repeatable = method === 'GET', signal} = options;
    const {attemptsMax, random} = this.#options;
    let lost: AppError | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sendOnce(method, path, options);
      } catch (error) {
        signal.throwIfAborted();
        // An earlier attempt may have succeeded without a response, so this conflict may be our own. Report the ambiguous failure.
        const known = lost ?? error;
        if (!repeatable || attempt >= attemptsMax || !isPassing(error)) throw known;
        if (method !== 'GET' && mayHaveHappened(error)) lost ??= error;
        await waitMs(backoffMs(attempt, {firstMs: FIRST_WAIT_MS, maxMs: WAIT_MS_MAX, random}), signal);
      }
    }
  }

  #sendOnce(method: string, path: string, options: Sending): Promise<Answer> {
    const {headers = {}, body, signal} = options;
    return this.#exchange(
      path,
      {method, headers, ...(body && {body: body as Uint8Array<ArrayBuffer>}), signal},
      async response => {
        const answer = await readAnswer(this.baseUrl + path, response);
        if (response.ok || options.accept?.includes(answer.status)) return answer;
        throw failureOf(answer);
      },
    );
  }

  async #exchange<T>(
    path: string,
    init: RequestInit & {readonly signal: AbortSignal},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const {signal} = init;
    signal.throwIfAborted();
    try {
      // The service never redirects: a program that does is not the service, and must not get the request.
      const request = new Request(this.baseUrl + path, {...init, redirect: 'error'});
      return await untilAborted(this.#options.fetch(request).then(read), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof AppError ? error : this.unreachable(error);
    }
  }
}

/** A request on its way, and what ends it. */
type Sending = Omit<SendOptions, 'signal'> & {readonly signal: AbortSignal};

/** Returns whether a failure is transient: no connection, a limit that was reached, or a service that restarts. */
export function isPassing(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false;
  const {failure} = error;
  const isUnknown = failure.code === 'unexpected-answer' || failure.code === 'unknown-failure';
  return PASSING.has(failure.code) || (isUnknown && isOfGateway(failure.status));
}

const PASSING: ReadonlySet<string> = new Set([
  'service-unreachable',
  'too-many-connections',
  'too-many-bodies',
  'too-many-subscribers',
  'store-busy',
  'store-closed',
]);

/** Returns whether a status is that of a proxy whose service does not answer (RFC 9110 sections 15.6.3 to 15.6.5). */
function isOfGateway(status: number): boolean {
  return status >= 502 && status <= 504;
}

/** Returns whether a request that failed like this may have reached the service. */
function mayHaveHappened({failure, cause}: AppError): boolean {
  if (failure.code === 'unexpected-answer' || failure.code === 'unknown-failure') return true;
  return failure.code === 'service-unreachable' && !wasRefused(cause);
}

/** Returns whether there was no connection at all. Browsers do not report this. */
function wasRefused(error: unknown): boolean {
  return (error as SystemError).cause?.code === 'ECONNREFUSED';
}

/** Error of `fetch`. */
interface SystemError {
  readonly message: string;
  readonly cause?: {readonly code?: string; readonly message?: string};
}

/** Returns the message of the system, which is in the cause: `fetch failed` has no details. */
function describeCause(error: unknown): string {
  if (wasRefused(error)) return 'nothing listens there';
  const {message, cause} = error as SystemError;
  return cause?.message || cause?.code || message;
}
