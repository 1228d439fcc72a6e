import type {Socket} from 'node:net';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {Connection} from './connection.ts';

/**
 * How long a client keeps its connection without progress once many are open, in milliseconds. On one machine a whole
 * value takes some ten; a tenth of a second is a busy machine.
 */
export const PATIENCE_MS = 250;

/** Limits and the clock of {@link Connections}. */
export interface ConnectionsOptions {
  readonly connectionsMax: number;
  /** @default {DEFAULT_LIMITS.heldBytesMax} */
  readonly heldBytesMax?: number | undefined;
  /** A clock that never jumps, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * All open connections. There is one rule that makes room: those that have waited longest for their clients are closed,
 * if that is {@link PATIENCE_MS} or more. It holds for connections from half of those that there may be, so that there is
 * room for many that come at once, and for bytes in memory from `Limits.heldBytesMax`. Connections between two requests
 * are closed only when all places are taken, then without patience: the next request may be on its way, and a client may
 * not be able to send it again.
 */
export class Connections {
  readonly #connectionsMax: number;
  readonly #heldBytesMax: number;
  readonly #nowMs: () => number;
  readonly #all = new Map<Socket, Connection>();
  #heldBytes = 0;
  #stopping = false;

  constructor({connectionsMax, heldBytesMax = DEFAULT_LIMITS.heldBytesMax, nowMs}: ConnectionsOptions) {
    this.#connectionsMax = connectionsMax;
    this.#heldBytesMax = heldBytesMax;
    this.#nowMs = nowMs;
  }

  /** Counts a new connection. @returns Whether there is room for it. */
  add(socket: Socket): boolean {
    if (!this.#hasPlace()) return false;
    const connection = new Connection(socket, {
      nowMs: this.#nowMs,
      // Its last answer may have been on its way before it could be told to close.
      onIdle: () => this.#stopping && socket.destroySoon(),
      hold: (holder, sizeBytes) => this.#hold(holder, sizeBytes),
    });
    this.#all.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
    return true;
  }

  /** The connection of a socket; undefined if it was refused, or made room for others. */
  of(socket: Socket): Connection | undefined {
    return this.#all.get(socket);
  }

  /** Closes idle connections now, and every other one with its next answer; those that listen stop listening. */
  stop(): void {
    this.#stopping = true;
    for (const connection of this.#all.values()) {
      if (connection.state === 'idle') connection.socket.destroy();
      connection.stop();
    }
  }

  /** Closes everything at once. */
  destroyAll(): void {
    for (const socket of this.#all.keys()) socket.destroy();
  }

  #hasPlace(): boolean {
    const crowdedFrom = Math.ceil(this.#connectionsMax / 2);
    if (this.#all.size < crowdedFrom) return true;
    const counted = [...this.#all.values()].filter(({state}) => state !== 'listening');
    const spare = counted.filter(({isBetweenRequests}) => isBetweenRequests);
    const held = counted.filter(({isBetweenRequests}) => !isBetweenRequests);
    const missing = Math.max(held.length + 1 - crowdedFrom, counted.length + 1 - this.#connectionsMax, 0);
    const late = this.#findLate(held).slice(0, missing);
    for (const connection of late) this.#giveUp(connection);
    if (counted.length - late.length < this.#connectionsMax) return true;
    const [longestIdle] = this.#sortByWait(spare);
    if (longestIdle !== undefined) this.#giveUp(longestIdle);
    return longestIdle !== undefined;
  }

  /** Accounts for bytes of a connection. @returns Whether there is room for them; one alone has all that it needs. */
  #hold(holder: Connection, sizeBytes: number): boolean {
    this.#heldBytes += sizeBytes;
    if (this.#heldBytes <= this.#heldBytesMax) return true;
    const others = [...this.#all.values()].filter(each => each !== holder && each.heldBytes > 0);
    for (const connection of this.#findLate(others)) {
      if (this.#heldBytes <= this.#heldBytesMax) break;
      this.#giveUp(connection);
    }
    return this.#heldBytes <= this.#heldBytesMax || this.#heldBytes === holder.heldBytes;
  }

  /** Connections that have waited too long for their clients, the longest first. */
  #findLate(connections: readonly Connection[]): readonly Connection[] {
    const nowMs = this.#nowMs();
    return this.#sortByWait(connections.filter(connection => connection.waitedMs(nowMs) >= PATIENCE_MS));
  }

  #sortByWait(connections: readonly Connection[]): readonly Connection[] {
    const nowMs = this.#nowMs();
    return connections.toSorted((one, other) => other.waitedMs(nowMs) - one.waitedMs(nowMs));
  }

  #giveUp(connection: Connection): void {
    this.#forget(connection);
    connection.giveUp();
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection.socket);
    connection.drop();
  }
}
