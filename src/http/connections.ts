import type {Socket} from 'node:net';
import type {Failure} from '../domain/failure.ts';

/**
 * How many requests may wait on one connection for the answers before theirs. Clients that pipeline send
 * some ten at once; this keeps what a connection that never reads can pile up below a megabyte.
 */
export const PIPELINED_MAX = 128;

/**
 * How long a client may keep its place while others are turned away because of it, beginning or sending a request or
 * taking an answer, in milliseconds: on one machine a whole value takes some ten.
 */
export const PATIENCE_MS = 1000;

/** A request and what is to be done once it is its turn. */
export interface Turn {
  readonly request: TurnRequest;
  readonly response: TurnResponse;
  /** Sees to it that `response` is ended, or its socket destroyed; never throws or rejects. */
  start(): void | Promise<void>;
}

/** What a connection knows of a response. */
export interface TurnResponse {
  readonly headersSent: boolean;
  /** Whether all of it is said, if not yet taken. */
  readonly writableEnded: boolean;
  on(event: 'close', listener: () => void): unknown;
}

/** What a connection knows of a request. */
export interface TurnRequest {
  /** Whether all of it arrived. */
  readonly complete: boolean;
  /** Tells it that the rest will never arrive. */
  fail(failure: Failure): void;
  /** Tells it that the service stops: what is waited for on its behalf should end. */
  stop(): void;
}

/** What {@link Connections} need. */
export interface ConnectionsOptions {
  readonly connectionsMax: number;
  /** A clock that never jumps, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * The open connections, so that there are never too many, and so that stopping knows which are idle.
 * When one more than allowed arrives, one that waits for its client makes room: the longest idle, else
 * one that was slow for {@link PATIENCE_MS}, as one without any request may be. Holding connections open without using them keeps nobody out.
 */
export class Connections {
  readonly #connectionsMax: number;
  readonly #nowMs: () => number;
  readonly #all = new Map<Socket, Connection>();
  /** Those that wait for no answer, longest idle first. */
  readonly #idle = new Set<Connection>();
  /** Those with an answer that does not end by itself; their number has a limit of its own. */
  readonly #longLived = new Set<Connection>();
  #stopping = false;

  constructor({connectionsMax, nowMs}: ConnectionsOptions) {
    this.#connectionsMax = connectionsMax;
    this.#nowMs = nowMs;
  }

