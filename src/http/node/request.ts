import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {AppError, type Failure} from '../../domain/failure.ts';
import {headerValues} from '../../protocol/raw-headers.ts';
import {assertBodySize} from '../core/body.ts';
import type {HttpRequest} from '../core/message.ts';
import type {Connection, TurnRequest} from './connection.ts';
import {GrowingBytes} from './growing-bytes.ts';

/** How a {@link NodeRequest} is read. */
export interface NodeRequestOptions {
  /** What is closed once the request is over: its response, or the socket where it has none. */
  readonly answerTo: ServerResponse | Socket;
  /** Where to ask for the body first, when the client waits to be asked (RFC 9110 section 10.1.1). */
  readonly awaiting?: ServerResponse | undefined;
  /** For a whole body to arrive, or for the next piece of one that is read in pieces, in milliseconds. */
  readonly timeoutMs: number;
  /** Told when a body waits for its client, when it goes on, and how much of it is in memory. */
  readonly connection: Pick<Connection, 'enter' | 'moved' | 'hold' | 'letGo'>;
}

/**
 * Most bytes of a body that stay in memory although it is read in pieces: of an import a batch that is being stored, the
 * one behind it, and a line.
 */
const PIECES_BYTES_MAX = 20 * 1024 * 1024;

/** A request from a socket. */
export class NodeRequest implements HttpRequest, TurnRequest {
  readonly #request: IncomingMessage;
  readonly #options: NodeRequestOptions;
  readonly #hasBody: boolean;
  #failure: Failure | undefined;
  /** Wakes whoever reads the body. */
  #onFail: ((error: AppError) => void) | undefined;
  /** Whether the body was read whole; Node may yet have to find that out. */
  #isRead = false;
  #over: AbortController | undefined;
  #stopped = false;

  constructor(request: IncomingMessage, options: NodeRequestOptions) {
    this.#request = request;
    this.#options = options;
    this.#hasBody = hasBody(request);
    // Of one without a body Node is told so, or it would drop what does not come: as much work as to read it.
    if (!this.#hasBody) request.read();
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

  get complete(): boolean {
    return this.#request.complete;
  }

  /** Whether nothing of it is on the way any more. */
  get arrived(): boolean {
    const request = this.#request;
    return !this.#hasBody || this.#isRead || request.complete || request.destroyed;
  }

  /** Made when it is first asked for: most requests are over before anybody could wait for anything. */
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
    // The rest of its body would hide the end of the connection.
    request.resume();
    if (socket.readableEnded) stop();
    socket.once('end', stop);
    answerTo.once('close', () => socket.off('end', stop));
    return this.signal;
  }

  makeRoom(sizeBytes: number): void {
    const {connection} = this.#options;
    if (sizeBytes === 0 || connection.hold(sizeBytes)) return;
    connection.letGo();
    throw new AppError({code: 'too-many-bodies'});
  }

  fail(failure: Failure): void {
    this.#failure = failure;
    this.#onFail?.(new AppError(failure));
  }

  stop(): void {
    this.#stopped = true;
    this.#over?.abort();
  }

  async readBody(sizeBytesMax: number): Promise<Uint8Array> {
    const declared = Number(headerValues(this.rawHeaders, 'content-length')[0] ?? 0);
    assertBodySize(declared, sizeBytesMax);
    this.#assertReadable();
    if (!this.#hasBody) return NO_BYTES;
    if (this.#options.awaiting === undefined) {
      // Node hands over the head before the body that came with it.
      await undefined;
      this.#assertReadable();
      const chunk: Buffer | null = this.#request.read();
      if (chunk?.length === declared) {
        this.#isRead = true;
        return chunk;
      }
      return this.#collect(chunk, declared || sizeBytesMax);
    }
    return this.#collect(null, declared || sizeBytesMax);
  }

  /** Reads a body that arrives in pieces. */
  #collect(first: Buffer | null, sizeBytesMax: number): Promise<Uint8Array> {
    const {awaiting, connection} = this.#options;
    awaiting?.writeContinue();
    connection.enter('reading');
    const request = this.#request;
    const bytes = new GrowingBytes(sizeBytesMax);
    return new Promise((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        connection.moved(chunk.length);
        try {
          assertBodySize(bytes.sizeBytes + chunk.length, sizeBytesMax);
          if (!connection.hold(bytes.growthFor(chunk))) throw new AppError({code: 'too-many-bodies'});
          bytes.add(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const finish = (): void => settle(() => resolve(bytes.take()));
      const fail = (error: unknown): void =>
        settle(() => {
          connection.letGo();
          bytes.drop();
          reject(error);
        });
      const abandon = (): void => fail(endedEarly());
      const stopTimer = this.#startTimer();
      const settle = (outcome: () => void): void => {
        stopTimer();
        connection.enter('working');
        request.off('data', take).off('end', finish).off('close', abandon);
        outcome();
      };
      this.#onFail = fail;
      request.on('data', take).on('end', finish).on('close', abandon);
      if (first !== null) take(first);
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
    // Listening for what is readable, instead of for the data, leaves the rest with the client until it is taken.
    request.on('readable', arrive).on('end', arrive).on('close', arrive);
    try {
      for (;;) {
        if (this.#failure !== undefined) throw new AppError(this.#failure);
        const chunk: Buffer | null = request.read();
        if (chunk !== null) {
          const newBytes = Math.min(chunk.length, PIECES_BYTES_MAX - heldBytes);
          this.makeRoom(newBytes);
          heldBytes += newBytes;
          connection.moved(chunk.length);
          yield chunk;
        } else if (request.readableEnded) return;
        else if (request.destroyed) throw endedEarly();
        else await this.#waitForMore(new Promise(resolve => (wake = resolve)));
      }
    } finally {
      // What was not taken is dropped as it arrives, so that the connection can go on.
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

  /** @returns What stops it. */
  #startTimer(): () => void {
    let late: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // What came while this process was busy, or the machine asleep, is read first.
      late = setImmediate(() => this.fail({code: 'request-timeout'}));
    }, this.#options.timeoutMs);
    return () => {
      clearTimeout(timer);
      clearImmediate(late);
    };
  }
}

const NO_BYTES = new Uint8Array();

/** Whether a request has a body, if only an empty one. */
export function hasBody({rawHeaders}: Pick<HttpRequest, 'rawHeaders'>): boolean {
  return headerValues(rawHeaders, 'content-length').length + headerValues(rawHeaders, 'transfer-encoding').length > 0;
}

function endedEarly(): AppError {
  return new AppError({code: 'malformed-request', problem: 'its body ended early'});
}
