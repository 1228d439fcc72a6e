import {type ServerResponse, STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import type {HttpAnswer} from './message.ts';

/**
 * The open connections, so that there are never too many, and so that stopping knows which are idle.
 * When one more than allowed arrives, the longest idle one makes room: holding connections open without
 * using them keeps nobody else out.
 */
export class Connections {
  readonly #connectionsMax: number;
  /** For each connection how many answers it still waits for, and what happens after them. */
  readonly #all = new Map<Duplex, {answers: number; afterwards?: () => void}>();
  /** Those that wait for no answer, longest idle first. */
  readonly #idle = new Set<Duplex>();
  #stopping = false;

  constructor(connectionsMax: number) {
    this.#connectionsMax = connectionsMax;
  }

  /** Whether no connection may be used for another request. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Counts a new connection; `refuse` makes the answer when all others are busy. */
  add(socket: Duplex, refuse: () => HttpAnswer): void {
    if (this.#all.size >= this.#connectionsMax && !this.#makeRoom()) {
      sendRaw(socket, refuse());
      return;
    }
    this.#all.set(socket, {answers: 0});
    this.#idle.add(socket);
    socket.once('close', () => {
      this.#all.delete(socket);
      this.#idle.delete(socket);
    });
  }

  /** Counts a request of a connection as in flight until its answer is sent or can no longer be. */
  begin(socket: Duplex, response: ServerResponse): void {
    const state = this.#all.get(socket);
    if (state === undefined) return;
    state.answers++;
    this.#idle.delete(socket);
    response.once('close', () => this.#end(socket, state));
  }

  /** Calls back once the connection waits for no answer: what is written then comes in its turn. */
  afterAnswers(socket: Duplex, callback: () => void): void {
    const state = this.#all.get(socket);
    if (state === undefined || state.answers === 0) callback();
    else state.afterwards = callback;
  }

  /** Closes what is idle now, and every other connection as soon as it is. */
  stop(): void {
    this.#stopping = true;
    for (const socket of this.#idle) socket.destroy();
  }

  /** Closes everything at once. */
  destroyAll(): void {
    for (const socket of this.#all.keys()) socket.destroy();
  }

  #end(socket: Duplex, state: {answers: number; afterwards?: () => void}): void {
    state.answers--;
    if (state.answers > 0 || !this.#all.has(socket)) return;
    this.#idle.add(socket);
    if (state.afterwards !== undefined) state.afterwards();
    // The answer said "Connection: close", so Node ends the connection when it is written out.
    else if (this.#stopping) socket.end();
  }

  #makeRoom(): boolean {
    const [longestIdle] = this.#idle;
    if (longestIdle === undefined) return false;
    this.#all.delete(longestIdle);
    this.#idle.delete(longestIdle);
    longestIdle.destroy();
    return true;
  }
}

/** Sends an answer where there is no request to answer, and closes the connection. */
export function sendRaw(socket: Duplex, {status, rawHeaders, body = ''}: HttpAnswer): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  socket.once('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
}
