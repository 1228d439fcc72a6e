import type {IncomingMessage} from 'node:http';
import type {Socket} from 'node:net';
import {type ServerOptions, type WebSocket, WebSocketServer} from 'ws';
import {AppError, type Failure} from '../../domain/failure.ts';
import type {HttpStream} from '../core/message.ts';
import {isForeseen, returnIterator} from './send-stream.ts';

/**
 * Largest message of a client that is read at all, in bytes. None is wanted; this is room for one that came by mistake,
 * so that it is answered with a reason.
 */
export const MESSAGE_BYTES_MAX = 64 * 1024;

/** Longest reason of a close, in bytes (RFC 6455 section 5.5: 125 together with the code). */
const REASON_BYTES_MAX = 123;

/** Why a web socket is closed (RFC 6455 section 7.4.1, and the registry of IANA for 1013). */
const CLOSE_CODES = {stop: 1001, message: 1008, defect: 1011, tryAgain: 1013} as const;

/** Only the handshake is left to the server of the library; of the protocols that a client may name none is spoken. */
const HANDSHAKE_OPTIONS: ServerOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MESSAGE_BYTES_MAX,
  handleProtocols: () => false,
};

/** What came of a handshake: a web socket, or what is wrong with the request; neither when its client is gone. */
export interface Handshake {
  readonly webSocket?: WebSocket;
  readonly problem?: string;
}

/** Answers a request for a web socket (RFC 6455 section 4.2.2). @param head What came after it. */
export function shakeHands(request: IncomingMessage, socket: Socket, head: Buffer): Handshake {
  // Version 8 has another header for the origin, which the guard has not seen.
  if (request.headers['sec-websocket-version'] !== '13') return {problem: 'Sec-WebSocket-Version has to be 13'};
  let shaken: Handshake = {};
  const server = new WebSocketServer(HANDSHAKE_OPTIONS);
  // Either is called before the last call returns.
  server.on('wsClientError', ({message}) => (shaken = {problem: message}));
  server.handleUpgrade(request, socket, head, webSocket => (shaken = {webSocket}));
  return shaken;
}

/** How frames are sent. */
export interface SendFramesOptions {
  /** Closes the web socket: the server stops. */
  readonly signal: AbortSignal;
  /** How often the client is asked whether it is there; one that has not answered by the next time is cut off. */
  readonly pingIntervalMs: number;
  /** Told of defects. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends frames as they are made, each once the system took the one before it. Resolves once it is over: the client is
 * gone or closed the web socket, sent a message (1008), the server stops (1001), or the frames failed, which the client
 * is told as JSON in the reason (1013 for `subscriber-too-slow`, with the cursor to go on from).
 */
export async function sendFrames(webSocket: WebSocket, frames: HttpStream, options: SendFramesOptions): Promise<void> {
  const {signal, onError} = options;
  const iterator = frames[Symbol.asyncIterator]();
  const stopPings = startPings(webSocket, options.pingIntervalMs);
  try {
    const outcome = await Promise.race([whenOver(webSocket, signal), pump(webSocket, iterator)]);
    if (outcome === 'over') void returnIterator(iterator, onError);
    // Does nothing where it is closed already.
    webSocket.close(CLOSE_CODES.stop, 'The service stops');
  } catch (error) {
    if (!isForeseen(error)) onError(error);
    closeWith(webSocket, error);
  } finally {
    stopPings();
  }
}

/** Resolves when the client is gone, has said something, or the server stops. */
function whenOver(webSocket: WebSocket, signal: AbortSignal): Promise<'over'> {
  return new Promise(resolve => {
    const end = (): void => resolve('over');
    webSocket.once('close', end);
    // The library answers wrong frames by itself: 1002, 1007 for what is not UTF-8, 1009 for what is too large.
    webSocket.on('error', end);
    webSocket.once('message', () => {
      webSocket.close(CLOSE_CODES.message, 'Cannot take a message: this web socket only tells, send requests instead');
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
    // Called back with an error when the client is gone, which is no news.
    await new Promise<void>(resolve => webSocket.send(value, {binary: false}, () => resolve()));
  }
}

/** @returns What stops them. */
function startPings(webSocket: WebSocket, intervalMs: number): () => void {
  let answered = true;
  const timer = setInterval(() => {
    // What came while this process was busy, or the machine asleep, is read first.
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
  const failure: Failure | undefined = error instanceof AppError ? error.failure : undefined;
  const again = failure?.code === 'subscriber-too-slow' || failure?.code === 'too-many-subscribers';
  webSocket.close(again ? CLOSE_CODES.tryAgain : CLOSE_CODES.defect, formatReason(failure ?? {code: 'internal'}));
}

function formatReason(failure: {readonly code: string}): string {
  const reason = JSON.stringify(failure);
  return Buffer.byteLength(reason) <= REASON_BYTES_MAX ? reason : JSON.stringify({code: failure.code});
}
