import type {Socket} from 'node:net';
import type {Limits} from '../../../core/domain/limits.ts';
import type {ConnectionStatistics} from '../../../core/domain/statistics.ts';
import {Connection} from './connection.ts';

export interface ConnectionsOptions {
  readonly limits: Pick<Limits, 'connectionsMax' | 'heldBytesMax'>;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * All open connections. One rule evicts: connections that have exceeded the patience with their state longest are closed
 * (`Connection.lateMs`). It applies to connections from half of the maximum, which leaves places for many new ones
 * at once, and to bytes in memory from `Limits.heldBytesMax`. A connection between two requests is closed only if the
 * maximum is reached, but then at once: its next request may be on its way, and a client may be unable to retry it.
 * Any server that closes an idle connection takes that risk (RFC 9112 section 9.5). To half-close it first would not help:
 * a request that arrives after it cannot be answered. The request is never read, so it has no effect.
 */
export class Connections {
  readonly #connectionsMax: number;
  readonly #heldBytesMax: number;
  readonly #nowMs: () => number;
  readonly #all = new Map<Socket, Connection>();
  #heldBytes = 0;
  #stopping = false;

  constructor({limits, nowMs}: ConnectionsOptions) {
    this.#connectionsMax = limits.connectionsMax;
    this.#heldBytesMax = limits.heldBytesMax;
    this.#nowMs = nowMs;
  }

  /** Adds a new connection, and evicts others if necessary. @returns False if no place is free. */
  add(socket: Socket): boolean {
    if (!this.#makePlace()) return false;
    const connection = new Connection(socket, {
      nowMs: this.#nowMs,
      // The last answer may have been sent before the server stopped, without `Connection: close`.
      onIdle: () => this.#stopping && socket.destroySoon(),
      hold: (holder, sizeBytes) => this.#hold(holder, sizeBytes),
    });
    this.#all.set(socket, connection);
    socket.once('close', () => this.remove(connection));
    return true;
  }

  /** Returns figures of all connections. */
  statistics(): ConnectionStatistics {
    return {open: this.#all.size, heldBytes: this.#heldBytes};
  }

  /** Returns the connection of a socket; undefined if it was refused or evicted. */
  of(socket: Socket): Connection | undefined {
    return this.#all.get(socket);
  }

  /** Removes a connection whose socket gets another answer. Its requests have no effect. */
  remove(connection: Connection): void {
    this.#all.delete(connection.socket);
    connection.discard();
  }

  /** Closes idle connections now and the others after their next answer; those that listen stop listening. */
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

  #makePlace(): boolean {
    const crowdedFrom = Math.ceil(this.#connectionsMax / 2);
    if (this.#all.size < crowdedFrom) return true;
    const counted = [...this.#all.values()].filter(({state}) => state !== 'listening');
    const spare = counted.filter(({isBetweenRequests}) => isBetweenRequests);
    const busy = counted.filter(({isBetweenRequests}) => !isBetweenRequests);
    const missing = Math.max(busy.length + 1 - crowdedFrom, counted.length + 1 - this.#connectionsMax, 0);
    const late = this.#findLate(busy).slice(0, missing);
    for (const connection of late) this.#evict(connection);
    if (counted.length - late.length < this.#connectionsMax) return true;
    const [longestIdle] = this.#sortByLateness(spare);
    if (longestIdle !== undefined) this.#evict(longestIdle);
    return longestIdle !== undefined;
  }

  /** Counts bytes of a connection. @returns True if they are within the limit; a single holder may exceed it. */
  #hold(holder: Connection, sizeBytes: number): boolean {
    this.#heldBytes += sizeBytes;
    if (this.#heldBytes <= this.#heldBytesMax) return true;
    const others = [...this.#all.values()].filter(each => each !== holder && each.heldBytes > 0);
    for (const connection of this.#findLate(others)) {
      if (this.#heldBytes <= this.#heldBytesMax) break;
      this.#evict(connection);
    }
    return this.#heldBytes <= this.#heldBytesMax || this.#heldBytes === holder.heldBytes;
  }

  /** Returns the connections that are late, the latest first. */
  #findLate(connections: readonly Connection[]): readonly Connection[] {
    const nowMs = this.#nowMs();
    return this.#sortByLateness(connections.filter(connection => connection.lateMs(nowMs) >= 0));
  }

  #sortByLateness(connections: readonly Connection[]): readonly Connection[] {
    const nowMs = this.#nowMs();
    return connections.toSorted((one, other) => other.lateMs(nowMs) - one.lateMs(nowMs));
  }

  #evict(connection: Connection): void {
    this.remove(connection);
    connection.evict();
  }
}
