import {EventEmitter} from 'node:events';
import type {IncomingMessage, Server} from 'node:http';
import type {Socket} from 'node:net';
import {headerValues} from '../../protocol/raw-headers.ts';
import type {HttpStream, WebSocketHandler, WebSocketOutcome} from '../core/message.ts';
import {type Connection, PIPELINED_MAX, type Turn, type TurnResponse} from './connection.ts';
import type {NodeServerDeps} from './create-server.ts';
import {refuse, reportBadRequest} from './refuse.ts';
import {hasBody, NodeRequest} from './request.ts';
import {sendRaw} from './send.ts';

/** A request that asks to upgrade its connection, which Node has let go of. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** What came after the head of the request: its body, and the requests behind it. */
  readonly rest: Buffer;
}

/** Lets a request that asks to upgrade its connection have its turn: a web socket is opened, all else answered plainly. */
export function takeUpgrade(server: Server, upgrade: Upgrade, deps: NodeServerDeps): void {
  const {socket} = upgrade;
  // With its other listeners Node has removed the one for errors.
  socket.on('error', ignore);
  const connection = deps.connections.of(socket);
  if (connection === undefined || connection.closing || connection.broken) {
    // It gets no further answer; only reading shows when its client is gone.
    socket.resume();
    return;
  }
  if (connection.take(new UpgradeTurn(server, upgrade, connection, deps))) return;
  reportBadRequest({code: 'malformed-request', problem: `${PIPELINED_MAX} wait on its connection already`}, deps);
  socket.destroy();
}

class UpgradeTurn implements Turn {
  readonly request: NodeRequest;
  readonly response: UpgradeResponse;
  readonly #server: Server;
  readonly #upgrade: Upgrade;
  readonly #connection: Connection;
  readonly #deps: NodeServerDeps;

  constructor(server: Server, upgrade: Upgrade, connection: Connection, deps: NodeServerDeps) {
    this.#server = server;
    this.#upgrade = upgrade;
    this.#connection = connection;
    this.#deps = deps;
    this.request = new NodeRequest(upgrade.request, {
      answerTo: upgrade.socket,
      timeoutMs: deps.timeouts.requestTimeoutMs,
      connection,
    });
    this.response = new UpgradeResponse(upgrade.socket);
  }

  start(): void {
    const {request, socket} = this.#upgrade;
    const {webSockets} = this.#deps;
    if (webSockets === undefined || !asksForWebSocket(request, webSockets)) {
      this.response.handBack();
      answerPlainly(this.#server, this.#upgrade);
      return;
    }
    webSockets
      .open(this.request)
      .then(outcome => this.#answer(outcome))
      .catch(error => {
        this.#deps.onError(error);
        socket.destroy();
      });
  }

  async #answer(outcome: WebSocketOutcome): Promise<void> {
    if (outcome.kind === 'refused') {
      this.#connection.enter('sending');
      return sendRaw(this.#upgrade.socket, outcome.answer, this.#deps.timeouts.lingerMs);
    }
    this.#connection.enter('listening');
    try {
      await this.#send(outcome.frames);
    } finally {
      // It is closed, or about to be; all that is left is what its client does.
      this.#connection.enter('sending');
      this.request.stop();
    }
  }

  async #send(frames: HttpStream): Promise<void> {
    const {request, socket, rest} = this.#upgrade;
    // Loaded with the first one: most programs never ask for any.
    const {sendFrames, shakeHands} = await import('./web-socket.ts');
    const {webSocket, problem} = shakeHands(request, socket, rest);
    if (problem !== undefined)
      refuse(socket, {code: 'malformed-request', problem: `its handshake: ${problem}`}, this.#deps);
    if (webSocket === undefined) return;
    const {onError, timeouts} = this.#deps;
    await sendFrames(webSocket, frames, {
      signal: this.request.signal,
      pingIntervalMs: timeouts.pingIntervalMs,
      onError,
    });
  }
}

/** What stands for the response: the rest of the connection, unless it is handed back. */
class UpgradeResponse extends EventEmitter<{close: []}> implements TurnResponse {
  /** What giving up would tell the client cannot be told any more. */
  readonly headersSent = true;
  readonly #socket: Socket;
  readonly #end = (): void => void this.emit('close');

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.once('close', this.#end);
  }

  get writableEnded(): boolean {
    return this.#socket.writableEnded;
  }

  handBack(): void {
    this.#socket.off('close', this.#end).off('error', ignore);
    this.#end();
  }
}

function ignore(): void {}

/**
 * Whether a request asks for a web socket that there is (RFC 6455 section 4.1), rather than for another protocol or
 * nothing. It has no body, since what follows are frames.
 */
function asksForWebSocket(request: IncomingMessage, {has}: WebSocketHandler): boolean {
  const {method, url = '', httpVersion, rawHeaders} = request;
  const [protocol, second] = headerValues(rawHeaders, 'upgrade');
  const wanted = method === 'GET' && protocol?.toLowerCase() === 'websocket' && second === undefined;
  // HTTP/1.0 knows no upgrade (RFC 9110 section 7.8).
  return wanted && httpVersion === '1.1' && !hasBody(request) && has(url);
}

/**
 * Lets a server read a request once more, as if it had not asked to upgrade: a server may do that (RFC 9110 section
 * 7.8), and Node, which leaves such a connection to whoever wants it, does not take it back by itself. Nothing may have
 * been read from the socket since.
 */
function answerPlainly(server: Server, {request, socket, rest}: Upgrade): void {
  socket.unshift(Buffer.concat([formatHead(request), rest]));
  server.emit('connection', socket);
}

/** The bytes of a head as they came, but for the wish to upgrade. */
function formatHead({method, url, httpVersion, rawHeaders}: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
