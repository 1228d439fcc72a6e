import {setImmediate} from 'node:timers/promises';
import type {Entry, EntryInfo, Revision} from '../../domain/entry.ts';
import {AppError, type Failure} from '../../domain/failure.ts';
import type {Range, Snapshot} from '../../domain/store.ts';
import {type ExpiredEntry, type Scan, type ScannedTable, scanEntries, scanOf} from './scan.ts';

/**
 * How many snapshots are held at once. Each has a place among the 126 readers of the engine, and holds back the space
 * of whatever is overwritten meanwhile.
 */
export const SNAPSHOTS_MAX = 32;

/** A state of the store, and the time at which it was the present one. */
export interface SnapshotSource {
  readonly entries: ScannedTable;
  readonly revision: Revision;
  /** By the clock of the store: what was there then is there as long as the snapshot lives. */
  readonly nowMs: number;
  /** Sees to it that an entry that is left out, since it has expired, is never there again. */
  readonly persistExpiry: (expired: ExpiredEntry) => Promise<unknown>;
  /** Once; nothing reads it after that. */
  release(): void;
}

/** The snapshots of a store, of which only so many are held at once. */
export class LmdbSnapshots {
  readonly #held = new Set<LmdbSnapshot>();
  /** How many are held or being taken. */
  #taken = 0;
  #waiting: (() => void)[] = [];
  readonly #idleMs: number;

  /** @param idleMs How long one is kept of which nothing is read, in milliseconds. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Takes one as soon as it is its turn. @throws What `begin` throws. */
  async take(begin: () => Promise<SnapshotSource>): Promise<Snapshot> {
    if (this.#taken >= SNAPSHOTS_MAX) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.#taken++;
    try {
      const snapshot = new LmdbSnapshot(await begin(), {
        idleMs: this.#idleMs,
        onEnd: () => {
          if (this.#held.delete(snapshot)) this.#releaseSlot();
        },
      });
      this.#held.add(snapshot);
      return snapshot;
    } catch (error) {
      this.#releaseSlot();
      throw error;
    }
  }

  /** Releases all that are held; whoever reads them gets this failure. */
  end(failure: Failure): void {
    for (const snapshot of this.#held) snapshot.end(failure);
  }

  #releaseSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}

interface LmdbSnapshotOptions {
  readonly idleMs: number;
  readonly onEnd: () => void;
}

class LmdbSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly #source: SnapshotSource;
  readonly #onEnd: () => void;
  /** Ends it once nothing was read of it for long; otherwise one who stalls would hold up all others. */
  readonly #idle: NodeJS.Timeout;
  /** What whoever reads it gets, once it is released. */
  #failure: Failure | undefined;

  constructor(source: SnapshotSource, {idleMs, onEnd}: LmdbSnapshotOptions) {
    this.#source = source;
    this.#onEnd = onEnd;
    this.revision = source.revision;
    this.#idle = setTimeout(() => this.end({code: 'reader-too-slow', idleMs}), idleMs);
    this.#idle.unref();
  }

  async list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  async list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    const {entries: table, nowMs, persistExpiry} = this.#source;
    const entries: EntryInfo[] = [];
    for (let scan: Scan | undefined = scanOf(range, nowMs); scan !== undefined; ) {
      if (this.#failure !== undefined) throw new AppError(this.#failure);
      this.#idle.refresh();
      const part = scanEntries(table, scan);
      entries.push(...part.entries);
      scan = part.rest;
      if (part.expired !== undefined) await persistExpiry(part.expired);
      if (scan !== undefined) await setImmediate();
    }
    return entries;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end({code: 'store-closed'});
  }

  end(failure: Failure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    clearTimeout(this.#idle);
    this.#source.release();
    this.#onEnd();
  }
}
