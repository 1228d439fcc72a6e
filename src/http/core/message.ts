import {isAscii} from 'node:buffer';
import type {Duplex} from 'node:stream';
import type {Permission} from '../../core/domain/access/access.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {API_HEADER, API_VERSION} from '../../core/protocol/headers/api-header.ts';
import type {RequestHeaders} from '../../core/protocol/headers/request-headers.ts';

/** A body that has a limit, as `too-large` names it. */
export type LimitedBody = Extract<Failure, {code: 'too-large'}>['what'];

/**
 * One request, from a socket or from a program that embeds the service. Raw on purpose: parsing a URL loses `%2e%2e`, and
 * joining headers loses a second Host.
 */
export interface HttpRequest {
  readonly method: string;
  /** The request target as it was sent, such as `/api/store/a%2Fb?x=1` (RFC 9112 section 3.2). */
  readonly target: string;
  /** Alternating names and values, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** Headers among them that are read for each request. */
  readonly headers: RequestHeaders;
  /** True if it asks for a WebSocket. @default {false} */
  readonly opensWebSocket?: boolean;
  /**
   * Reads the whole body: at once if it is there, as most are.
   *
   * @param what Its name in the failure. @default {'body'}
   * @throws {AppError} `too-large` as soon as it is known to be larger than `sizeBytesMax`;
   * `malformed-request` if it ends early.
   */
  readBody(sizeBytesMax: number, what?: LimitedBody): Uint8Array | Promise<Uint8Array>;
  /**
   * Iterates over the body as it arrives, without a limit of its size and with backpressure. Not together with `readBody`,
   * and only once. Ending the iteration early discards the rest of the body.
   *
   * @throws {AppError} `malformed-request` if it ends early; `too-slow` if no chunk arrives for too long.
   */
  readChunks(): AsyncIterable<Uint8Array>;
  /**
   * Aborted when the exchange is over: the client has read the whole answer or disconnected, or the service stops. An
   * answer must then stop waiting and release its resources.
   */
  readonly signal: AbortSignal;
  /**
   * Declares that the answer waits for events, maybe for ever. A client that half-closes such a connection has gone away;
   * the connection is not counted meanwhile.
   *
   * @returns `signal`, which is then aborted for a half-closed connection too.
   */
  listen(): AbortSignal;
  /** Closes the connection at once, as if the network had failed. The answer, or the rest of it, is not sent. */
  cut(): void;
  /**
   * Reserves memory for an answer before it is created. The size of the answer replaces the reservation.
   *
   * @throws {AppError} `busy` if the memory for clients is full.
   */
  reserveMemory(sizeBytes: number): void;
}

/**
 * Body that is sent while it is produced, with backpressure. If the client disconnects, its iterator is returned and the
 * signal of its request aborted. If it throws, the connection is closed such that the client notices the truncation. For
 * HEAD it is never iterated.
 */
export type HttpStream = AsyncIterable<string | Uint8Array>;

/**
 * Passes the bytes of a WebSocket on to another server, which has accepted it: answers the upgrade, and resolves when either side
 * has closed. Never rejects. To be called once for each WebSocket, even if its client has disconnected.
 *
 * @param rest Bytes of the client that arrived after its request.
 */
export type Tunnel = (client: Duplex, rest: Uint8Array, signal: AbortSignal) => Promise<void>;

/** One answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[];
  readonly body?: string | Uint8Array | HttpStream | undefined;
  /** True if the body is a stream that never ends by itself, such as events: see {@link HttpRequest.listen}. */
  readonly longLived?: boolean;
  /**
   * The WebSocket that this answer opens: its frames, each a JSON text, whose error closes it, or the way to another server. Any
   * answer without it refuses the upgrade.
   */
  readonly webSocket?: HttpStream | Tunnel;
  /** Permission without which a part was left out: the caller fails later, such as with an identity without its secrets. */
  readonly withheld?: Permission;
}

/** Answer whose body is not a stream. */
export interface WholeAnswer extends HttpAnswer {
  readonly body?: string | Uint8Array | undefined;
}

