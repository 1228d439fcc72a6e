import type {Snapshot} from '../../core/domain/commits/store.ts';
import type {Entry, EntryInfo} from '../../core/domain/entries/entry.ts';
import type {Range, Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import {type ExpiredEntry, type Scan, type ScannedTable, scanEntries, scanOf} from './scan.ts';

/**
 * Maximum number of snapshots at once. Each takes one of the engine's 126 reader slots, and keeps the space of everything that is
 * overwritten meanwhile in use.
 */
export const SNAPSHOTS_MAX = 32;

/** A state of the store, with the time when it was the present one. */
export interface SnapshotSource {
  readonly entries: ScannedTable;
  readonly revision: Revision;
  /** Time by the clock of the store: an entry that was present then does not expire in the snapshot. */
  readonly nowMs: number;
  /** Makes durable that a skipped entry has expired, so that it never comes back. */
  readonly persistExpiry: (expired: ExpiredEntry) => Promise<unknown>;
  /** Releases the state. Called once; nothing reads it after that. */
  release(): void;
}

/** The snapshots of a store, with a limit of {@link SNAPSHOTS_MAX}. */
export class LmdbSnapshots {
  readonly #held = new Set<LmdbSnapshot>();
  /** Number of snapshots that are held or being taken. */
  #taken = 0;
  #waiting: (() => void)[] = [];
  readonly #idleMs: number;

  /** @param idleMs Maximum time without a read before a snapshot is released, in milliseconds. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /**
   * Takes a snapshot as soon as a slot is free.
   *
   * @param begin Passes the present state to `hold` in the tick in which it reads it: {@link end} has to know all states.
   * @throws Everything that `begin` throws.
   */
  async take(begin: (hold: (source: SnapshotSource) => Snapshot) => Promise<Snapshot>): Promise<Snapshot> {
    if (this.#taken >= SNAPSHOTS_MAX) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.#taken++;
    try {
      return await begin(source => this.#hold(source));
    } catch (error) {
      this.#releaseSlot();
      throw error;
    }
  }

  /** Releases all snapshots; later reads of them fail with `failure`. */
  end(failure: Failure): void {
    for (const snapshot of this.#held) snapshot.end(failure);
  }

  #hold(source: SnapshotSource): Snapshot {
    const snapshot = new LmdbSnapshot(source, {
      idleMs: this.#idleMs,
      onEnd: () => {
        if (this.#held.delete(snapshot)) this.#releaseSlot();
      },
    });
    this.#held.add(snapshot);
    return snapshot;
  }

  #releaseSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}

class LmdbSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly #source: SnapshotSource;
  readonly #onEnd: () => void;
  /** Idle timeout; without it a stalled reader would block all others. */
  readonly #idle: NodeJS.Timeout;
  /** Failure of every read after the snapshot is released. */
  #failure: Failure | undefined;

  constructor(source: SnapshotSource, {idleMs, onEnd}: {readonly idleMs: number; readonly onEnd: () => void}) {
    this.#source = source;
    this.#onEnd = onEnd;
    this.revision = source.revision;
    this.#idle = setTimeout(() => this.end({code: 'too-slow', what: 'reader', idleMs}), idleMs);
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
      if (scan !== undefined) await nextTick();
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
