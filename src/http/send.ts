import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http';
import type {Socket} from 'node:net';
import type {HttpAnswer} from './message.ts';

/** How an answer is sent. */
export interface SendOptions {
  /** Whether it is the last one of its connection. */
  readonly close: boolean;
  /** How long what a client still sends is read and dropped after the answer, in milliseconds. */
  readonly lingerMs: number;
}

/** Answers a request. Afterwards the connection is closed if asked for, or if the request did not arrive whole. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  {status, rawHeaders, body}: HttpAnswer,
  {close, lingerMs}: SendOptions,
): void {
  // Node takes names and values in turn, and writes them as they are.
  response.writeHead(status, (close ? [...rawHeaders, 'Connection', 'close'] : rawHeaders) as string[]);
  if (request.complete || request.destroyed) response.end(body);
  else linger(request, response, body, lingerMs);
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
export function sendRaw(socket: Socket, {status, rawHeaders, body = ''}: HttpAnswer, lingerMs: number): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  socket.resume();
}
