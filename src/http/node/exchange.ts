import type {IncomingMessage, ServerResponse} from 'node:http';
import {setImmediate} from 'node:timers/promises';
import {type HttpAnswer, type HttpHandler, isStream} from '../core/message.ts';
import type {Connection, Turn} from './connection.ts';
import type {ServerTimeouts} from './create-server.ts';
import {type RefuseDeps, reportBadRequest} from './refuse.ts';
import {NodeRequest} from './request.ts';
import {cut, send} from './send.ts';
import {isForeseen} from './send-stream.ts';

/** A request of Node and where to answer it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Where to ask for the body first, when the client waits to be asked. */
  readonly awaiting?: ServerResponse;
  /** Whether nothing behind it can be read. */
  readonly last: boolean;
}

/** What every {@link NodeTurn} of a server needs. */
export interface NodeTurnDeps extends Pick<RefuseDeps, 'newRequestId' | 'onBadRequest'> {
  readonly timeouts: ServerTimeouts;
  /** Told of defects. */
  readonly onError: (error: unknown) => void;
}

/** Largest answer that is sent even when the memory for clients is full, in bytes: those of all connections fit besides. */
const SPARED_BYTES_MAX = 64 * 1024;

/** The turn of a request from a socket: it is handled, and answered. */
export class NodeTurn implements Turn {
  readonly request: NodeRequest;
  readonly response: ServerResponse;
  readonly #exchange: Exchange;
  readonly #connection: Connection;
  readonly #handle: HttpHandler;
  readonly #deps: NodeTurnDeps;

  constructor(exchange: Exchange, connection: Connection, handle: HttpHandler, deps: NodeTurnDeps) {
    const {request, response, awaiting} = exchange;
    this.request = new NodeRequest(request, {
      answerTo: response,
      awaiting,
      timeoutMs: deps.timeouts.requestTimeoutMs,
      connection,
    });
    this.response = response;
    this.#exchange = exchange;
    this.#connection = connection;
    this.#handle = handle;
    this.#deps = deps;
  }

  /** Resolves when the answer is on its way, a stream when it is over; never rejects. */
  async start(): Promise<void> {
    try {
      // Nothing is waited for that is there: most of the cost of a small answer would be the waiting.
      const handled = this.#handle(this.request);
      const answered = handled instanceof Promise ? await handled : handled;
      // A body that nobody reads may have come with the head, and Node is still at it.
      if (!this.request.arrived) await setImmediate();
      const sent = this.#send(answered);
      if (sent !== undefined) await sent;
      this.#connection.enter('sending');
    } catch (error) {
      this.#abandon(error);
    }
  }

  #send(answered: HttpAnswer): Promise<void> | undefined {
    const {request, response, last} = this.#exchange;
    const connection = this.#connection;
    const {arrived} = this.request;
    if (!arrived || answered.longLived || last) connection.closing = true;
    return send(request, response, this.#fit(answered), {
      close: connection.closing,
      arrived,
      timeouts: this.#deps.timeouts,
      // It ends with its client, or the service, and is whole then.
      signal: answered.longLived ? this.request.listen() : undefined,
      connection: answered.longLived ? undefined : connection,
      onError: this.#deps.onError,
    });
  }

  /** Accounts for an answer until it is taken. What was only read can be read again, and is refused if there is no room. */
  #fit(answered: HttpAnswer): HttpAnswer {
    if (isStream(answered.body)) return answered;
    // Of its body, and of the room that was asked for, nothing is needed any more.
    this.#connection.letGo();
    const sizeBytes = answered.body?.length ?? 0;
    if (this.#connection.hold(sizeBytes) || sizeBytes <= SPARED_BYTES_MAX || this.request.method !== 'GET')
      return answered;
    this.#connection.letGo();
    return reportBadRequest({code: 'too-many-bodies'}, this.#deps);
  }

  /** A defect in sending, or a stream that failed, ends this connection and nothing else. */
  #abandon(error: unknown): void {
    if (!isForeseen(error)) this.#deps.onError(error);
    this.#connection.enter('sending');
    cut(this.#connection.socket, this.response);
  }
}
