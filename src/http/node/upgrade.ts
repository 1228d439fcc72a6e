import {EventEmitter} from 'node:events';
import type {IncomingMessage, Server} from 'node:http';
import type {Socket} from 'node:net';
import {headerPairs, headerValues} from '../../core/protocol/headers/raw-headers.ts';
import type {HttpAnswer, HttpHandler, HttpStream} from '../core/message.ts';
import type {Connection, Exchange, ExchangeResponse} from './connections/connection.ts';
import type {Connections} from './connections/connection-pool.ts';
import {NodeRequest} from './request.ts';
import {closeWithFailure, type ExchangeDeps, enqueueOrClose, sendRaw} from './send.ts';

/** A request that asks to upgrade its connection; Node has detached from the socket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** Bytes that arrived after the head of the request: its body, and pipelined requests. */
  readonly rest: Buffer;
}

export interface UpgradeDeps extends ExchangeDeps {
  readonly handle: HttpHandler;
  readonly connections: Connections;
}

/** Enqueues a request that asks to upgrade its connection: a WebSocket is opened, other protocols are answered without upgrade. */
export function enqueueUpgrade(server: Server, upgrade: Upgrade, deps: UpgradeDeps): void {
  const {request, socket} = upgrade;
  const connection = deps.connections.of(socket);
  // At once, even while the connection is suspended: nothing can be read again after its client has ended its side.
  if (connection?.state === 'idle' && connection.acceptsRequests && !asksForWebSocket(request)) {
    declineUpgrade(server, upgrade);
    return;
  }
  // Node has removed its error listener together with its others.
  socket.on('error', ignore);
  if (connection?.acceptsRequests)
    enqueueOrClose(connection, new UpgradeExchange(server, upgrade, connection, deps), deps);
  // It gets no further answer. Keep reading: otherwise the end of the connection goes unnoticed.
  else socket.resume();
}

class UpgradeExchange implements Exchange {
  readonly request: NodeRequest;
  readonly response: UpgradeResponse;
  readonly isLast = false;
  readonly #server: Server;
  readonly #upgrade: Upgrade;
  readonly #connection: Connection;
  readonly #deps: UpgradeDeps;

  constructor(server: Server, upgrade: Upgrade, connection: Connection, deps: UpgradeDeps) {
    this.#server = server;
    this.#upgrade = upgrade;
    this.#connection = connection;
    this.#deps = deps;
    this.request = new NodeRequest(upgrade.request, {
      answerTo: upgrade.socket,
      opensWebSocket: true,
      timeoutMs: deps.timeouts.requestTimeoutMs,
      connection,
    });
    this.response = new UpgradeResponse(upgrade.socket);
  }

