import type {Expectation} from '../core/domain/entries/entry.ts';
import {formatRevision, type GivenRevision, NO_REVISION, type StoreId} from '../core/domain/entries/identifiers.ts';
import {FailureError} from '../core/failures/failure-error.ts';
import {readSentFailure} from '../core/protocol/failure/failure-document.ts';
import {API_HEADER, findApiProblem} from '../core/protocol/headers/api-header.ts';
import {formatExpectation, hasBareRevision} from '../core/protocol/headers/preconditions.ts';
import type {ServiceDocument} from '../core/protocol/service-documents.ts';
import {parseDocument} from '../core/protocol/text/read-document.ts';
import {backoffMs} from '../core/time/backoff.ts';
import {Limiter} from '../core/time/limiter.ts';
import {untilAborted} from '../core/time/until-aborted.ts';
import {type Answer, parseAnswer, receiveAnswer, unexpectedAnswer} from './answer.ts';
import {describeCause, isSameOrigin, wasRefused} from './network/network.ts';
import {type LinkedSignal, Signals} from './signals.ts';
import {waitMs} from './waiting.ts';

/** Options of a call. */
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
}

/** Options of a request. */
export interface SendOptions extends CallOptions {
  /** Precondition of a write: becomes a header. */
  readonly expected?: Expectation | undefined;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** Media type of the body. @default {'application/json'} */
  readonly type?: string;
  /** A status besides 2xx that is not a failure. */
  readonly accept?: number | undefined;
  /** True if the request is idempotent. @default {true for GET, and if `expected` makes it idempotent} */
  readonly repeatable?: boolean | undefined;
}

/** A request whose answer is read as it arrives. */
export interface OpenOptions {
  /** @default {'GET'} */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ReadableStream<Uint8Array> | Blob;
  /** Needed by `fetch` for a body that is a stream. */
  readonly duplex?: 'half';
  /** Ends the request, and then its answer. */
  readonly signal: AbortSignal;
}

/**
 * Maximum number of concurrent requests of one client; further calls wait for a permit. A program that stores a thousand
 * entries at once would otherwise open a thousand connections, which other programs may need.
 */
export const REQUESTS_MAX = 64;

/**
 * Maximum number of attempts of a call: enough for a service that closes an idle connection at the moment it is used, or that is
 * busy for a moment. A restart takes longer; a program that has to survive one retries by itself.
 */
export const ATTEMPTS_MAX = 3;

/** Waits between attempts of a call, in milliseconds. */
const FIRST_WAIT_MS = 100;
const WAIT_MS_MAX = 1000;

/** Sends requests, and throws the failures that the service answers. */
export class Transport {
  readonly options: TransportOptions;
  readonly store = new PinnedStore();
  readonly #limiter = new Limiter(REQUESTS_MAX);
  readonly #signals = new Signals();
  /** True once it is known that the service does not refuse the origin of this page: only then it is asked again. */
  #isMet: boolean;

  constructor(options: TransportOptions) {
    this.options = options;
    this.#isMet = isSameOrigin(options.baseUrl);
  }

