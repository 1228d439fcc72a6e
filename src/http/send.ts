import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http';
import type {Socket} from 'node:net';
import {type HttpAnswer, isStream, type WholeAnswer} from './message.ts';
import {type SendStreamOptions, sendStream} from './send-stream.ts';

/** How an answer is sent. */
export interface SendOptions extends SendStreamOptions {
  /** Whether it is the last one of its connection. */
  readonly close: boolean;
  /** How long what a client still sends is read and dropped after the answer, in milliseconds. */
  readonly lingerMs: number;
}

/**
 * Answers a request. Afterwards the connection is closed if asked for, or if the request did not arrive whole.
 *
 * @returns When a stream is over; otherwise at once.
 * @throws {unknown} What a stream throws, with the response open: see {@link cut}.
 */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  {status, rawHeaders, body, longLived}: HttpAnswer,
  options: SendOptions,
): Promise<void> | undefined {
  // Node takes names and values in turn, and writes them as they are.
  response.writeHead(status, (options.close ? [...rawHeaders, 'Connection', 'close'] : rawHeaders) as string[]);
  if (!isStream(body)) {
    end(request, response, body, options.lingerMs);
    return undefined;
  }
  // The rest of the request would keep from sight that its client is gone. A shorter stream may be made of it.
  if (longLived) request.resume();
  return sendStream(response, body, options).then(() => end(request, response, undefined, options.lingerMs));
}

function end(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array | undefined,
  lingerMs: number,
): void {
  if (request.complete || request.destroyed) response.end(body);
  else linger(request, response, body, lingerMs);
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
