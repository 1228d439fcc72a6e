import type {Socket} from 'node:net';
import type {Failure} from '../../../core/failures/failure.ts';

/**
 * Maximum number of pipelined requests that wait on one connection; a client that sends more is disconnected. They have
 * to wait somewhere: RFC 9112 section 9.3.2 requires answers in the order of the requests, and Node emits every request
 * that it finds in one read, some 2,400 of the smallest, even if its parser is paused at the first. Few clients send a
 * second request before an answer; 16 of them take some 64 KiB beside their headers.
 */
export const PIPELINED_MAX = 16;

/**
 * Rate at which a client has to send or read bytes to count as making progress, in bytes per millisecond: at 64 KiB a
 * second the largest value takes 16 seconds, about as long as a request may take.
 */
export const PROGRESS_BYTES_PER_MS = 64;

/**
 * Time without progress after which a client may lose its connection, once many are open, in milliseconds. On one machine a
 * whole value takes about 10 ms, and about 100 ms if the machine is busy.
 */
export const PATIENCE_MS = 250;

/**
 * Time after which a connection whose client waits for it may be closed, once many are open, in milliseconds: longer than any work of the
 * service itself. A plugin, a dev server or a disk may take longer, or never answer.
 */
export const WORK_PATIENCE_MS = 10_000;

/**
 * State of a connection. In `idle` (between requests, or in the head of one), `reading` (a body) and `sending` (an
 * answer) it waits for its client; in `working` its client waits for it. `listening` waits for an event: those
 * connections are not counted, since subscribers have a limit of their own.
 */
type ConnectionState = 'idle' | 'working' | 'reading' | 'sending' | 'listening';

/** One request and its response on a connection. */
export interface Exchange {
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse;
  /** True if nothing can be read from the connection after the request. */
  readonly isLast: boolean;
  /** Answers the request, or destroys its socket; never throws or rejects. */
  start(): void | Promise<void>;
}

/** Response as a connection sees it. */
export interface ExchangeResponse {
  readonly headersSent: boolean;
  on(event: 'close', listener: () => void): unknown;
}

/** Request as a connection sees it. */
export interface ExchangeRequest {
  /** True if it arrived completely. */
  readonly complete: boolean;
  /** Fails a read of the body: the rest will never arrive. */
  fail(failure: Failure): void;
  /** Aborts the signal of the request: the service stops. */
  stop(): void;
}

export interface ConnectionDeps {
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** Called when the connection becomes idle. */
  readonly onIdle: () => void;
  /** Counts bytes in memory: see {@link Connection.hold}. */
  readonly hold: (connection: Connection, sizeBytes: number) => boolean;
}

/**
 * One connection: its state, and how long it has waited for its client. Its requests are answered one after the other:
 * a read that was sent after a write sees it (RFC 9112 section 9.3.2), and a client cannot queue more work than it reads
 * answers.
 */
export class Connection {
  readonly socket: Socket;
  readonly #deps: ConnectionDeps;
  readonly #queue: Exchange[] = [];
  #state: ConnectionState = 'idle';
  /** True if the next answer is the last one: it contains `Connection: close`, and no further request is answered. */
  #closing = false;
  /** True if nothing more can be read from it; requests that came before are still answered. */
  #broken = false;
  #sinceMs: number;
  /** Time for which the current request waited for its client, less the credit for its bytes, up to `#sinceMs`. */
  #waitedMs = 0;
  #heldBytes = 0;
  /** True if its requests wait for {@link resume}. */
  #suspended = false;
  /** True if it is no longer counted: its socket is closed, or it was evicted. */
  #discarded = false;
  #current: Exchange | undefined;
  /** The latest request, whether or not it is being answered yet. */
  #newest: ExchangeRequest | undefined;
  #afterAnswers: (() => void) | undefined;
  readonly #next = (): void => this.#startNext();

