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
import {AppError} from '../../domain/failure.ts';

/**
 * Sends a request as `fetch` does, with Node's own HTTP client. In Node 20 a `fetch` whose connection is
 * closed before the request is written never settles, and the process ends as if nothing had been asked.
 * Redirects are answers here, and no port is refused. Bodies are streams both ways: what is sent is not
 * taken faster than it leaves, and no more of it once there is an answer.
 */
export function fetchOverHttp(request: Request): Promise<Response> {
  return exchange(request);
}

/**
 * Makes a fetch like {@link fetchOverHttp} that looks at each connection before anything is sent on it.
 *
 * @param check Rejects to refuse a connection, with an `AppError` that the fetch then rejects with.
 */
export function createCheckedFetch(check: SocketCheck): (request: Request) => Promise<Response> {
  const agent = new CheckedAgent(check);
  return request => exchange(request, agent);
}

/** Judges a connection that is open and on which nothing was sent yet. */
export type SocketCheck = (socket: Socket) => Promise<void>;

class CheckedAgent extends Agent {
  readonly #check: SocketCheck;

  constructor(check: SocketCheck) {
    super();
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
    // What is returned or handed over is written to at once, so that happens only after the check.
    socket.once('error', refuse).once('connect', () => this.#check(socket).then(hand, refuse));
  }
}

async function exchange(request: Request, agent?: CheckedAgent): Promise<Response> {
  try {
    return toResponse(await send(request, await readBody(request), agent));
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The form of a failed fetch: what happened is its cause.
    throw new TypeError('fetch failed', {cause: error});
  }
}

/** Undefined for none. */
type Body = Uint8Array | AsyncIterable<Uint8Array> | undefined;

/** A body that is one chunk has a length, and need not be sent as a stream. */
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

function send(request: Request, body: Body, agent: CheckedAgent | undefined): Promise<IncomingMessage> {
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
      // Keeps the request: its signal hears of that of the caller only as long as it is there.
      .on('close', () => void request);
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
    else writeBody(outgoing, body).catch(error => outgoing.destroy(error));
  });
}

async function writeBody(outgoing: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  const settled = new AbortController();
  const settle = (): void => settled.abort();
  outgoing.once('response', settle).once('close', settle);
  for await (const chunk of body) {
    if (settled.signal.aborted) return;
    // Rejects once it is settled, which is no failure.
    if (!outgoing.write(chunk)) await once(outgoing, 'drain', settled).catch(() => {});
  }
  if (!settled.signal.aborted) outgoing.end();
}

function toResponse(message: IncomingMessage): Response {
  const {statusCode: status = 0, rawHeaders} = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  // The standard permits no body, not even an empty one, with these (Fetch standard, null body status).
  const hasBody = status !== 204 && status !== 304;
  if (!hasBody) message.resume();
  return new Response(hasBody ? streamOf(message) : null, {status, headers});
}

/** Reads a message only as fast as the stream is read. */
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
