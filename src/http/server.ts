import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {AppError, type Failure} from '../domain/failure.ts';
import {Connections, sendRaw} from './connections.ts';
import {failureAnswer} from './failure-response.ts';
import {type HttpAnswer, type HttpHandler, type HttpRequest, headerValues} from './message.ts';
import type {ListenAddress} from './port-holder.ts';

/** What the server needs. */
export interface ServerDeps {
  readonly handle: HttpHandler;
  /** Addresses to listen on; the first must work, `::1` may be missing on a machine without IPv6. */
  readonly addresses: readonly string[];
  /** 0 lets the system choose one that is free on all addresses. */
  readonly port: number;
  readonly connectionsMax: number;
  readonly newRequestId: () => string;
  /** Told of requests that could not even be read. */
  readonly onBadRequest: (failure: Failure, requestId: string) => void;
}

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  /** Where it listens, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
  /** Takes no more requests, lets those in flight finish, and cuts off what takes longer than {@link STOP_TIMEOUT_MS}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long the headers of a request may take, in milliseconds. */
export const HEADERS_TIMEOUT_MS = 5000;

/** How long a whole request may take to arrive, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 15_000;

/** Largest headers of a request, in bytes: the default of Node, which every client keeps within. */
export const HEADER_BYTES_MAX = 16 * 1024;

/** How many connections there may be at once, unless configured otherwise. */
export const CONNECTIONS_MAX = 256;

/** How long requests in flight may take once the server stops, in milliseconds; the store then has a second of the promised five. */
export const STOP_TIMEOUT_MS = 3500;

/** How long an idle connection is kept, in milliseconds; when there are too many, the longest idle goes sooner. */
const KEEP_ALIVE_TIMEOUT_MS = 60_000;

/** How often Node looks for requests that are late, in milliseconds; its default lets them be late by 30 seconds. */
const TIMEOUT_CHECK_INTERVAL_MS = 1000;

/** How long the rest of a refused body is read, in milliseconds: closing at once would reset the connection before the answer is read. */
const LINGER_MS = 1000;

/** How many ports are tried when any free one will do. */
const PORT_ATTEMPTS = 10;

/**
 * Starts to listen on all addresses with one port.
 *
 * @throws {AppError} `address-in-use` when any of them is taken: plugins call `localhost`, which is one
 * address for some and the other for others. `address-unusable` when the system refuses otherwise.
 */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const connections = new Connections(deps.connectionsMax);
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    try {
      let {port} = deps;
      for (const address of deps.addresses) {
        const server = await listen(createNodeServer(deps, connections), address, port, address !== deps.addresses[0]);
        if (server === undefined) continue;
        servers.push(server);
        port = (server.address() as AddressInfo).port;
      }
      return describeServer(servers, connections, port);
    } catch (error) {
      await Promise.all(servers.map(closeServer));
      const retry = deps.port === 0 && error instanceof AddressTaken && attempt < PORT_ATTEMPTS;
      if (!retry) throw error instanceof AddressTaken ? await nameHolder(error) : error;
    }
  }
}

function describeServer(servers: readonly Server[], connections: Connections, port: number): RunningServer {
  const urls = servers.map(server => `http://${formatHost((server.address() as AddressInfo).address)}:${port}`);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const closed = Promise.all(servers.map(closeServer));
    const timer = setTimeout(() => connections.destroyAll(), STOP_TIMEOUT_MS);
    connections.stop();
    await closed;
    clearTimeout(timer);
  };
  return {port, urls, [Symbol.asyncDispose]: () => (stopped ??= stop())};
}

function createNodeServer(deps: ServerDeps, connections: Connections): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The guard answers for these itself, in the form of every other failure.
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  const answer = (request: IncomingMessage, response: ServerResponse, mayContinue: boolean): void => {
    connections.begin(request.socket, response);
    response.sendDate = false;
    const read = new NodeRequest(request, mayContinue ? response : undefined);
    // The handler never rejects; a defect in sending must end this connection and nothing else.
    deps
      .handle(read)
      .then(answered => send(response, answered, request, connections))
      .catch(() => request.socket.destroy());
  };
  server.on('connection', socket =>
    connections.add(socket, () => refuse({code: 'too-many-connections', connectionsMax: deps.connectionsMax}, deps)),
  );
  server.on('request', (request, response) => answer(request, response, false));
  server.on('checkContinue', (request, response) => answer(request, response, true));
  server.on('checkExpectation', (request, response) => {
    connections.begin(request.socket, response);
    send(
      response,
      refuse({code: 'invalid-header', header: 'Expect', problem: 'only 100-continue is understood'}, deps),
      request,
      connections,
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const failure = describeClientError(error);
    if (failure === undefined || !socket.writable) socket.destroy();
    else connections.afterAnswers(socket, () => sendRaw(socket, refuse(failure, deps)));
  });
  return server;
}