  constructor(socket: Socket, deps: ConnectionDeps) {
    this.socket = socket;
    this.#deps = deps;
    this.#sinceMs = deps.nowMs();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** True if it is idle after an answer, rather than before its first request. */
  get isBetweenRequests(): boolean {
    return this.#state === 'idle' && this.#newest !== undefined;
  }

  /** True if the next answer is the last one. */
  get isClosing(): boolean {
    return this.#closing;
  }

  /** True if a request that arrives now is answered; otherwise it must have no effect. */
  get acceptsRequests(): boolean {
    return !this.#closing && !this.#broken;
  }

  /** Bytes in memory for its client: the body that arrived, or the answer above 8 KiB that the client has not read. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Changes the state within a request. */
  enter(state: ConnectionState): void {
    if (state === this.#state) return;
    this.addProgress(0);
    this.#state = state;
  }

  /** Reports that the client sent or read some bytes, which reduces its waiting time in proportion to their number. */
  addProgress(sizeBytes: number): void {
    const nowMs = this.#deps.nowMs();
    const waitedMs = this.#waitedMs + (this.#waits ? nowMs - this.#sinceMs : 0);
    this.#waitedMs = Math.max(0, waitedMs - sizeBytes / PROGRESS_BYTES_PER_MS);
    this.#sinceMs = nowMs;
  }

  /** Returns by how much the wait for its client, or that of its client, exceeds the patience with it, in milliseconds: below 0 until then. */
  lateMs(nowMs: number): number {
    const stateMs = nowMs - this.#sinceMs;
    if (this.#state === 'listening') return -Infinity;
    if (this.#waits) return this.#waitedMs + stateMs - PATIENCE_MS;
    // A client that has ended its side may be gone: nothing would be noticed of that before the answer is sent.
    return stateMs - (this.socket.readableEnded ? PATIENCE_MS : WORK_PATIENCE_MS);
  }

  /**
   * Counts bytes that stay in memory until the request is answered.
   *
   * @returns True if they are within the limit for all connections.
   */
  hold(sizeBytes: number): boolean {
    // The response may be closed already, so nothing would release the bytes later.
    if (this.#discarded) return true;
    this.#heldBytes += sizeBytes;
    return this.#deps.hold(this, sizeBytes);
  }

  /** Stops counting the bytes that it held. */
  release(): void {
    if (this.#heldBytes === 0) return;
    const sizeBytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#deps.hold(this, -sizeBytes);
  }

  /** Answers a request after all requests before it. @returns False if {@link PIPELINED_MAX} requests wait already. */
  enqueue(exchange: Exchange): boolean {
    // While it is suspended, the request that would be answered now waits with them.
    if (this.#queue.length >= PIPELINED_MAX + (this.#suspended ? 1 : 0)) return false;
    this.#newest = exchange.request;
    if (exchange.isLast) this.#broken = true;
    if (this.#current === undefined && !this.#suspended) this.#start(exchange);
    else this.#queue.push(exchange);
    // Its client waits for the service.
    if (this.#suspended) this.enter('working');
    return true;
  }

  /** Makes requests wait from now on. Called before the first one. */
  suspend(): void {
    this.#suspended = true;
  }

  /** Answers the requests that waited since {@link suspend}. */
  resume(): void {
    this.#suspended = false;
    if (this.#queue.length > 0 || this.#afterAnswers !== undefined) this.#startNext();
  }

  /**
   * Reports that nothing more can be read from the connection. If a request is incomplete, it fails; otherwise `refuse`
   * is called once all requests are answered.
   */
  break(failure: Failure, refuse: () => void): void {
    // Bytes after the first error cannot be trusted.
    if (this.#broken) return;
    this.#broken = true;
    if (this.#newest?.complete === false) this.#newest.fail(failure);
    else if (this.#current === undefined && !this.#suspended) refuse();
    else {
      this.#afterAnswers = refuse;
      // Without a request to answer, Node's listener would end the socket as soon as the client ends its side.
      if (this.#current === undefined && this.#queue.length === 0) this.socket.removeAllListeners('end');
    }
  }

  /** Stops waiting for its client. A request whose body is incomplete is answered with 408. */
  evict(): void {
    this.#closing = true;
    if (this.#state === 'reading' && this.#current?.response.headersSent === false)
      this.#current.request.fail({code: 'too-slow', what: 'request'});
    else this.socket.destroy();
  }

  /** Makes the answer to the current request the last one. */
  closeAfterAnswer(): void {
    this.#closing = true;
  }

  /** Closes after the current answer, and ends that answer soon: the service stops. */
  stop(): void {
    this.#closing = true;
    this.#current?.request.stop();
  }

  /** Discards all requests that wait, and holds no bytes from now on: the socket is closed, or about to be. */
  discard(): void {
    this.#discarded = true;
    this.#queue.length = 0;
    this.#afterAnswers = undefined;
    this.release();
  }

  get #waits(): boolean {
    return this.#state === 'idle' || this.#state === 'reading' || this.#state === 'sending';
  }

  #start(exchange: Exchange): void {
    this.#current = exchange;
    this.#state = 'working';
    this.#waitedMs = 0;
    // Emitted when the operating system has the whole answer, or will never have it.
    exchange.response.on('close', this.#next);
    void exchange.start();
  }

  #startNext(): void {
    this.release();
    const next = this.#closing ? undefined : this.#queue.shift();
    if (next !== undefined) {
      this.#start(next);
      return;
    }
    this.#current = undefined;
    this.#state = 'idle';
    this.#waitedMs = 0;
    this.#sinceMs = this.#deps.nowMs();
    if (this.#afterAnswers !== undefined && this.socket.writable) this.#afterAnswers();
    else this.#deps.onIdle();
  }
}
