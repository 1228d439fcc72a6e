import {createServer, type IncomingMessage, type Server, type ServerOptions} from 'node:http';
import {Socket} from 'node:net';
import type {Limits} from '../../core/domain/limits.ts';
import type {Failure} from '../../core/failures/failure.ts';
import type {HttpAnswer, HttpHandler, WholeAnswer} from '../core/message.ts';
import type {Connections} from './connections/connection-pool.ts';
import {enqueueRequest} from './exchange.ts';
import type {PeerCheck} from './peer-check.ts';
import {closeWithFailure, type RefuseDeps, reportBadRequest} from './send.ts';
import {enqueueUpgrade, hasContent, type UpgradeDeps} from './upgrade.ts';

export interface NodeServerDeps extends UpgradeDeps, JudgePeerDeps {
  readonly limits: Pick<Limits, 'connectionsMax' | 'headerBytesMax'>;
  /** Called with unexpected errors, and with connections that the operating system could not accept. */
  readonly onError: (error: unknown) => void;
  /** Completes the answer to a request whose headers are too large, by the bytes that arrived last. */
  readonly answerLargeHeaders: (answered: WholeAnswer, bytes: Uint8Array) => HttpAnswer;
}

interface NodeServerOptions extends ServerOptions {
  /**
   * True if a request may upgrade its connection. Exists since Node 24.9; since then Node reads the body of such a request,
   * which older versions leave on the connection.
   */
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

/** Creates a Node server that answers with a handler; it does not listen yet. */
export function createNodeServer(deps: NodeServerDeps): Server {
  const declined = new WeakSet<IncomingMessage>();
  const server = createServer(serverOptions(deps, declined));
  // Limit headers by size only: by default Node silently drops those after the 2,000th, and the guard would not see them.
  server.maxHeadersCount = 0;
  // Applies while an answer is sent too: a client that does not read it must not keep the connection for ever.
  server.timeout = deps.timeouts.idleTimeoutMs;
  // A client may half-close after its last request and still read the answer; by default Node would close the connection.
  // The property is as old as the module, but undocumented.
  Object.assign(server, {httpAllowHalfOpen: true});
  server.on('connection', (socket: Socket) => {
    // A connection that is handed back after it asked to upgrade is in the pool already.
    if (deps.connections.of(socket) !== undefined) return;
    // Its client has reset it already: Node may never notice.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    if (deps.connections.add(socket)) judgePeer(socket, deps);
    else closeWithFailure(socket, {code: 'busy', what: 'connections', max: deps.limits.connectionsMax}, deps);
  });
  listenForRequests(server, deps, declined);
  listenForErrors(server, deps);
  return server;
}

function serverOptions({timeouts, limits}: NodeServerDeps, declined: WeakSet<IncomingMessage>): NodeServerOptions {
  return {
    // The default of Node 20; later it is four times that. A body that waits is kept in the chunks in which it came, and each chunk, even of a
    // single byte, takes some hundred bytes.
    highWaterMark: 16 * 1024,
    headersTimeout: timeouts.headersTimeoutMs,
    // Node's own would abort a long body that makes progress; see NodeRequest.
    requestTimeout: 0,
    // `server.timeout` covers this too. With two different timeouts Node would reset both for each request and answer.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: timeouts.checkIntervalMs,
    maxHeaderSize: limits.headerBytesMax,
    // The guard answers such requests, with the same form of failure as any other.
    requireHostHeader: false,
    insecureHTTPParser: false,
    shouldUpgradeCallback: request => {
      if (!hasContent(request)) return true;
      // Node loses requests that arrived together with it.
      declined.add(request);
      return false;
    },
  };
}

function listenForRequests(server: Server, deps: NodeServerDeps, declined: WeakSet<IncomingMessage>): void {
  const refuseExpectation: HttpHandler = () =>
    reportBadRequest({code: 'invalid-header', header: 'Expect', problem: 'only 100-continue is supported'}, deps);
  server
    .on('request', (request, response) =>
      enqueueRequest({request, response, isLast: declined.has(request)}, deps.handle, deps),
    )
    .on('checkContinue', (request, response) =>
      enqueueRequest({request, response, isLast: declined.has(request), awaiting: response}, deps.handle, deps),
    )
    .on('checkExpectation', (request, response) =>
      enqueueRequest({request, response, isLast: declined.has(request)}, refuseExpectation, deps),
    )
    .on('upgrade', (request, socket, rest) => {
      assertSocket(socket);
      enqueueUpgrade(server, {request, socket, rest}, deps);
    });
}

function listenForErrors(server: Server, deps: NodeServerDeps): void {
  server
    .on('connect', (_request, socket) => {
      // Node has removed its error listener together with its others: a reset would end the process.
      socket.on('error', () => socket.destroy());
      breakConnection(socket, {code: 'malformed-request', problem: 'it asks for a tunnel'}, deps);
    })
    .on('clientError', (error: ClientError, socket) => {
      const failure = describeClientError(error);
      const {rawPacket} = error;
      if (failure === undefined) socket.destroy();
      else if (failure.code === 'headers-too-large' && rawPacket !== undefined)
        breakConnection(socket, failure, deps, answered => deps.answerLargeHeaders(answered, rawPacket));
      else breakConnection(socket, failure, deps);
    });
}

/** Refuses unreadable bytes, after the requests before them are answered. */
function breakConnection(
  socket: unknown,
  failure: Failure,
  deps: NodeServerDeps,
  complete?: (answered: WholeAnswer) => HttpAnswer,
): void {
  assertSocket(socket);
  // A refused connection has no entry: it has its answer already and is about to close.
  deps.connections.of(socket)?.break(failure, () => closeWithFailure(socket, failure, deps, complete));
}

/** An error of Node's parser. */
interface ClientError extends NodeJS.ErrnoException {
  /** The bytes that arrived last: the beginning of a request, unless it came in parts. */
  readonly rawPacket?: Uint8Array;
}

/** Node declares sockets as any duplex stream, since a program may pass its own. */
function assertSocket(socket: unknown): asserts socket is Socket {
  if (!(socket instanceof Socket)) throw new TypeError('Expected a socket of node:net');
}

/** Returns the failure to answer with; undefined if the client has disconnected. */
function describeClientError({code = '', message}: NodeJS.ErrnoException): Failure | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return {code: 'too-slow', what: 'request'};
  if (code === 'HPE_HEADER_OVERFLOW') return {code: 'headers-too-large'};
  if (!code.startsWith('HPE_')) return undefined;
  return {code: 'malformed-request', problem: PARSER_PROBLEMS[code] ?? message.replace(/^Parse Error: /, '')};
}

/** Problems that Node's parser does not name, by its codes. */
const PARSER_PROBLEMS: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: 'it does not begin with a method of HTTP, in capital letters such as PATCH, or uses https',
  HPE_PAUSED_H2_UPGRADE: 'it uses HTTP/2, and the service speaks HTTP/1.1',
};

interface JudgePeerDeps {
  /** @default {every program may call} */
  readonly findPeerProblem?: PeerCheck | undefined;
  readonly connections: Connections;
}

/**
 * Judges the program at the other end of a new connection, once. Its requests are read meanwhile, and start when it is admitted. If it is
 * refused, they have no effect, and the connection is closed with the failure.
 */
function judgePeer(socket: Socket, deps: JudgePeerDeps & RefuseDeps): void {
  const {findPeerProblem, connections} = deps;
  const connection = connections.of(socket);
  if (findPeerProblem === undefined || connection === undefined) return;
  connection.suspend();
  const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
  const own = {address: localAddress, port: localPort};
  const peer = {address: remoteAddress, port: remotePort};
  void findPeerProblem({own, peer}).then(problem => {
    if (problem === undefined) return connection.resume();
    connections.remove(connection);
    closeWithFailure(socket, problem, deps);
  });
}