  /** Counts a new connection. @returns Whether there is room: there is none while all others are busy. */
  add(socket: Socket): boolean {
    if (this.#all.size - this.#longLived.size >= this.#connectionsMax && !this.#makeRoom()) return false;
    const connection = new Connection(socket, this.#nowMs, () => this.#rest(connection));
    this.#all.set(socket, connection);
    this.#idle.add(connection);
    socket.once('close', () => this.#forget(connection));
    return true;
  }

  /** The connection of a socket; undefined when it was refused. */
  of(socket: Socket): Connection | undefined {
    return this.#all.get(socket);
  }

  /** Takes a request of a connection. @returns Whether there was room for it: see {@link PIPELINED_MAX}. */
  take(connection: Connection, turn: Turn): boolean {
    this.#idle.delete(connection);
    return connection.take(turn);
  }

  /** Counts a connection no longer, and makes no room of it, while an answer lasts that does not end by itself. */
  hold(connection: Connection): void {
    if (this.#all.has(connection.socket)) this.#longLived.add(connection);
  }

  /** Counts a connection again: what it waits for now is its client. */
  release(connection: Connection): void {
    this.#longLived.delete(connection);
  }

  /** Closes what is idle now, and every other connection with its next answer; those that do not end by themselves end. */
  stop(): void {
    this.#stopping = true;
    for (const connection of this.#idle) connection.socket.destroy();
    for (const connection of this.#all.values()) connection.stop();
  }

  /** Closes everything at once. */
  destroyAll(): void {
    for (const socket of this.#all.keys()) socket.destroy();
  }

  #rest(connection: Connection): void {
    // Its last answer may have been on its way before it could be told to close.
    if (this.#stopping) connection.socket.destroySoon();
    else if (this.#all.has(connection.socket)) this.#idle.add(connection);
  }

  #makeRoom(): boolean {
    const lateMs = this.#nowMs() - PATIENCE_MS;
    for (const connection of this.#idle) {
      // Many clients connect first, all at once, and their requests are on the way.
      if (connection.isNewerThan(lateMs)) continue;
      this.#forget(connection);
      connection.socket.destroy();
      return true;
    }
    for (const connection of this.#all.values()) {
      if (this.#longLived.has(connection) || !connection.waitsForClientSince(lateMs)) continue;
      this.#forget(connection);
      connection.giveUp();
      return true;
    }
    return false;
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection.socket);
    this.#idle.delete(connection);
    this.#longLived.delete(connection);
    connection.drop();
  }
}

/**
 * One connection. Its requests have their turns one after the other: a read that was sent after a write
 * has to see it (RFC 9112 section 9.3.2), and no client makes more work than it takes answers.
 */
export class Connection {
  readonly socket: Socket;
  /** Whether the next answer is the last one: it says so, and no further request has its turn. */
  closing = false;
  /** Whether nothing more can be read from it; what came before has its turn still. */
  broken = false;
  /** Tells that its turn begins to wait for its client, to send something more or to take something, or goes on. */
  readonly waitForClient = (waits: boolean): void => {
    this.#waits = waits;
    this.#sinceMs = this.#nowMs();
  };
  readonly #nowMs: () => number;
  readonly #onRest: () => void;
  readonly #waiting: Turn[] = [];
  #current: Turn | undefined;
  /** When it was opened; when the current turn began, or last went on. */
  #sinceMs: number;
  /** Whether the current turn waits for its client, where it is a stream that tells; otherwise its state shows. */
  #waits: boolean | undefined;
  /** The request that came last, whether or not it had its turn yet. */
  #newest: TurnRequest | undefined;
  #afterAnswers: (() => void) | undefined;
  readonly #next = (): void => this.#proceed();

  /** @param onRest Called whenever the connection waits for no answer any more. */
  constructor(socket: Socket, nowMs: () => number, onRest: () => void) {
    this.socket = socket;
    this.#nowMs = nowMs;
    this.#onRest = onRest;
    this.#sinceMs = nowMs();
  }

  /** Gives a request its turn, once all before it are answered. @returns Whether there was room for it. */
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

  /** Whether it was opened after a time, and no request came yet. */
  isNewerThan(timeMs: number): boolean {
    return this.#newest === undefined && this.#sinceMs > timeMs;
  }

  /** Whether it is its client that keeps a turn from going on since a time, or longer. */
  waitsForClientSince(beganMs: number): boolean {
    if (this.#current === undefined || this.#sinceMs > beganMs) return false;
    return this.#current.response.writableEnded || (this.#waits ?? !this.#current.request.complete);
  }

  /** Waits no longer for its client, which is told so where it can be. */
  giveUp(): void {
    this.closing = true;
    if (this.#current?.response.headersSent === false) this.#current.request.fail({code: 'request-timeout'});
    else this.socket.destroy();
  }

  /** Ends with the answer that is on its way. */
  stop(): void {
    this.closing = true;
    this.#current?.request.stop();
  }

  /** Lets go of everything that waits: the socket is gone. */
  drop(): void {
    this.#waiting.length = 0;
    this.#afterAnswers = undefined;
  }

  #begin(turn: Turn): void {
    this.#current = turn;
    this.#waits = undefined;
    this.#sinceMs = this.#nowMs();
    // Emitted when the answer is with the system, or can no longer be.
    turn.response.on('close', this.#next);
    void turn.start();
  }

  #proceed(): void {
    const next = this.closing ? undefined : this.#waiting.shift();
    if (next !== undefined) {
      this.#begin(next);
      return;
    }
    this.#current = undefined;
    if (this.#afterAnswers !== undefined && this.socket.writable) this.#afterAnswers();
    else this.#onRest();
  }
}
