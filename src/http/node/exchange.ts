import type {IncomingMessage, ServerResponse} from 'node:http';
import {nextTick} from '../../time/next-tick.ts';
import {type HttpAnswer, type HttpHandler, isStream} from '../core/message.ts';
import type {Connection, Exchange} from './connections/connection.ts';
import {type RefuseDeps, reportBadRequest} from './refuse.ts';
import {NodeRequest} from './request.ts';
import {cut, send} from './send.ts';
import {isExpected} from './send-stream.ts';
import type {ServerTimeouts} from './timeouts.ts';

/** A request as Node emits it, with its response. */
export interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Response on which to send `100 Continue` before the body is read, if the client expects it. */
  readonly awaiting?: ServerResponse;
  /** True if nothing can be read from the connection after the request. */
  readonly isLast: boolean;
}

export interface NodeExchangeDeps extends RefuseDeps {
  readonly timeouts: ServerTimeouts;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Largest answer that is sent even if the memory for clients is full, in bytes. One such answer for each connection does no harm. */
const SPARED_BYTES_MAX = 64 * 1024;

/** An exchange of Node's HTTP server: calls the handler and sends its answer. */
export class NodeExchange implements Exchange {
  readonly request: NodeRequest;
  readonly response: ServerResponse;
  readonly #received: ReceivedRequest;
  readonly #connection: Connection;
  readonly #handle: HttpHandler;
  readonly #deps: NodeExchangeDeps;

  constructor(received: ReceivedRequest, connection: Connection, handle: HttpHandler, deps: NodeExchangeDeps) {
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
      this.#connection.enter('sending');
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

  /** Counts an answer until the client has read it. Without memory for it a GET is refused: the client can retry it. */
  #account(answered: HttpAnswer): HttpAnswer {
    if (isStream(answered.body)) return answered;
    // The body of the request, and memory that was reserved for the answer, are no longer needed.
    this.#connection.release();
    const sizeBytes = answered.body?.length ?? 0;
    if (this.#connection.hold(sizeBytes) || sizeBytes <= SPARED_BYTES_MAX || this.request.method !== 'GET')
      return answered;
    this.#connection.release();
    return reportBadRequest({code: 'too-many-bodies'}, this.#deps);
  }

  /** Closes this connection after an error in sending, or a stream that failed. */
  #abort(error: unknown): void {
    if (!isExpected(error)) this.#deps.onError(error);
    this.#connection.enter('sending');
    cut(this.#connection.socket, this.response);
  }
}
