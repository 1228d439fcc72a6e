import {randomBytes} from 'node:crypto';
import type {Commit, CommitResult} from '../core/domain/commits/commit.ts';
import {
  type ChangeListener,
  type Changes,
  SNAPSHOT_IDLE_MS,
  type Snapshot,
  type Store,
} from '../core/domain/commits/store.ts';
import {hasExpired} from '../core/domain/commits/time-to-live.ts';
import type {Entry, EntryInfo, SharedEntry} from '../core/domain/entries/entry.ts';
import type {Key, Range, Revision, StoreId} from '../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../core/domain/limits.ts';
import {Listeners} from '../core/domain/listeners.ts';
import type {StoreStatistics} from '../core/domain/statistics.ts';
import {AppError} from '../core/failures/app-error.ts';
import {type ConversionDeps, convertStore} from './convert-store.ts';
import {describeDataDirectory, measureFiles} from './disk/data-directory.ts';
import type {FileSystem} from './disk/file-system.ts';
import {freeOpeningSpace} from './disk/reserve.ts';
import {changesOf, type LoggedChange} from './format/change-encoding.ts';
import {type Engine, LMDB} from './lmdb/engine.ts';
import {openingFailure} from './lmdb/engine-errors.ts';
import {type LogDamage, logOpening, type OpenedDirectory, openDirectory} from './open-directory.ts';
import {MONOTONIC_MS, StoreClock, type StoreClockDeps} from './plan/store-clock.ts';
import {readLastRevision} from './tree/change-log.ts';
import {CurrentEntries, EntryCache} from './tree/current-entries.ts';
import {type DueExpiries, readDue} from './tree/expiry-index.ts';
import {type ExpiredEntry, MergedTable, type ScannedTable, scanEntries, scanOf} from './tree/scan.ts';
import {LmdbSnapshots, type SnapshotSource} from './tree/snapshots.ts';
import type {StoreTables} from './tree/store-tables.ts';
import {Tree} from './tree/tree.ts';
import {Memtable} from './wal/memtable.ts';
import {replayRecord} from './wal/replay.ts';
import {DiskGate} from './write/disk-gate.ts';
import {WritePath} from './write/write-path.ts';

export interface LmdbStoreDeps extends StoreClockDeps, ConversionDeps {
  /** The data directory; it is created if it is missing. */
  readonly directory: string;
  /** Maximum number of changes in the change log. @default {DEFAULT_LIMITS.logChangesMax} */
  readonly logChangesMax?: number | undefined;
  /** Maximum size of keys and values in the change log, in bytes. @default {DEFAULT_LIMITS.logBytesMax} */
  readonly logBytesMax?: number | undefined;
  /** Maximum time without a read before a snapshot is released, in milliseconds. @default {SNAPSHOT_IDLE_MS} */
  readonly snapshotIdleMs?: number | undefined;
  /** Returns random bytes. @default {randomBytes of node:crypto} */
  readonly randomBytes?: ((sizeBytes: number) => Uint8Array) | undefined;
  /** Gives the store a new id, because its files were replaced, such as by those of a backup. @default {false} */
  readonly newStoreId?: boolean | undefined;
  /** Called for a damaged write-ahead log, see `OpeningOptions`. @default {The opening fails} */
  readonly onLogDamage?: ((damage: LogDamage) => Promise<void>) | undefined;
  /** File system of the directory. @default {The one of the operating system} */
  readonly files?: FileSystem | undefined;
  /** Engine of the tree. @default {LMDB} */
  readonly engine?: Engine | undefined;
}

/** Maximum number of expired entries that a sweep removes: about four milliseconds of the event loop. */
const SWEPT_MAX = 200;

/**
 * Opens the store in a data directory, which no other process can open until the store is closed.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-corrupt`; that of `beforeConversion`.
 */
export async function openLmdbStore(deps: LmdbStoreDeps): Promise<Store> {
  const {newStoreId = false, engine = LMDB, onLogDamage} = deps;
  const options = {engine, randomBytes: deps.randomBytes ?? randomBytes, newStoreId, onLogDamage};
  const opened = await openDirectory(describeDataDirectory(deps.directory, deps.files), options);
  logOpening(opened, deps.log);
  return convertStore(await createStore(deps, opened), opened, deps);
}

