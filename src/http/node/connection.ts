import type {Socket} from 'node:net';
import type {Failure} from '../../domain/failure.ts';

/**
 * Largest number of requests that wait on one connection for the answers before theirs; a client that sends more is
 * closed. They have to wait somewhere: RFC 9112 section 9.3.2 wants them answered in their order, and Node hands over
 * all that it finds in one read, some 2,400 of the smallest, even if its parser is paused at the first of them. Few
 * clients send a second request before an answer; 16 of them take some 64 KiB beside their headers.
 */
export const PIPELINED_MAX = 16;

/**
 * Rate at which a client has to send or take bytes to be taken for one that makes progress, in bytes per millisecond:
 * with 64 KiB a second the largest value takes 16 seconds, about as long as a request may.
 */
export const PROGRESS_BYTES_PER_MS = 64;

/**
 * State of a connection. In `idle` (between requests, or in the head of one), `reading` (a body) and `sending` (an
 * answer) it waits for its client; in `working` its client waits for it. `listening` waits for something to happen: those
 * connections are not counted, since subscribers have a limit of their own.
 */
export type ConnectionState = 'idle' | 'working' | 'reading' | 'sending' | 'listening';

/** A request, its response, and what is done once the answers before it are sent. */
export interface Turn {
  readonly request: TurnRequest;
  readonly response: TurnResponse;
  /** Answers the request, or destroys its socket; never throws or rejects. */
  start(): void | Promise<void>;
}

/** Response as a connection sees it. */
export interface TurnResponse {
  readonly headersSent: boolean;
  on(event: 'close', listener: () => void): unknown;
}

/** Request as a connection sees it. */
export interface TurnRequest {
  /** Whether all of it arrived. */
  readonly complete: boolean;
  /** Tells it that the rest will never arrive. */
  fail(failure: Failure): void;
  /** Ends what is waited for on its behalf: the service stops. */
  stop(): void;
}

/** What a {@link Connection} needs. */
export interface ConnectionDeps {
  /** A clock that never jumps, in milliseconds. */
  readonly nowMs: () => number;
  /** Called when the connection becomes idle. */
  readonly onIdle: () => void;
  /** Accounts for bytes in memory: see {@link Connection.hold}. */
  readonly hold: (connection: Connection, sizeBytes: number) => boolean;
}

/**
 * One connection: its state, and how long it has waited for its client. Its requests are answered one after the other:
 * a read that was sent after a write sees it (RFC 9112 section 9.3.2), and no client makes more work than it takes answers.
 */
export class Connection {
  readonly socket: Socket;
  /** Whether the next answer is the last one: it says so, and no further request is answered. */
  closing = false;
  /** Whether nothing more can be read from it; requests that came before are still answered. */
  broken = false;
  readonly #deps: ConnectionDeps;
  readonly #waiting: Turn[] = [];
  #state: ConnectionState = 'idle';
  #sinceMs: number;
  /** Time for which the current request waited for its client, less what its bytes are worth, up to `#sinceMs`. */
  #waitedMs = 0;
  #heldBytes = 0;
  /** Whether it is counted no longer: its socket is closed, or it made room. */
  #dropped = false;
  #current: Turn | undefined;
  /** The request that came last, whether or not it is being answered yet. */
  #newest: TurnRequest | undefined;
  #afterAnswers: (() => void) | undefined;
  readonly #next = (): void => this.#proceed();

  constructor(socket: Socket, deps: ConnectionDeps) {
    this.socket = socket;
    this.#deps = deps;
    this.#sinceMs = deps.nowMs();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Whether it is idle after an answer, rather than before its first request. */
  get isBetweenRequests(): boolean {
    return this.#state === 'idle' && this.#newest !== undefined;
  }

  /** Bytes that are in memory for its client: of a body that came, or an answer that is not taken. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Changes the state within a request. */
  enter(state: ConnectionState): void {
    if (state === this.#state) return;
    this.moved(0);
    this.#state = state;
  }

  /** Tells that its client sent or took some bytes. A few of them now and then are worth next to nothing. */
  moved(sizeBytes: number): void {
    const nowMs = this.#deps.nowMs();
    const waitedMs = this.#waitedMs + (this.#waits ? nowMs - this.#sinceMs : 0);
    this.#waitedMs = Math.max(0, waitedMs - sizeBytes / PROGRESS_BYTES_PER_MS);
    this.#sinceMs = nowMs;
  }

  /** How long its client has kept it waiting without enough progress, in milliseconds; 0 if its client waits for it. */
  waitedMs(nowMs: number): number {
    return this.#waits ? this.#waitedMs + nowMs - this.#sinceMs : 0;
  }

  /**
   * Accounts for bytes that stay in memory until the request is answered.
   *
   * @returns Whether there was room for them.
   */
  hold(sizeBytes: number): boolean {
    // The response may be closed already, and nothing else would let go of them.
    if (this.#dropped) return true;
    this.#heldBytes += sizeBytes;
    return this.#deps.hold(this, sizeBytes);
  }

  /** Accounts for the bytes no longer. */
  letGo(): void {
    if (this.#heldBytes === 0) return;
    const sizeBytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#deps.hold(this, -sizeBytes);
  }

  /** Takes a request, to be answered after all before it. @returns Whether there was room: see {@link PIPELINED_MAX}. */
  take(turn: Turn): boolean {
    if (this.#waiting.length === PIPELINED_MAX) return false;
    this.#newest = turn.request;
    if (this.#current === undefined) this.#begin(turn);
    else this.#waiting.push(turn);
    return true;
  }

  /**
   * Tells the connection that nothing more can be read from it. A request that did not arrive whole
   * fails with it; otherwise `refuse` is called once all requests are answered.
   */
  break(failure: Failure, refuse: () => void): void {
    // What follows a wrong byte is wrong too.
    if (this.broken) return;
    this.broken = true;
    if (this.#newest?.complete === false) this.#newest.fail(failure);
    else if (this.#current === undefined) refuse();
    else this.#afterAnswers = refuse;
  }

  /** Stops waiting for its client. A request whose body is missing is answered with 408. */
  giveUp(): void {
    this.closing = true;
    if (this.#state === 'reading' && this.#current?.response.headersSent === false)
      this.#current.request.fail({code: 'request-timeout'});
    else this.socket.destroy();
  }

  /** Ends with the answer that is on its way. */
  stop(): void {
    this.closing = true;
    this.#current?.request.stop();
  }

  /** Drops all that waits, and holds nothing from now on: the socket is closed, or about to be. */
  drop(): void {
    this.#dropped = true;
    this.#waiting.length = 0;
    this.#afterAnswers = undefined;
    this.letGo();
  }

  get #waits(): boolean {
    return this.#state === 'idle' || this.#state === 'reading' || this.#state === 'sending';
  }

  #begin(turn: Turn): void {
    this.#current = turn;
    this.#state = 'working';
    this.#waitedMs = 0;
    // Emitted when the system has the answer, or will never have it.
    turn.response.on('close', this.#next);
    void turn.start();
  }

  #proceed(): void {
    this.letGo();
    const next = this.closing ? undefined : this.#waiting.shift();
    if (next !== undefined) {
      this.#begin(next);
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