  /**
   * Sends a request as soon as there is a permit. Retries if the request is idempotent and the failure is transient.
   *
   * @throws {AppError} What the service threw; `service-unreachable`, `service-timeout`, `unexpected-answer`.
   * @throws The reason of a signal that ended it.
   */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const ended = this.link(options.signal);
    const {signal} = ended;
    const sending = this.#limiter.run(async () => {
      signal.throwIfAborted();
      this.limit(ended, path, options.timeoutMs);
      return this.#sendExpecting(method, path, {...options, signal});
    });
    try {
      return await untilAborted(sending, signal);
    } finally {
      ended.unlink();
    }
  }

  /**
   * Sends a request for an answer that is read as it arrives. Does not wait for a permit, and does not retry.
   *
   * @throws As {@link send}.
   */
  open(path: string, options: OpenOptions): Promise<Response> {
    return this.#exchange(path, options, {read: response => response});
  }

  /**
   * Waits for a part of an exchange to arrive.
   *
   * @throws {AppError} `service-unreachable` if the connection breaks.
   * @throws The reason of the signal.
   */
  async part<T>(arriving: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await untilAborted(arriving, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof FailureError ? error : this.#unreachable(error);
    }
  }

  /** Creates a signal that follows the signal of the client, and others. */
  link(...others: readonly (AbortSignal | undefined)[]): LinkedSignal {
    return this.#signals.link(this.options.signal, ...others);
  }

  /** Ends an exchange with `service-timeout` after a time in milliseconds. @param timeoutMs By default the client's. */
  limit(exchange: LinkedSignal, path: string, timeoutMs = this.options.timeoutMs): void {
    const url = this.options.baseUrl + path;
    exchange.abortAfter(timeoutMs, () => new FailureError({code: 'service-timeout', url, timeoutMs}));
  }

  /** Sends a request with its precondition. For a bare revision, asks for the store id first if it is not known yet. */
  async #sendExpecting(method: string, path: string, sending: Sending): Promise<Answer> {
    const {expected, body = null, type = 'application/json', signal, repeatable = isIdempotent(expected)} = sending;
    if (hasBareRevision(expected) && this.store.id === undefined) {
      const service = await this.#sendAgain('/api', {method: 'GET', signal});
      this.store.meet(parseAnswer(service, parseDocument<ServiceDocument>));
    }
    const headers = {
      ...(body && {'Content-Type': type}),
      ...formatExpectation(expected, given => this.store.format(given)),
    };
    return this.#sendAgain(path, {method, headers, body, signal}, {...sending, repeatable});
  }

  /** Sends a request, and retries it if it is idempotent, its failure is transient and attempts are left. */
  async #sendAgain(path: string, init: Init, {accept, repeatable}: SendOptions = {}): Promise<Answer> {
    const {signal} = init;
    const {attemptsMax, random} = this.options;
    const isRead = init.method === 'GET';
    let lost: FailureError | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#exchange(path, init, {read: receiveAnswer, accept});
      } catch (error) {
        signal.throwIfAborted();
        // An earlier attempt may have succeeded without a response, so this conflict may be our own. Report the ambiguous failure.
        const known = lost ?? error;
        if (!(this.#isMet && (isRead || repeatable)) || attempt >= attemptsMax || !isTransient(error)) throw known;
        if (!isRead && mayHaveHappened(error)) lost ??= error;
        await waitMs(backoffMs(attempt, {firstMs: FIRST_WAIT_MS, maxMs: WAIT_MS_MAX, random}), signal);
      }
    }
  }

  async #exchange<T>(path: string, init: Init, {read, accept}: Reading<T>): Promise<T> {
    init.signal.throwIfAborted();
    const url = this.options.baseUrl + path;
    const exchange = async (): Promise<T> => {
      // The service never redirects: a program that does is not the service, and must not get the request.
      const response = await this.options.fetch(new Request(url, {...init, redirect: 'error'}));
      const {headers, status} = response;
      const problem = findApiProblem(headers.get(API_HEADER));
      if (problem !== undefined) throw unexpectedAnswer({url, status}, problem);
      this.#isMet = true;
      if (response.ok || status === accept) return read(response, url);
      throw parseAnswer(await receiveAnswer(response, url), readSentFailure);
    };
    return this.part(exchange(), init.signal);
  }

  #unreachable(error: unknown): FailureError {
    const {baseUrl: url} = this.options;
    return new FailureError({code: 'service-unreachable', url, problem: describeCause(error, url)}, {cause: error});
  }
}

/** Options of a request, with the signal that ends it. */
interface Sending extends Omit<SendOptions, 'signal'> {
  readonly signal: AbortSignal;
}

/** A request, with the signal that ends it. */
interface Init extends RequestInit {
  readonly signal: AbortSignal;
}

/** How to read an answer. */
interface Reading<T> extends Pick<SendOptions, 'accept'> {
  readonly read: (response: Response, url: string) => T | Promise<T>;
}

/**
 * Transient failures: no connection, a limit that was reached, or a service or a store that is not available for a moment. 1 if the
 * request may have happened.
 */
const TRANSIENT: Readonly<Record<string, 0 | 1>> = {
  busy: 0,
  unavailable: 0,
  'store-closed': 0,
  // A request that did not arrive in time: this program stood still (RFC 9110 section 15.5.9).
  'too-slow': 0,
  'outcome-unknown': 1,
  'service-unreachable': 1,
  'service-timeout': 1,
};

/** Returns whether a failure is transient. */
export function isTransient(error: unknown): error is FailureError {
  if (!(error instanceof FailureError)) return false;
  const {code, failure, status} = error;
  // The status of a proxy whose service does not answer (RFC 9110 sections 15.6.3 to 15.6.5).
  const sent = failure === undefined ? status : 'status' in failure && failure.status;
  return sent ? sent >= 502 && sent <= 504 : code in TRANSIENT;
}

/** Returns whether a request with this transient failure may have happened. */
function mayHaveHappened({code, cause}: FailureError): boolean {
  return TRANSIENT[code] !== 0 && !wasRefused(cause);
}

/**
 * The store that the bare revisions of a client belong to: the first one that answered it. Its id is sent with each of them, so that
 * the service recognises revisions of another store if it has a new store by then.
 */
class PinnedStore {
  /** Undefined until a store has answered. */
  id: StoreId | undefined;

  /** Remembers the store of an answer if it is the first one. @returns The answer. */
  meet<T extends {readonly storeId: StoreId}>(answer: T): T {
    this.id ??= answer.storeId;
    return answer;
  }

  /** Returns a revision, or a cursor, as it is sent. */
  format(given: GivenRevision | string): string {
    if (typeof given === 'string') return given;
    if (typeof given === 'object') return formatRevision(given);
    // NO_REVISION means the same in every store.
    if (this.id === undefined || given === NO_REVISION) return String(given);
    return formatRevision({storeId: this.id, revision: given});
  }
}

/**
 * Returns whether a write with this precondition is idempotent: once it has happened, the precondition no longer holds. One of
 * several revisions may hold again later, and `present` does not depend on the value.
 */
function isIdempotent(expected: Expectation | undefined): boolean {
  return expected !== 'present' && expected !== undefined && !Array.isArray(expected);
}