async function createStore(deps: LmdbStoreDeps, opened: OpenedDirectory): Promise<Store> {
  try {
    return new LmdbStore(deps, opened);
  } catch (error) {
    await opened.environment[Symbol.asyncDispose]();
    await opened.lock[Symbol.asyncDispose]();
    throw openingFailure(deps.directory, error);
  }
}

/** The store in LMDB: a tree with a write-ahead log in front. `write/write-path.ts` shows how they are written. */
class LmdbStore implements Store {
  readonly #opened: OpenedDirectory;
  readonly #tree: Tree;
  readonly #gate: DiskGate;
  readonly #writer: WritePath;
  readonly #memtable = new Memtable();
  readonly #entries: CurrentEntries;
  readonly #clock: StoreClock;
  readonly #listeners = new Listeners<Parameters<ChangeListener>>();
  readonly #snapshots: LmdbSnapshots;
  /** True if the write-ahead log can hold many more changes than the change log may. */
  readonly #isLogShort: boolean;
  /** Pending write of the time, which readers of an expired entry wait for. */
  #persisting: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: LmdbStoreDeps, opened: OpenedDirectory) {
    const {log, logChangesMax = DEFAULT_LIMITS.logChangesMax, logBytesMax = DEFAULT_LIMITS.logBytesMax} = deps;
    const {elapsedMs = MONOTONIC_MS, randomBytes: random = randomBytes} = deps;
    const {directory, metadata, recovered} = opened;
    this.#opened = opened;
    this.#isLogShort = logChangesMax < DEFAULT_LIMITS.logChangesMax || logBytesMax < DEFAULT_LIMITS.logBytesMax;
    this.#snapshots = new LmdbSnapshots(deps.snapshotIdleMs ?? SNAPSHOT_IDLE_MS);
    const logLimits = {changesMax: logChangesMax, bytesMax: logBytesMax};
    const tree = new Tree({opened, log, logLimits, snapshots: this.#snapshots});
    const durableMs = Math.max(tree.changes.highestMs, metadata.highestMs, recovered.at(-1)?.nowMs ?? 0);
    const cache = new EntryCache();
    this.#tree = tree;
    this.#clock = new StoreClock(deps, durableMs);
    this.#gate = new DiskGate({directory, elapsedMs, randomBytes: random, log});
    this.#entries = new CurrentEntries({memtable: this.#memtable, cache, tree});
    for (const record of recovered) this.#memtable.add(replayRecord(record, key => this.#entries.stateOf(key)));
    this.#writer = new WritePath({
      ...{directory, log, tree, gate: this.#gate, memtable: this.#memtable, cache, entries: this.#entries},
      ...{clock: this.#clock, machineMs: deps.nowMs, elapsedMs, durableMs, listeners: this.#listeners},
    });
  }

  get id(): StoreId {
    return this.#opened.metadata.id;
  }

  get revision(): Revision {
    return this.#memtable.revision ?? this.#tree.changes.revision;
  }

  get readOnlyBecause(): string | undefined {
    return this.#gate.readOnlyBecause;
  }

  async statistics(): Promise<StoreStatistics> {
    const figures = {...this.#writer.statistics(), trimmedRevision: this.#tree.changes.trimmed};
    // After the disk failed, or the end, it may be impossible to read.
    const entries = await Promise.resolve(this.#read(tables => tables.entries.count())).catch(() => undefined);
    return {...figures, entries, sizeBytes: await measureFiles(this.#opened.directory).catch(() => undefined)};
  }

  commit(commit: Commit): Promise<CommitResult> {
    return this.#writer.push(commit);
  }

  async get(key: Key): Promise<Entry | undefined> {
    const entry = await this.#read(() => this.#entries.entryOf(key));
    // Most entries never expire. Do not read the clock for them: it takes longer than the look-up.
    if (entry?.expiresAtMs === undefined || !hasExpired(entry, this.#clock.now())) return entry;
    await this.#persistExpiry(entry);
    return undefined;
  }

  findShared(key: Key): SharedEntry | undefined {
    const found = this.#closed === undefined ? this.#entries.sharedOf(key) : undefined;
    // Before a caller learns that an entry has expired, `get` makes it durable.
    return found?.info.expiresAtMs === undefined || !hasExpired(found.info, this.#clock.now()) ? found : undefined;
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    const {entries, rest, expired} = await this.#read(({entries: table}) =>
      scanEntries(this.#mergeInto(table), scanOf(range, this.#clock.now())),
    );
    if (rest === undefined) {
      if (expired !== undefined) await this.#persistExpiry(expired);
      return entries;
    }
    // The rest takes several ticks, in which others write.
    await using snapshot = await this.snapshot();
    return await snapshot.list(range);
  }

  async changes(after: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    this.#assertOpen();
    // Only the change log in the tree is trimmed.
    if (this.#isLogShort) await this.#writer.tryCheckpoint();
    return this.#read(({changes: table}) => {
      // A read may see a commit before the engine reports it to the writer.
      const isKnown = after <= this.revision || after <= readLastRevision(table);
      const changes = isKnown ? this.#readChanges(after, limit) : undefined;
      if (changes === undefined) return {kind: 'reset', revision: this.revision};
      const revision = changes.at(-1)?.revision ?? Math.max(after, this.revision);
      return {kind: 'changes', changes: changesOf(changes), revision};
    });
  }

  onChange(listener: ChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  snapshot(): Promise<Snapshot> {
    return this.#snapshots.take(async hold => this.#read(() => hold(this.#freeze())));
  }

  async sweep(): Promise<number | undefined> {
    this.#assertOpen();
    const {due, nextMs} = await this.#readDue();
    if (due.length === 0) return nextMs;
    await this.#writer.push({checks: [], operations: due});
    return (await this.#readDue(1)).nextMs;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#listeners.clear();
    await this.#writer.finish();
    this.#snapshots.end({code: 'store-closed'});
    try {
      await this.#tree[Symbol.asyncDispose]().finally(() => this.#writer.close());
      await freeOpeningSpace(this.#opened.directory);
    } finally {
      await this.#opened.lock[Symbol.asyncDispose]();
    }
  }

  #read<T>(read: (tables: StoreTables) => T): T | Promise<T> {
    return this.#tree.read(tables => {
      this.#assertOpen();
      return read(tables);
    });
  }

  /** Reads changes from the tree, and then those that are not checkpointed yet. */
  #readChanges(after: Revision, limit: number): readonly LoggedChange[] | undefined {
    const {changes} = this.#tree;
    const checkpointed = after < changes.revision ? changes.read(after, limit) : [];
    return checkpointed === undefined ? undefined : this.#memtable.readChanges(after, limit, checkpointed);
  }

  /** Returns a view of a table with the writes that are not checkpointed yet, as both are now. */
  #mergeInto(table: ScannedTable): ScannedTable {
    return this.#memtable.changes === 0 ? table : new MergedTable(this.#memtable.freeze(), table);
  }

  #freeze(): SnapshotSource {
    const state = this.#tree.snapshot();
    try {
      // Read from the snapshot, which may include a commit that the engine has not reported yet.
      const checkpointed = readLastRevision(state.table('changes'));
      return {
        entries: this.#mergeInto(state.table('entries')),
        revision: Math.max(checkpointed, this.#memtable.revision ?? 0),
        nowMs: this.#clock.now(),
        persistExpiry: expired => this.#persistExpiry(expired),
        release: () => state.release(),
      };
    } catch (error) {
      state.release();
      throw error;
    }
  }

  async #readDue(limit = SWEPT_MAX): Promise<DueExpiries> {
    // Only the tree has the expiry index.
    if (this.#memtable.touchesExpiries) await this.#writer.checkpoint();
    return this.#read(({expiries}) => readDue(expiries, this.#clock.now(), limit));
  }

  /**
   * Makes durable that an entry has expired before a caller learns it, so that the entry never comes back, even if the clock of the
   * machine is set back and the process is killed. Has no effect if the store cannot write.
   */
  async #persistExpiry({key, expiresAtMs}: ExpiredEntry): Promise<void> {
    let isOwn = false;
    // One write is enough for concurrent readers, unless it began before the entry expired.
    while (expiresAtMs > this.#writer.durableMs && !isOwn) {
      isOwn = this.#persisting === undefined;
      this.#persisting ??= this.#writeTimeFor(key).finally(() => {
        this.#persisting = undefined;
      });
      await this.#persisting;
    }
  }

  /** Commits a check of an expired entry, which changes nothing and makes the time durable. */
  async #writeTimeFor(key: Key): Promise<void> {
    try {
      await this.#writer.push({checks: [{key, expected: 'absent'}], operations: []});
    } catch (error) {
      // The store cannot write, or the key was written meanwhile.
      if (!(error instanceof AppError)) throw error;
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }
}
