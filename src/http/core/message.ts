import {isAscii} from 'node:buffer';

/**
 * One request as every way in hands it over: a socket, or a `Request` of a program that embeds the
 * service. Raw on purpose: a parsed URL has lost `%2e%2e`, and joined headers have lost a second Host.
 */
export interface HttpRequest {
  readonly method: string;
  /** The request target as it was sent, such as `/api/store/a%2Fb?x=1` (RFC 9112 section 3.2). */
  readonly target: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /**
   * Reads the whole body.
   *
   * @throws {AppError} `value-too-large` as soon as it is known to be larger than `sizeBytesMax`;
   * `malformed-request` when it ends early.
   */
  readBody(sizeBytesMax: number): Promise<Uint8Array>;
  /**
   * The body in the pieces in which it arrives, however large it is; no faster than they are taken. Not together
   * with `readBody`, and only once. Leaving the iteration leaves the rest of the body.
   *
   * @throws {AppError} `malformed-request` when it ends early; `request-timeout` when nothing arrives for long.
   */
  readChunks(): AsyncIterable<Uint8Array>;
  /**
   * Aborted once nobody waits for the answer any more: all of it is taken, the client is gone, or the service stops.
   * What an answer waits for, or holds open, ends with it.
   */
  readonly signal: AbortSignal;
  /**
   * Says that the answer waits for something to happen, which may be never. A client that half-closes such a request has
   * gone away; while it lasts, its connection is not counted.
   *
   * @returns `signal`, which is then aborted for that too.
   */
  listen(): AbortSignal;
  /**
   * Asks for memory for an answer before it is made. Once it is there it counts with its own size.
   *
   * @throws {AppError} `too-many-bodies` when there is no room.
   */
  makeRoom(sizeBytes: number): void;
}

/**
 * A body that is sent while it is made, each chunk once the ones before it are taken. When nobody waits for it any
 * more its iterator is returned, and the signal of its request aborted. When it throws, the connection is cut, so that
 * nobody takes what came for the whole. With HEAD it is never begun.
 */
export type HttpStream = AsyncIterable<string | Uint8Array>;

/** One answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body?: string | Uint8Array | HttpStream | undefined;
  /** Whether it is a stream that does not end by itself, such as one of events: see {@link HttpRequest.listen}. */
  readonly longLived?: boolean;
}

/** An answer that is there as a whole. */
export interface WholeAnswer extends HttpAnswer {
  readonly body?: string | Uint8Array | undefined;
}

/**
 * Answers requests, at once where nothing has to be waited for; neither throws nor rejects, since a failure is an answer
 * too.
 */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

/** Opens web sockets. */
export interface WebSocketHandler {
  /** Whether there is one at a target, whoever may have it; a request for any other is answered as if it had not asked. */
  has(target: string): boolean;
  /** Opens the one that a request asks for; never rejects. */
  open(request: HttpRequest): Promise<WebSocketOutcome>;
}

/** The frames of a web socket that was granted, or the answer to a request for one that was not. */
export type WebSocketOutcome =
  | {readonly kind: 'opened'; readonly frames: HttpStream}
  | {readonly kind: 'refused'; readonly answer: WholeAnswer};

/** What every answer carries: no sniffing, no caching, and no embedding by pages of other origins. */
const COMMON_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const;

/**
 * What answers carry that a browser may show in a window, pages and failures alike: a page that opened the window, or
 * was opened by it, has no hold on it (HTML standard, cross-origin opener policies).
 */
export const WINDOW_HEADERS = ['Cross-Origin-Opener-Policy', 'same-origin'] as const;

/** The parts of an answer that differ. */
export interface AnswerParts {
  /** @default {200} */
  readonly status?: number;
  /** @default {'application/json'} */
  readonly contentType?: string;
  /** Further names and values in turn. */
  readonly rawHeaders?: readonly string[];
}

/** Makes an answer with a body. */
export function answer(
  body: string | Uint8Array,
  {status = 200, contentType = 'application/json', rawHeaders = []}: AnswerParts = {},
): WholeAnswer {
  const sizeBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  return {
    status,
    rawHeaders: [...COMMON_HEADERS, 'Content-Type', contentType, 'Content-Length', String(sizeBytes), ...rawHeaders],
    body,
  };
}

/** The bytes of a body that is sent often, in the form in which that takes the least time: as a text where they are ASCII. */
export function asText(bytes: Uint8Array): string | Uint8Array {
  return isAscii(bytes) ? Buffer.from(bytes).toString('latin1') : bytes;
}

/** Makes an answer without a body. */
export function emptyAnswer(status: number, rawHeaders: readonly string[] = []): WholeAnswer {
  return {status, rawHeaders: [...COMMON_HEADERS, ...rawHeaders]};
}

/**
 * Makes an answer that sends its client elsewhere on this service.
 *
 * @param status 302 to what stands in for a resource, 308 to the other spelling of its path, with the method kept.
 */
export function redirect(status: 302 | 308, path: string, rawHeaders: readonly string[] = []): WholeAnswer {
  return emptyAnswer(status, [...WINDOW_HEADERS, 'Location', path, 'Content-Length', '0', ...rawHeaders]);
}

/** Makes an answer of a value as JSON. */
export function jsonAnswer(value: unknown, parts?: AnswerParts): WholeAnswer {
  return answer(JSON.stringify(value), parts);
}

/** What differs between answers with a stream. */
export interface StreamParts extends AnswerParts {
  /** @default {false} */
  readonly longLived?: boolean;
}

/** Makes an answer whose body is sent while it is made. */
export function streamAnswer(
  body: HttpStream,
  {status = 200, contentType = 'application/json', rawHeaders = [], longLived = false}: StreamParts = {},
): HttpAnswer {
  return {status, rawHeaders: [...COMMON_HEADERS, 'Content-Type', contentType, ...rawHeaders], body, longLived};
}

/** Whether a body is sent while it is made. */
export function isStream(body: HttpAnswer['body']): body is HttpStream {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}
