import {createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Failure} from '../../domain/failure.ts';
import {headerValues} from '../../protocol/raw-headers.ts';
import type {HttpHandler, WebSocketHandler} from '../core/message.ts';
import {PIPELINED_MAX} from './connection.ts';
import type {Connections} from './connection-pool.ts';
import {type Exchange, NodeTurn} from './exchange.ts';
import {type RefuseDeps, refuse, reportBadRequest} from './refuse.ts';
import {hasBody} from './request.ts';
import {takeUpgrade} from './upgrade.ts';

/** What {@link createNodeServer} needs. */
export interface NodeServerDeps extends RefuseDeps {
  readonly handle: HttpHandler;
  /** @default {no web sockets} */
  readonly webSockets?: WebSocketHandler;
  readonly connections: Connections;
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  readonly timeouts: ServerTimeouts;
  /** Told of defects, and of connections that the system could not hand over. */
  readonly onError: (error: unknown) => void;
}

/** How long a server waits for its clients, in milliseconds. */
export interface ServerTimeouts {
  /** For the headers of a request, from the beginning of the connection or of the request. */
  readonly headersTimeoutMs: number;
  /** For a whole body to arrive once it is read; for the next piece of one that is read in pieces. */
  readonly requestTimeoutMs: number;
  /** For anything to move on a connection: its next request, or what it takes of an answer. */
  readonly idleTimeoutMs: number;
  /** How often late requests are looked for. */
  readonly checkIntervalMs: number;
  /** For the rest of a request that is already answered. */
  readonly lingerMs: number;
  /** For requests in flight once the server stops. */
  readonly stopTimeoutMs: number;
  /** How often a client of a web socket is asked whether it is there; it has to say so before the next time. */
  readonly pingIntervalMs: number;
}

interface NodeServerOptions extends ServerOptions {
  /**
   * Whether a request that asks for it may have its connection. Node knows it since 24.9, and since then keeps the body,
   * which before was left on the connection.
   */
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

/** Makes a server of Node that answers through a handler; it does not listen yet. */
export function createNodeServer(deps: NodeServerDeps): Server {
  const {connections, timeouts} = deps;
  const declined = new WeakSet<IncomingMessage>();
  const options: NodeServerOptions = {
    headersTimeout: timeouts.headersTimeoutMs,
    // Of Node it would cut a body that is long and moves; see NodeRequest.
    requestTimeout: 0,
    // The timeout below is for this too. Two that differ Node would set anew with each request, and with each answer.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: timeouts.checkIntervalMs,
    maxHeaderSize: deps.headerBytesMax,
    // The guard answers for these itself, in the form of every other failure.
    requireHostHeader: false,
    insecureHTTPParser: false,
    shouldUpgradeCallback: request => {
      if (!hasBody(request)) return true;
      // Node loses what came together with it.
      declined.add(request);
      return false;
    },
  };
  const server = createServer(options);
  // By default Node drops what comes behind the 2,000th header without a word, and there may stand what the guard looks
  // for. Their size has a limit all the same.
  server.maxHeadersCount = 0;
  // Also while an answer is sent: who does not read it must not keep the connection for ever.
  server.timeout = timeouts.idleTimeoutMs;
  // A client may end its side with its last request and still wants the answer; by default Node would end
  // the connection without it. The property is as old as the module, but not in its documentation.
  Object.assign(server, {httpAllowHalfOpen: true});
  server.on('connection', (socket: Socket) => {
    // One that is handed back after it asked to upgrade is counted already.
    if (connections.of(socket) !== undefined || connections.add(socket)) return;
    refuse(socket, {code: 'too-many-connections', connectionsMax: deps.connectionsMax}, deps);
  });
  const makeExchange = (request: IncomingMessage, response: ServerResponse): Exchange => ({
    request,
    response,
    last: declined.has(request),
  });
  server.on('request', (request, response) => take(makeExchange(request, response), deps.handle, deps));
  server.on('checkContinue', (request, response) =>
    take({...makeExchange(request, response), awaiting: response}, deps.handle, deps),
  );
  const refuseExpectation: HttpHandler = async () =>
    reportBadRequest({code: 'invalid-header', header: 'Expect', problem: 'only 100-continue is understood'}, deps);
  server.on('checkExpectation', (request, response) => take(makeExchange(request, response), refuseExpectation, deps));
  server.on('connect', (_request, socket) =>
    breakConnection(socket as Socket, {code: 'malformed-request', problem: 'it asks for a tunnel'}, deps),
  );
  server.on('upgrade', (request, socket, rest) => takeUpgrade(server, {request, socket: socket as Socket, rest}, deps));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const failure = describeClientError(error);
    if (failure === undefined) socket.destroy();
    else breakConnection(socket as Socket, failure, deps);
  });
  return server;
}

/** Lets a request have its turn on its connection. */
function take(read: Exchange, asked: HttpHandler, deps: NodeServerDeps): void {
  const {socket} = read.request;
  const problem = findFramingProblem(read.request);
  // Where the next request begins is not certain either.
  const exchange = problem === undefined ? read : {...read, last: true};
  const handle = problem === undefined ? asked : refuseFraming(problem, deps);
  const connection = deps.connections.of(socket);
  // A connection that was refused, or gets no further answer: what it asks for must not happen.
  if (connection === undefined || connection.closing || connection.broken) return;
  if (connection.take(new NodeTurn(exchange, connection, handle, deps))) {
    if (exchange.last) connection.broken = true;
    return;
  }
  reportBadRequest({code: 'malformed-request', problem: `${PIPELINED_MAX} wait on its connection already`}, deps);
  socket.destroy();
}

/**
 * What makes a request one that other parsers could read differently, of what Node's own lets through. RFC 9112 section
 * 6.1 has 501 for an unknown transfer coding; Node answers most of them with 400, and this answers the rest alike.
 */
function findFramingProblem({httpVersion, rawHeaders}: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `it says that it is HTTP/${httpVersion}`;
  const codings = headerValues(rawHeaders, 'transfer-encoding');
  if (codings.length === 0) return undefined;
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked'
    ? undefined
    : 'its Transfer-Encoding is not "chunked" alone';
}

function refuseFraming(problem: string, deps: NodeServerDeps): HttpHandler {
  return () => reportBadRequest({code: 'malformed-request', problem}, deps);
}

/** Refuses what cannot be read, in its turn. */
function breakConnection(socket: Socket, failure: Failure, deps: NodeServerDeps): void {
  const connection = deps.connections.of(socket);
  // A refused connection has its answer and is about to close.
  connection?.break(failure, () => refuse(socket, failure, deps));
}

/** The failure to answer with, or undefined when nobody is left to answer. */
function describeClientError({code = '', message}: NodeJS.ErrnoException): Failure | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return {code: 'request-timeout'};
  if (code === 'HPE_HEADER_OVERFLOW') return {code: 'headers-too-large'};
  if (!code.startsWith('HPE_')) return undefined;
  return {code: 'malformed-request', problem: message.replace(/^Parse Error: /, '')};
}
