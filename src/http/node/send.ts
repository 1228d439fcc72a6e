import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http';
import type {Socket} from 'node:net';
import {type HttpAnswer, isStream, type WholeAnswer} from '../core/message.ts';
import {type SendStreamOptions, sendStream} from './send-stream.ts';

/** How an answer is sent. */
export interface SendOptions extends SendStreamOptions {
  /** Whether it is the last one of its connection. */
  readonly close: boolean;
  /** Whether all of the request arrived, or nothing more will. */
  readonly arrived: boolean;
  readonly timeouts: {
    /** How long a connection is kept on which nothing moves, in milliseconds. */
    readonly idleTimeoutMs: number;
    /** How long what a client still sends is read and dropped after the answer, in milliseconds. */
    readonly lingerMs: number;
  };
}

const CLOSE: readonly string[] = ['Connection', 'close'];

/**
 * Largest body that is sent in one piece with its head, in bytes. Up to here copying it costs less than a second piece:
 * Node hands a text of less than 16 KiB to the system without memory of its own for it.
 */
const JOINED_BYTES_MAX = 8 * 1024;

/**
 * Answers a request. Afterwards the connection is closed if asked for; a client that is still sending is read for a moment.
 *
 * @returns When a stream is over; otherwise at once.
 * @throws {unknown} What a stream throws, with the response open: see {@link cut}.
 */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  {status, rawHeaders, body}: HttpAnswer,
  options: SendOptions,
): Promise<void> | undefined {
  // Node takes names and values in turn, and writes them as they are.
  response.writeHead(status, rawHeaders.concat(describeConnection(response, options)));
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

/** What an answer says of its connection, besides what Node says. */
function describeConnection(response: ServerResponse, {close, timeouts}: SendOptions): readonly string[] {
  if (close) return CLOSE;
  // Clients would otherwise use it in the moment in which it is closed.
  return response.shouldKeepAlive ? ['Keep-Alive', `timeout=${Math.floor(timeouts.idleTimeoutMs / 1000)}`] : [];
}

function end(response: ServerResponse, body: string | Uint8Array | undefined): void {
  const {socket} = response;
  if (body === undefined || body.length > JOINED_BYTES_MAX || socket === null) {
    response.end(body);
    return;
  }
  // By itself Node makes three pieces of head, body and end. A text it puts behind the head; and what is with the
  // system before the end is said leaves nothing to send with that.
  socket.cork();
  response.write(toByteText(body), 'latin1');
  socket.uncork();
  response.end();
}

/** A text of which each unit is a byte of the body. */
function toByteText(body: string | Uint8Array): string {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) return body;
  return toBuffer(body).toString('latin1');
}

function toBuffer(body: string | Uint8Array): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Ends a connection in the middle of an answer, so that nobody takes what came of it for the whole. */
export function cut(socket: Socket, response: ServerResponse): void {
  // The last chunk says that it is the last one. Where the end of the connection says so, only a reset does not.
  if (response.headersSent && !response.chunkedEncoding && !response.writableEnded) socket.resetAndDestroy();
  else socket.destroySoon();
}

/**
 * Sends the answer at once, and reads for a moment what the client is still sending: closing before that
 * would reset the connection, and the client might never see the answer (RFC 9112 section 9.6).
 */
function linger(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array | undefined,
  lingerMs: number,
): void {
  // Node sends the headers with the body, but there is no body to send with HEAD.
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

/** Sends an answer where there is no request to answer, and closes the connection like {@link send}. */
export function sendRaw(socket: Socket, {status, rawHeaders, body = ''}: WholeAnswer, lingerMs: number): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  socket.resume();
}
