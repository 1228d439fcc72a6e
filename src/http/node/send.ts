import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http';
import type {Socket} from 'node:net';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {headerPairs} from '../../core/protocol/headers/raw-headers.ts';
import {failureAnswer} from '../core/failure-response.ts';
import {type HttpAnswer, isStream, type WholeAnswer} from '../core/message.ts';
import {type Connection, type Exchange, PIPELINED_MAX} from './connections/connection.ts';
import {type SendStreamOptions, sendStream} from './send-stream.ts';

/** Timeouts and intervals of a server, in milliseconds. */
export interface ServerTimeouts {
  /** Time for the headers of a request, from the start of the connection or of the request. */
  readonly headersTimeoutMs: number;
  /** Time for a whole body, once it is being read; for the next chunk of a body that is read in chunks. */
  readonly requestTimeoutMs: number;
  /** Time for any progress on a connection: its next request, or the client reading an answer. */
  readonly idleTimeoutMs: number;
  /** Interval between two searches for late requests. */
  readonly checkIntervalMs: number;
  /** Time for the rest of a request that is already answered. */
  readonly lingerMs: number;
  /** Time for requests in flight once the server stops. */
  readonly stopTimeoutMs: number;
  /** Interval between two pings of a WebSocket; the client has to answer before the next one. */
  readonly pingIntervalMs: number;
}

interface SendOptions extends SendStreamOptions {
  /** True to close the connection afterwards. */
  readonly close: boolean;
  /** True if the request arrived completely, or no further bytes will. */
  readonly arrived: boolean;
  readonly timeouts: Pick<ServerTimeouts, 'idleTimeoutMs' | 'lingerMs'>;
}

const CLOSE: readonly string[] = ['Connection', 'close'];

/**
 * Largest body that is sent in one write with its head, in bytes. Up to this size a copy costs less than a second write:
 * Node writes a string of less than 16 KiB without allocating a buffer.
 */
const JOINED_BYTES_MAX = 8 * 1024;

/**
 * Sends the answer to a request, and closes the connection afterwards if `close` is set. A client that is still sending is
 * drained for a moment.
 *
 * @returns A promise that resolves when a stream has ended; undefined for any other answer.
 * @throws {unknown} Any error of a stream; the response is left open: see {@link cut}.
 */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  {status, rawHeaders, body}: HttpAnswer,
  options: SendOptions,
): Promise<void> | undefined {
  // Node accepts alternating names and values, and writes them unchanged.
  response.writeHead(status, rawHeaders.concat(connectionHeaders(response, options)));
  if (!isStream(body)) {
    if (options.arrived) end(response, body);
    else linger(request, response, body, options.timeouts.lingerMs);
    return undefined;
  }
  return sendStream(response, body, options).then(() => {
    if (request.complete || request.destroyed) response.end();
    else linger(request, response, undefined, options.timeouts.lingerMs);
  });
}

/** Returns the headers about the connection that Node does not add by itself. */
function connectionHeaders(response: ServerResponse, {close, timeouts}: SendOptions): readonly string[] {
  if (close) return CLOSE;
  // Without it a client could reuse the connection at the moment when it is closed.
  return response.shouldKeepAlive ? ['Keep-Alive', `timeout=${Math.floor(timeouts.idleTimeoutMs / 1000)}`] : [];
}

function end(response: ServerResponse, body: string | Uint8Array | undefined): void {
  const {socket} = response;
  if (body === undefined || body.length > JOINED_BYTES_MAX || socket === null) {
    response.end(body);
    return;
  }
  // By default Node writes head, body and end separately. It joins a string to the head; and since both are written
  // before `end`, nothing is left to write then.
  socket.cork();
  response.write(toByteText(body), 'latin1');
  socket.uncork();
  response.end();
}

/** Returns the body as a latin1 string: one character for each byte. */
function toByteText(body: string | Uint8Array): string {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) return body;
  return toBuffer(body).toString('latin1');
}

function toBuffer(body: string | Uint8Array): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Closes a connection in the middle of an answer, such that the client notices the truncation. */
export function cut(socket: Socket, response: ServerResponse): void {
  // With chunked encoding the missing last chunk shows that the body is truncated. Without it only a TCP reset does.
  if (response.headersSent && !response.chunkedEncoding && !response.writableEnded) socket.resetAndDestroy();
  else socket.destroySoon();
}

/**
 * Sends the answer at once, and drains for a moment what the client is still sending: closing earlier would reset the
 * connection, and the client might never see the answer (RFC 9112 section 9.6).
 */
function linger(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array | undefined,
  lingerMs: number,
): void {
  // Node sends the headers with the body, but HEAD has no body.
  if (body === undefined || request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  const {socket} = request;
  const finish = (): void => {
    clearTimeout(timer);
    request.off('end', finish);
    socket.off('end', finish).off('close', finish);
    response.end();
  };
  const timer = setTimeout(finish, lingerMs);
  request.on('end', finish).resume();
  socket.on('end', finish).on('close', finish);
}

/** Sends an answer on a socket without a response, and closes the connection like {@link send}. */
export function sendRaw(socket: Socket, {status, rawHeaders, body = ''}: HttpAnswer, lingerMs: number): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (const [name, value] of headerPairs(rawHeaders)) lines.push(`${name}: ${value}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  socket.resume();
}

export interface RefuseDeps {
  readonly newRequestId: () => string;
  /** Called for each request that could not be read or answered. */
  readonly onBadRequest: (error: AppError, requestId: string) => void;
  readonly timeouts: Pick<ServerTimeouts, 'lingerMs'>;
}

export interface ExchangeDeps extends RefuseDeps {
  readonly timeouts: ServerTimeouts;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Reports a request that could not be read or answered. @returns The answer to it. */
export function reportBadRequest(
  failure: Failure,
  {newRequestId, onBadRequest}: Pick<RefuseDeps, 'newRequestId' | 'onBadRequest'>,
): WholeAnswer {
  const requestId = newRequestId();
  const error = new AppError(failure);
  onBadRequest(error, requestId);
  return failureAnswer(error, requestId);
}

/** Answers on a socket without a request, and closes the connection. @param complete Changes the answer. */
export function closeWithFailure(
  socket: Socket,
  failure: Failure,
  deps: RefuseDeps,
  complete: (answered: WholeAnswer) => HttpAnswer = answered => answered,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  sendRaw(socket, complete(reportBadRequest(failure, deps)), deps.timeouts.lingerMs);
}

/** Enqueues an exchange, or closes the connection if too many wait already. */
export function enqueueOrClose(connection: Connection, exchange: Exchange, deps: RefuseDeps): void {
  if (connection.enqueue(exchange)) return;
  reportBadRequest(
    {code: 'malformed-request', problem: `${PIPELINED_MAX} requests wait on its connection already`},
    deps,
  );
  connection.socket.destroy();
}
