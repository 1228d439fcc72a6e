import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {type RequestHeaders, readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {assertBodySize} from '../core/body.ts';
import type {HttpRequest, LimitedBody} from '../core/message.ts';
import type {Connection, ExchangeRequest} from './connections/connection.ts';
import {GrowingBytes} from './growing-bytes.ts';

export interface NodeRequestOptions {
  /** Closes when the request is over: its response, or the socket if it has no response. */
  readonly answerTo: ServerResponse | Socket;
  /** Response on which to send `100 Continue` before reading, if the client expects it (RFC 9110 section 10.1.1). */
  readonly awaiting?: ServerResponse | undefined;
  readonly opensWebSocket?: boolean;
  /** Timeout for a whole body, or for the next chunk of a body that is read in chunks, in milliseconds. */
  readonly timeoutMs: number;
  /** Tracks when a read waits for the client, its progress, and the bytes in memory. */
  readonly connection: Pick<Connection, 'enter' | 'addProgress' | 'hold' | 'release'>;
}

/**
 * Maximum bytes of a body that stay in memory although it is read in chunks. For an import: the batch that is being
 * stored, the next batch, and a line.
 */
const CHUNKS_BYTES_MAX = 20 * 1024 * 1024;

/** A request from a socket. */
export class NodeRequest implements HttpRequest, ExchangeRequest {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly headers: RequestHeaders;
  /** True if it has a body, even an empty one. */
  readonly hasBody: boolean;
  readonly opensWebSocket: boolean;
  readonly #request: IncomingMessage;
  readonly #options: NodeRequestOptions;
  #failure: Failure | undefined;
  /** Wakes the reader of the body. */
  #onFail: ((error: AppError) => void) | undefined;
  /** True if the whole body was read, even if Node has not noticed yet. */
  #isRead = false;
  #over: AbortController | undefined;
  #stopped = false;

  constructor(request: IncomingMessage, options: NodeRequestOptions) {
    this.#request = request;
    this.#options = options;
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    this.rawHeaders = request.rawHeaders;
    this.headers = readRequestHeaders(request.rawHeaders);
    this.hasBody = this.headers['content-length'].length + this.headers['transfer-encoding'].length > 0;
    this.opensWebSocket = options.opensWebSocket === true;
    // Tell Node that there is no body; otherwise it sets up draining, which costs as much as reading one.
    if (!this.hasBody) request.read();
  }

  get complete(): boolean {
    return this.#request.complete;
  }

  /** True if it arrived completely, or no further bytes will. */
  get arrived(): boolean {
    const request = this.#request;
    return !this.hasBody || this.#isRead || request.complete || request.destroyed;
  }

  /** Created on first use: most requests end without it. */
  get signal(): AbortSignal {
    if (this.#over === undefined) {
      this.#over = new AbortController();
      const {answerTo} = this.#options;
      if (this.#stopped || answerTo.destroyed || this.#request.socket.destroyed) this.#over.abort();
      else answerTo.once('close', () => this.stop());
    }
    return this.#over.signal;
  }

  listen(): AbortSignal {
    const {answerTo, connection} = this.#options;
    const request = this.#request;
    const {socket} = request;
    const stop = (): void => this.stop();
    connection.enter('listening');
    // Drain the body: unread data hides that the client has disconnected.
    request.resume();
    if (socket.readableEnded) stop();
    socket.once('end', stop);
    answerTo.once('close', () => socket.off('end', stop));
    return this.signal;
  }

  cut(): void {
    this.#request.socket.resetAndDestroy();
  }

  reserveMemory(sizeBytes: number): void {
    const {connection} = this.#options;
    if (sizeBytes === 0 || connection.hold(sizeBytes)) return;
    connection.release();
    throw new AppError({code: 'busy', what: 'memory'});
  }

  fail(failure: Failure): void {
    this.#failure = failure;
    this.#onFail?.(new AppError(failure));
  }

  stop(): void {
    this.#stopped = true;
    this.#over?.abort();
  }

  readBody(sizeBytesMax: number, what: LimitedBody = 'body'): Uint8Array | Promise<Uint8Array> {
    const declared = Number(this.headers['content-length'][0] ?? 0);
    assertBodySize(declared, sizeBytesMax, what);
    this.#assertReadable();
    if (!this.hasBody) return NO_BYTES;
    const chunk: Buffer | null = this.#options.awaiting === undefined ? this.#request.read() : null;
    if (chunk?.length !== declared) return this.#collect(chunk, declared || sizeBytesMax, what);
    this.#isRead = true;
    return chunk;
  }

  /** Reads a body that arrives in several chunks. */
  #collect(first: Buffer | null, sizeBytesMax: number, what: LimitedBody): Promise<Uint8Array> {
    const {awaiting, connection} = this.#options;
    awaiting?.writeContinue();
    connection.enter('reading');
    const request = this.#request;
    const bytes = new GrowingBytes(sizeBytesMax);
    return new Promise((resolve, reject) => {
      const add = (chunk: Buffer): void => {
        connection.addProgress(chunk.length);
        try {
          assertBodySize(bytes.sizeBytes + chunk.length, sizeBytesMax, what);
          if (!connection.hold(bytes.growthFor(chunk))) throw new AppError({code: 'busy', what: 'memory'});
          bytes.add(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const finish = (): void => end(() => resolve(bytes.take()));
      const fail = (error: unknown): void =>
        end(() => {
          connection.release();
          bytes.drop();
          reject(error);
        });
      const abort = (): void => fail(endedEarly());
      const stopTimer = this.#startTimer();
      const end = (outcome: () => void): void => {
        stopTimer();
        connection.enter('working');
        request.off('data', add).off('end', finish).off('close', abort);
        outcome();
      };
      this.#onFail = fail;
      request.on('data', add).on('end', finish).on('close', abort);
      if (first !== null) add(first);
    });
  }

  async *readChunks(): AsyncGenerator<Uint8Array> {
    this.#assertReadable();
    const {awaiting, connection} = this.#options;
    awaiting?.writeContinue();
    const request = this.#request;
    let wake = (): void => {};
    const arrive = (): void => wake();
    this.#onFail = arrive;
    let heldBytes = 0;
    // `readable` instead of `data` gives backpressure: unread data stays with the client.
    request.on('readable', arrive).on('end', arrive).on('close', arrive);
    try {
      for (;;) {
        if (this.#failure !== undefined) throw new AppError(this.#failure);
        const chunk: Buffer | null = request.read();
        if (chunk !== null) {
          const newBytes = Math.min(chunk.length, CHUNKS_BYTES_MAX - heldBytes);
          this.reserveMemory(newBytes);
          heldBytes += newBytes;
          connection.addProgress(chunk.length);
          yield chunk;
        } else if (request.readableEnded) return;
        else if (request.destroyed) throw endedEarly();
        else await this.#waitForMore(new Promise(resolve => (wake = resolve)));
      }
    } finally {
      // Drain the rest as it arrives, so that the connection stays usable.
      request.off('readable', arrive).off('end', arrive).off('close', arrive).resume();
    }
  }

  #assertReadable(): void {
    if (this.#failure !== undefined) throw new AppError(this.#failure);
    if (this.#request.destroyed) throw endedEarly();
  }

  async #waitForMore(arrived: Promise<void>): Promise<void> {
    const {connection} = this.#options;
    const stopTimer = this.#startTimer();
    connection.enter('reading');
    await arrived;
    connection.enter('working');
    stopTimer();
  }

  /** Fails the request after the timeout. @returns A function that stops the timer. */
  #startTimer(): () => void {
    let late: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // First read data that arrived while this process was busy, or the machine asleep.
      late = setImmediate(() => this.fail({code: 'too-slow', what: 'request'}));
    }, this.#options.timeoutMs);
    return () => {
      clearTimeout(timer);
      clearImmediate(late);
    };
  }
}

const NO_BYTES = new Uint8Array();

function endedEarly(): AppError {
  return new AppError({code: 'malformed-request', problem: 'its body ended early'});
}
