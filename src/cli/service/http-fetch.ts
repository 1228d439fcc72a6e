import {once} from 'node:events';
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  request as requestOverHttp,
} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {AppError} from '../../core/failures/app-error.ts';
import {createLoopbackLookup} from '../../platform/system/loopback.ts';

/** Used in place of the agent of Node, which with `NODE_USE_ENV_PROXY` sends requests to a proxy, also those to this machine. */
const DIRECT = new Agent({keepAlive: true});

/**
 * Sends a request like `fetch`, with Node's HTTP client. In Node 20 a `fetch` whose connection closes before the request is
 * written stays pending, and the process ends as if nothing had happened. Redirects are not followed, no port is refused, and no proxy is
 * used.
 * Bodies are streams with backpressure in both directions; sending stops when the response arrives.
 */
export function fetchOverHttp(request: Request): Promise<Response> {
  return exchange(request, DIRECT);
}

/**
 * Creates a fetch like {@link fetchOverHttp} that checks each connection before it sends anything.
 *
 * @param check Rejects to refuse a connection, with an `AppError` that the fetch then rejects with.
 */
export function createCheckedFetch(check: SocketCheck): (request: Request) => Promise<Response> {
  const agent = new CheckedAgent(check);
  return request => exchange(request, agent);
}

/**
 * Creates a fetch like {@link fetchOverHttp} that connects to no name of another machine. Names are checked whenever they are looked up;
 * the caller checks IP addresses.
 *
 * @param lookUp Looks up a name, and fails if it is not one of this machine.
 */
export function createLoopbackFetch(lookUp = createLoopbackLookup()): (request: Request) => Promise<Response> {
  const agent = new Agent({lookup: lookUp});
  return request => exchange(request, agent);
}

/** Checks an open connection on which nothing was sent yet. */
export type SocketCheck = (socket: Socket) => Promise<void>;

class CheckedAgent extends Agent {
  readonly #check: SocketCheck;

  constructor(check: SocketCheck) {
    // A connection that was checked serves further requests.
    super({keepAlive: true});
    this.#check = check;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const socket = super.createConnection(options) as Socket;
    const refuse = (error: Error): void => {
      socket.destroy();
      callback(error, socket);
    };
    const hand = (): void => {
      socket.off('error', refuse);
      callback(null, socket);
    };
    // Hand the socket over only after the check: the agent writes to it at once.
    socket.once('error', refuse).once('connect', () => this.#check(socket).then(hand, refuse));
  }
}

async function exchange(request: Request, agent: Agent): Promise<Response> {
  try {
    return toResponse(await send(request, await readBody(request), agent));
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The form of a failed fetch: the error is its cause.
    throw new TypeError('fetch failed', {cause: error});
  }
}

/** The body of a request; undefined if it has none. */
type Body = Uint8Array | AsyncIterable<Uint8Array> | undefined;

/** Reads a body of one chunk into memory, so that it is sent with its length. */
async function readBody({body}: Request): Promise<Body> {
  if (body === null) return undefined;
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return new Uint8Array();
  const second = await chunks.next();
  if (second.done) return first.value;
  return (async function* () {
    yield first.value;
    yield second.value;
    yield* {[Symbol.asyncIterator]: () => chunks};
  })();
}

function send(request: Request, body: Body, agent: Agent): Promise<IncomingMessage> {
  const {url, method, headers, signal} = request;
  const {hostname, port, pathname, search} = new URL(url);
  const length = body instanceof Uint8Array ? {'Content-Length': body.length} : {};
  return new Promise((resolve, reject) => {
    const outgoing = requestOverHttp({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: `${pathname}${search}`,
      method,
      agent,
      headers: {...Object.fromEntries(headers), ...length},
      signal,
    })
      .on('error', reject)
      .on('response', resolve)
      // Keeps a reference to the request: once it is collected, its signal no longer follows that of the caller.
      .on('close', () => void request);
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
    else writeBody(outgoing, body).catch(error => outgoing.destroy(error));
  });
}

async function writeBody(outgoing: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  const finished = new AbortController();
  const finish = (): void => finished.abort();
  outgoing.once('response', finish).once('close', finish);
  for await (const chunk of body) {
    if (finished.signal.aborted) return;
    // Rejects when the response arrives, which is not a failure.
    if (!outgoing.write(chunk)) await once(outgoing, 'drain', finished).catch(() => {});
  }
  if (!finished.signal.aborted) outgoing.end();
}

function toResponse(message: IncomingMessage): Response {
  const {statusCode: status = 0, rawHeaders} = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  // These responses must not have a body, not even an empty one (Fetch standard, null body status).
  const hasBody = status !== 204 && status !== 304;
  if (!hasBody) message.resume();
  return new Response(hasBody ? streamOf(message) : null, {status, headers});
}

/** Creates a stream of a message, with backpressure. */
function streamOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream(
    {
      pull: async controller => {
        const {done, value} = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void message.destroy(),
    },
    {highWaterMark: 0},
  );
}
