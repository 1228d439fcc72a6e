import type {IncomingMessage, ServerResponse} from 'node:http';
import {nextTick} from '../../core/time/next-tick.ts';
import {type HttpAnswer, type HttpHandler, type HttpRequest, isStream} from '../core/message.ts';
import type {Connection, Exchange} from './connections/connection.ts';
import {NodeRequest} from './request.ts';
import {cut, type ExchangeDeps, enqueueOrClose, reportBadRequest, send} from './send.ts';
import {isExpected} from './send-stream.ts';
import {asksForWebSocket, findHandshakeProblem, type UpgradeDeps} from './upgrade.ts';

/** A request as Node emits it, with its response. */
interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Response on which to send `100 Continue` before the body is read, if the client expects it. */
  readonly awaiting?: ServerResponse;
  /** True if nothing can be read from the connection after the request. */
  readonly isLast: boolean;
}

/** Largest answer that is sent even if the memory for clients is full, in bytes. One such answer for each connection does no harm. */
const SPARED_BYTES_MAX = 64 * 1024;

/**
 * Largest answer that is not counted, in bytes: most are taken by the operating system before the client reads them, and each connection has at
 * most one that is not.
 */
const UNCOUNTED_BYTES_MAX = 8 * 1024;

/** Enqueues a request on its connection, or its refusal if other parsers could read it differently. */
export function enqueueRequest(
  received: ReceivedRequest,
  handle: HttpHandler,
  deps: ExchangeDeps & Pick<UpgradeDeps, 'connections'>,
): void {
  const connection = deps.connections.of(received.request.socket);
  // Refused, evicted or about to close: the request must have no effect.
  if (!connection?.acceptsRequests) return;
  const exchange = new NodeExchange(received, connection, handle, deps);
  // An upgrade that was declined because of its body can be answered without upgrade, unless it asks for a WebSocket.
  const isDeclined = received.isLast && asksForWebSocket(received.request);
  const problem =
    findFramingProblem(received.request, exchange.request) ??
    (isDeclined ? findHandshakeProblem(received.request) : undefined);
  if (problem === undefined) {
    enqueueOrClose(connection, exchange, deps);
    return;
  }
  const refuseFraming: HttpHandler = () => reportBadRequest({code: 'malformed-request', problem}, deps);
  // It is uncertain where the next request begins.
  enqueueOrClose(connection, new NodeExchange({...received, isLast: true}, connection, refuseFraming, deps), deps);
}

/**
 * Returns the reason why other parsers could read a request differently than Node's parser. RFC 9112 section 6.1 has
 * 501 for an unknown transfer coding; Node answers most of them with 400, so all get 400.
 */
function findFramingProblem({httpVersion}: IncomingMessage, {headers}: HttpRequest): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `it says that it is HTTP/${httpVersion}`;
  const codings = headers['transfer-encoding'];
  if (codings.length === 0) return undefined;
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked'
    ? undefined
    : 'its Transfer-Encoding is not "chunked" alone';
}

/** An exchange of Node's HTTP server: calls the handler and sends its answer. */
class NodeExchange implements Exchange {
  readonly request: NodeRequest;
  readonly response: ServerResponse;
  readonly #received: ReceivedRequest;
  readonly #connection: Connection;
  readonly #handle: HttpHandler;
  readonly #deps: ExchangeDeps;

  constructor(received: ReceivedRequest, connection: Connection, handle: HttpHandler, deps: ExchangeDeps) {
    const {request, response, awaiting} = received;
    this.request = new NodeRequest(request, {
      answerTo: response,
      awaiting,
      timeoutMs: deps.timeouts.requestTimeoutMs,
      connection,
    });
    this.response = response;
    this.#received = received;
    this.#connection = connection;
    this.#handle = handle;
    this.#deps = deps;
  }

  get isLast(): boolean {
    return this.#received.isLast;
  }

  /** Resolves when the answer is handed to Node, for a stream when it ends; never rejects. */
  async start(): Promise<void> {
    try {
      // Node emits the head before a body that arrived with it: wait, so that the handler can read that at once.
      if (this.request.hasBody) await undefined;
      // Await only promises: an extra microtask is most of the cost of a small answer.
      const handled = this.#handle(this.request);
      const answered = handled instanceof Promise ? await handled : handled;
      // More of an unread body may have arrived; Node emits it within this tick.
      if (!this.request.arrived) await nextTick();
      const sent = this.#send(answered);
      if (sent !== undefined) await sent;
      // The operating system has most answers at once.
      if (!this.response.writableFinished) this.#connection.enter('sending');
    } catch (error) {
      this.#abort(error);
    }
  }

  #send(answered: HttpAnswer): Promise<void> | undefined {
    const {request, response, isLast} = this.#received;
    const connection = this.#connection;
    const {arrived} = this.request;
    if (!arrived || answered.longLived || isLast) connection.closeAfterAnswer();
    return send(request, response, this.#account(answered), {
      close: connection.isClosing,
      arrived,
      timeouts: this.#deps.timeouts,
      // A long-lived stream ends properly if its client disconnects or the service stops.
      signal: answered.longLived ? this.request.listen() : undefined,
      connection: answered.longLived ? undefined : connection,
      onError: this.#deps.onError,
    });
  }

  /** Counts an answer above {@link UNCOUNTED_BYTES_MAX} until the client has read it. Without memory for it a GET is refused: the client can retry it. */
  #account(answered: HttpAnswer): HttpAnswer {
    if (isStream(answered.body)) return answered;
    // The body of the request, and memory that was reserved for the answer, are no longer needed.
    this.#connection.release();
    const sizeBytes = answered.body?.length ?? 0;
    if (sizeBytes <= UNCOUNTED_BYTES_MAX) return answered;
    if (this.#connection.hold(sizeBytes) || sizeBytes <= SPARED_BYTES_MAX || this.request.method !== 'GET')
      return answered;
    this.#connection.release();
    return reportBadRequest({code: 'busy', what: 'memory'}, this.#deps);
  }

  /** Closes this connection after an error in sending, or a stream that failed. */
  #abort(error: unknown): void {
    if (!isExpected(error)) this.#deps.onError(error);
    this.#connection.enter('sending');
    cut(this.#connection.socket, this.response);
  }
}
