import type {IncomingMessage, ServerResponse} from 'node:http';
import {setImmediate} from 'node:timers/promises';
import type {Connection, Connections, Turn} from './connections.ts';
import type {HttpAnswer, HttpHandler} from './message.ts';
import {NodeRequest} from './node-request.ts';
import type {ServerTimeouts} from './node-server.ts';
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
export interface NodeTurnDeps {
  readonly connections: Connections;
  readonly timeouts: ServerTimeouts;
  /** Told of defects. */
  readonly onError: (error: unknown) => void;
}

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
      onWait: connection.waitForClient,
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
      if (answered.longLived) this.#deps.connections.release(this.#connection);
    } catch (error) {
      this.#abandon(error);
    }
  }

  #send(answered: HttpAnswer): Promise<void> | undefined {
    const {request, response, last} = this.#exchange;
    const connection = this.#connection;
    const {arrived} = this.request;
    if (!arrived || answered.longLived || last) connection.closing = true;
    return send(request, response, answered, {
      close: connection.closing,
      arrived,
      timeouts: this.#deps.timeouts,
      signal: answered.longLived ? this.#holdOpen() : undefined,
      onWait: connection.waitForClient,
      onError: this.#deps.onError,
    });
  }

  /** Keeps the connection for as long as its client stays. @returns What is aborted when it goes, or the server stops. */
  #holdOpen(): AbortSignal {
    this.#deps.connections.hold(this.#connection);
    // Nobody who waits for more ends the own side of a connection: it is how one that is gone looks at first.
    this.#connection.socket.once('end', () => this.request.stop());
    return this.request.signal;
  }

  /** A defect in sending, or a stream that failed, ends this connection and nothing else. */
  #abandon(error: unknown): void {
    const {connections, onError} = this.#deps;
    connections.release(this.#connection);
    if (!isForeseen(error)) onError(error);
    cut(this.#connection.socket, this.response);
  }
}