  async start(): Promise<void> {
    const {request, socket} = this.#upgrade;
    if (!asksForWebSocket(request)) {
      this.response.handBack();
      declineUpgrade(this.#server, this.#upgrade);
      return;
    }
    const problem = findHandshakeProblem(request);
    if (problem !== undefined) {
      // It is uncertain where the next request begins.
      this.#connection.enter('sending');
      closeWithFailure(socket, {code: 'malformed-request', problem}, this.#deps);
      return;
    }
    const stopWatching = closeWithClient(socket);
    try {
      const answered = await this.#deps.handle(this.request);
      stopWatching();
      await this.#answer(answered);
    } catch (error) {
      this.#deps.onError(error);
      socket.destroy();
    }
  }

  async #answer({webSocket, ...refusal}: HttpAnswer): Promise<void> {
    const {socket, rest} = this.#upgrade;
    if (webSocket === undefined) {
      this.#connection.enter('sending');
      return sendRaw(socket, refusal, this.#deps.timeouts.lingerMs);
    }
    this.#connection.enter('listening');
    try {
      // A WebSocket may be silent for long.
      if (typeof webSocket === 'function') await webSocket(socket.setTimeout(0), rest, this.request.signal);
      else await this.#send(webSocket);
    } finally {
      // It is closed, or waits for its client to close it.
      this.#connection.enter('sending');
      this.request.stop();
    }
  }

  async #send(frames: HttpStream): Promise<void> {
    const {request, socket, rest} = this.#upgrade;
    // Loaded on demand: most clients never open a WebSocket.
    const {sendFrames, shakeHands} = await import('./web-socket.ts');
    const {webSocket, problem} = shakeHands(request, socket, rest);
    if (problem !== undefined)
      closeWithFailure(socket, {code: 'malformed-request', problem: `its handshake: ${problem}`}, this.#deps);
    if (webSocket === undefined) return;
    const {onError, timeouts} = this.#deps;
    await sendFrames(webSocket, frames, {
      signal: this.request.signal,
      pingIntervalMs: timeouts.pingIntervalMs,
      onError,
    });
  }
}

/** Replaces the response: closes with the connection, or when the connection is handed back to Node. */
class UpgradeResponse extends EventEmitter<{close: []}> implements ExchangeResponse {
  /** Always true: an eviction cannot send a failure any more. */
  readonly headersSent = true;
  readonly #socket: Socket;
  readonly #end = (): void => void this.emit('close');

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.once('close', this.#end);
  }

  handBack(): void {
    this.#socket.off('close', this.#end).off('error', ignore);
    this.#end();
  }
}

function ignore(): void {}

/**
 * Closes a connection if its client disconnects before its WebSocket is open. Bytes that arrive stay in the buffer of the socket; once
 * that is full, nothing is noticed.
 *
 * @returns A function that ends this, to be called before the socket is read.
 */
function closeWithClient(socket: Socket): () => void {
  const notice = (): void => {
    // The end is reported only once it is read.
    if (socket.readableLength === 0) socket.read();
  };
  const close = (): void => void socket.destroy();
  socket.on('readable', notice).on('end', close);
  return () => void socket.off('readable', notice).off('end', close);
}

/**
 * Returns whether a request asks for a WebSocket (RFC 6455 section 4.1), rather than for another protocol. Its client waits for 101 or a
 * failure: it would take any other answer for a connection that never opens.
 */
export function asksForWebSocket({httpVersion, rawHeaders}: IncomingMessage): boolean {
  // HTTP/1.0 has no upgrade (RFC 9110 section 7.8).
  return httpVersion === '1.1' && protocolsOf(rawHeaders).includes('websocket');
}

/** Protocols that a request asks for, in lower case. */
function protocolsOf(rawHeaders: readonly string[]): readonly string[] {
  return headerValues(rawHeaders, 'upgrade').flatMap(value => value.split(',').map(each => each.trim().toLowerCase()));
}

/** Returns the reason why a request for a WebSocket opens none; undefined if it may. The bytes that follow it have to be frames. */
export function findHandshakeProblem(request: IncomingMessage): string | undefined {
  if (request.method !== 'GET') return `its handshake: its method is ${request.method}, not GET`;
  if (hasContent(request)) return 'its handshake: it has a body';
  return protocolsOf(request.rawHeaders).length === 1 ? undefined : 'its handshake: it asks for several protocols';
}

/** Returns whether bytes of a body follow a request that asks for an upgrade. JDK clients send a length of zero. */
export function hasContent({rawHeaders}: IncomingMessage): boolean {
  const isEmpty = headerValues(rawHeaders, 'content-length').every(length => Number(length) === 0);
  return !isEmpty || headerValues(rawHeaders, 'transfer-encoding').length > 0;
}

/**
 * Makes a server read a request again without its `Upgrade` header: a server may ignore it (RFC 9110 section 7.8), but
 * Node has detached from the connection by then. Nothing may have been read from the socket since.
 */
function declineUpgrade(server: Server, {request, socket, rest}: Upgrade): void {
  socket.unshift(Buffer.concat([formatHead(request), rest]));
  server.emit('connection', socket);
}

/** Formats the head of a request as it was received, without its `Upgrade` header. */
function formatHead({method, url, httpVersion, rawHeaders}: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (const [name, value] of headerPairs(rawHeaders)) {
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
