import type {IncomingMessage} from 'node:http';
import type {Socket} from 'node:net';
import {type ServerOptions, type WebSocket, WebSocketServer} from 'ws';
import {AppError} from '../../core/failures/app-error.ts';
import type {AnyFailure} from '../../core/failures/failure.ts';
import {API_HEADER, API_VERSION} from '../../core/protocol/headers/api-header.ts';
import type {HttpStream} from '../core/message.ts';
import type {ExchangeDeps, ServerTimeouts} from './send.ts';
import {isExpected, returnIterator} from './send-stream.ts';

/**
 * Largest message of a client that is read, in bytes. Clients must not send messages; one that is sent by mistake is read
 * so that the socket can be closed with a reason.
 */
export const MESSAGE_BYTES_MAX = 64 * 1024;

/** Maximum size of a close reason, in bytes (RFC 6455 section 5.5: 125 together with the code). */
const REASON_BYTES_MAX = 123;

/** Close codes (RFC 6455 section 7.4.1; 1013 is in the IANA registry). */
const CLOSE_CODES = {stop: 1001, message: 1008, defect: 1011, tryAgain: 1013} as const;

/** Uses the server of the library for the handshake only; no subprotocol is supported. */
const HANDSHAKE_OPTIONS: ServerOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MESSAGE_BYTES_MAX,
  handleProtocols: () => false,
};

/** Result of a handshake: a WebSocket, or the problem with the request; neither if the client has disconnected. */
export interface Handshake {
  readonly webSocket?: WebSocket;
  readonly problem?: string;
}

/** Answers a WebSocket handshake (RFC 6455 section 4.2.2). @param head Bytes that arrived after the request. */
export function shakeHands(request: IncomingMessage, socket: Socket, head: Buffer): Handshake {
  // Version 8 sends the origin in another header, which the guard does not check.
  if (request.headers['sec-websocket-version'] !== '13') return {problem: 'Sec-WebSocket-Version has to be 13'};
  let handshake: Handshake = {};
  const server = new WebSocketServer(HANDSHAKE_OPTIONS);
  // One of the two callbacks is called before `handleUpgrade` returns.
  server.on('headers', headers => void headers.push(`${API_HEADER}: ${API_VERSION}`));
  server.on('wsClientError', ({message}) => (handshake = {problem: message}));
  server.handleUpgrade(request, socket, head, webSocket => (handshake = {webSocket}));
  return handshake;
}

export interface SendFramesOptions extends Pick<ExchangeDeps, 'onError'>, Pick<ServerTimeouts, 'pingIntervalMs'> {
  /** Closes the WebSocket: the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Sends frames as they are produced, each after the operating system accepted the one before. Resolves when the client
 * disconnects or closes the WebSocket, sends a message (1008), the server stops (1001), or the frames fail. The close
 * reason of a failure is JSON (1013 for `too-slow`, with the cursor to resume from).
 */
export async function sendFrames(webSocket: WebSocket, frames: HttpStream, options: SendFramesOptions): Promise<void> {
  const {signal, onError} = options;
  const iterator = frames[Symbol.asyncIterator]();
  const stopPings = startPings(webSocket, options.pingIntervalMs);
  try {
    const outcome = await Promise.race([whenClosing(webSocket, signal), pump(webSocket, iterator)]);
    if (outcome === 'closing') void returnIterator(iterator, onError);
    // Does nothing if it is closed already.
    webSocket.close(CLOSE_CODES.stop, 'The service stops');
  } catch (error) {
    if (!isExpected(error)) onError(error);
    closeWith(webSocket, error);
  } finally {
    stopPings();
  }
}

/** Resolves when the client disconnects or sends a message, or the server stops. */
function whenClosing(webSocket: WebSocket, signal: AbortSignal): Promise<'closing'> {
  return new Promise(resolve => {
    const end = (): void => resolve('closing');
    webSocket.once('close', end);
    // The library closes by itself on invalid frames: 1002, 1007 (not UTF-8), 1009 (too large).
    webSocket.on('error', end);
    webSocket.once('message', () => {
      webSocket.close(
        CLOSE_CODES.message,
        'Cannot accept a message: this WebSocket only sends events, use requests instead',
      );
      end();
    });
    signal.addEventListener('abort', end, {once: true});
    if (signal.aborted) end();
  });
}

async function pump(webSocket: WebSocket, iterator: AsyncIterator<string | Uint8Array>): Promise<'done'> {
  for (;;) {
    const {done, value} = await iterator.next();
    if (done || webSocket.readyState !== webSocket.OPEN) return 'done';
    // The callback gets an error if the client has disconnected; the next call returns 'done' then.
    await new Promise<void>(resolve => webSocket.send(value, {binary: false}, () => resolve()));
  }
}

/** Pings the client, and disconnects it if it does not answer. @returns A function that stops the pings. */
function startPings(webSocket: WebSocket, intervalMs: number): () => void {
  let answered = true;
  const timer = setInterval(() => {
    // First read a pong that arrived while this process was busy, or the machine asleep.
    if (!answered) setImmediate(() => answered || webSocket.terminate());
    else if (webSocket.readyState === webSocket.OPEN) {
      answered = false;
      webSocket.ping();
    }
  }, intervalMs);
  webSocket.on('pong', () => (answered = true));
  return () => clearInterval(timer);
}

function closeWith(webSocket: WebSocket, error: unknown): void {
  const failure: AnyFailure | undefined = error instanceof AppError ? error.failure : undefined;
  const again = failure?.code === 'too-slow' || failure?.code === 'busy';
  webSocket.close(again ? CLOSE_CODES.tryAgain : CLOSE_CODES.defect, formatReason(failure ?? {code: 'internal'}));
}

function formatReason(failure: {readonly code: string}): string {
  const reason = JSON.stringify(failure);
  return Buffer.byteLength(reason) <= REASON_BYTES_MAX ? reason : JSON.stringify({code: failure.code});
}