function refuse(failure: Failure, {newRequestId, onBadRequest}: ServerDeps): HttpAnswer {
  const requestId = newRequestId();
  onBadRequest(failure, requestId);
  return failureAnswer(failure, requestId);
}

/** The failure to answer with, or undefined when nobody is left to answer. */
function describeClientError({code, message}: NodeJS.ErrnoException): Failure | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return {code: 'request-timeout'};
  if (code === 'HPE_HEADER_OVERFLOW') return {code: 'headers-too-large'};
  return {code: 'malformed-request', problem: message.replace(/^Parse Error: /, '')};
}

function send(
  response: ServerResponse,
  {status, rawHeaders, body}: HttpAnswer,
  request: IncomingMessage,
  connections: Connections,
): void {
  // Of a connection that is gone nothing more can be read.
  const unread = !request.complete && !request.destroyed && (request.readableLength > 0 || hasBody(request));
  const close = unread || connections.stopping;
  // Node takes names and values in turn, and writes them as they are.
  response.writeHead(status, (close ? [...rawHeaders, 'Connection', 'close'] : rawHeaders) as string[]);
  if (unread) linger(request, response, body);
  else response.end(body);
}

function hasBody({headers}: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Sends the answer at once and goes on reading for a moment what the client is still sending. */
function linger(request: IncomingMessage, response: ServerResponse, body: string | Uint8Array | undefined): void {
  if (body !== undefined) response.write(body);
  else response.flushHeaders();
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.once('end', finish).once('close', finish);
  request.resume();
}

async function listen(server: Server, address: string, port: number, optional: boolean): Promise<Server | undefined> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({host: address, port, exclusive: true, ipv6Only: true}, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return server;
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    const url = `${formatHost(address)}:${port}`;
    if (code === 'EADDRINUSE') throw new AddressTaken({address, port}, {cause: error});
    if (optional && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return undefined;
    throw new AppError(
      {code: 'address-unusable', address: url, problem: code === 'EACCES' ? 'the system does not permit it' : message},
      {cause: error},
    );
  }
}

/** Somebody else listens there: who it is costs time to find out, and is not always asked. */
class AddressTaken extends Error {
  readonly taken: ListenAddress;

  constructor(taken: ListenAddress, options: ErrorOptions) {
    super('address taken', options);
    this.taken = taken;
  }
}

async function nameHolder({taken, cause}: AddressTaken): Promise<AppError> {
  const {describePortHolder, findPortHolder} = await import('./port-holder.ts');
  const holder = await findPortHolder(taken);
  const failure = {code: 'address-in-use', address: `${formatHost(taken.address)}:${taken.port}`} as const;
  return new AppError(holder === undefined ? failure : {...failure, holder: describePortHolder(holder)}, {cause});
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}

function formatHost(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** A request from a socket. */
class NodeRequest implements HttpRequest {
  readonly #request: IncomingMessage;
  /** Where to ask for the body first, when the client waits to be asked (RFC 9110 section 10.1.1). */
  readonly #awaiting: ServerResponse | undefined;

  constructor(request: IncomingMessage, awaiting: ServerResponse | undefined) {
    this.#request = request;
    this.#awaiting = awaiting;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get target(): string {
    return this.#request.url ?? '';
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  async readBody(sizeBytesMax: number): Promise<Uint8Array> {
    const tooLarge = (): AppError => new AppError({code: 'value-too-large', sizeBytesMax});
    const declared = Number(headerValues(this.rawHeaders, 'content-length')[0] ?? 0);
    if (declared > sizeBytesMax) throw tooLarge();
    this.#awaiting?.writeContinue();
    const request = this.#request;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      request.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > sizeBytesMax) reject(tooLarge());
        else chunks.push(chunk);
      });
      request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
      request.once('close', () => reject(new AppError({code: 'malformed-request', problem: 'its body ended early'})));
    });
  }
}