/** Answers requests, synchronously if possible. Neither throws nor rejects: a failure is an answer too. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

/** Headers of every answer: the version of the API, no sniffing, and no embedding by pages of other origins. */
export const OWN_HEADERS = [
  ...[API_HEADER, API_VERSION],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
] as const;

/** Headers of answers that must not be cached. */
const COMMON_HEADERS = [...OWN_HEADERS, 'Cache-Control', 'no-store'] as const;

/**
 * Headers of answers that a browser may show in a window, pages and failures: a page that opened the window, or was opened
 * by it, cannot control it (HTML standard, cross-origin opener policies), and a page of another origin of the same site, such as that of a plugin
 * beside the console, gets another process where the browser can (origin-keyed agent clusters). The first answer of an origin decides that.
 */
export const WINDOW_HEADERS = ['Cross-Origin-Opener-Policy', 'same-origin', 'Origin-Agent-Cluster', '?1'] as const;

/** Type of every answer in JSON. Windows PowerShell 5 reads one without a charset as Latin-1, and writes back what it read. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Parts of an answer beside its body. */
export interface AnswerParts {
  /** @default {200} */
  readonly status?: number;
  /** @default {JSON_TYPE} */
  readonly contentType?: string;
  /** Further headers: alternating names and values. */
  readonly rawHeaders?: readonly string[];
}

/** Creates an answer with a body. */
export function answer(
  body: string | Uint8Array,
  {status = 200, contentType = JSON_TYPE, rawHeaders = []}: AnswerParts = {},
): WholeAnswer {
  const sizeBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  return {
    status,
    rawHeaders: [...COMMON_HEADERS, 'Content-Type', contentType, 'Content-Length', String(sizeBytes), ...rawHeaders],
    body,
  };
}

/** Converts a body that is sent often to a string if it is ASCII: Node sends strings faster. */
export function asText(bytes: Uint8Array): string | Uint8Array {
  return isAscii(bytes) ? Buffer.from(bytes).toString('latin1') : bytes;
}

/** Creates the answer that opens a WebSocket: see {@link HttpAnswer.webSocket}. */
export function openedWebSocket(webSocket: HttpStream | Tunnel): HttpAnswer {
  return {...emptyAnswer(101), webSocket, longLived: true};
}

/** Creates an answer without a body. */
export function emptyAnswer(status: number, rawHeaders: readonly string[] = []): WholeAnswer {
  return {status, rawHeaders: [...COMMON_HEADERS, ...rawHeaders]};
}

/** Creates a redirect to the canonical path or address of a resource, which keeps the method. */
export function redirect(location: string, rawHeaders: readonly string[] = []): WholeAnswer {
  return emptyAnswer(308, [...WINDOW_HEADERS, 'Location', location, 'Content-Length', '0', ...rawHeaders]);
}

/** Creates an answer with a value as JSON. */
export function jsonAnswer(value: unknown, parts?: AnswerParts): WholeAnswer {
  return answer(JSON.stringify(value), parts);
}

/** Parts of an answer that is sent while it is made. */
export interface StreamParts extends AnswerParts {
  /** @default {false} */
  readonly longLived?: boolean;
}

/** Headers of every stream: a proxy that compressed or buffered it would hold events back. */
const STREAM_HEADERS = [
  ...COMMON_HEADERS.map(each => (each === 'no-store' ? 'no-store, no-transform' : each)),
  'X-Accel-Buffering',
  'no',
] as const;

/** Creates an answer whose body is a stream. */
export function streamAnswer(
  body: HttpStream,
  {status = 200, contentType = JSON_TYPE, rawHeaders = [], longLived = false}: StreamParts = {},
): HttpAnswer {
  return {status, rawHeaders: [...STREAM_HEADERS, 'Content-Type', contentType, ...rawHeaders], body, longLived};
}

/** Returns whether a body is a stream. */
export function isStream(body: HttpAnswer['body']): body is HttpStream {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}
