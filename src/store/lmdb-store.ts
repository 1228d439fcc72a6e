import type {Entry, EntryInfo, Revision} from '../domain/entry.ts';
import {AppError, type Failure} from '../domain/failure.ts';
import type {Key} from '../domain/key.ts';
import {Listeners} from '../domain/listeners.ts';
import type {Log} from '../domain/log.ts';
import {
  type Changes,
  type Commit,
  type CommitResult,
  LOG_BYTES_MAX,
  LOG_CHANGES_MAX,
  type Range,
  SNAPSHOT_IDLE_MS,
  type Snapshot,
  type Store,
} from '../domain/store.ts';
import {hasExpired} from '../domain/time-to-live.ts';
import {ChangeLog, type LogLimits, readLastRevision} from './change-log.ts';
import {type EntryState, type GroupPlan, planGroup} from './commit-group.ts';
import {CommitQueue} from './commit-queue.ts';
import {type DueExpiries, readDue} from './expiries.ts';
import {isFullDisk} from './full-disk.ts';
import {prepareWrite} from './group-write.ts';
import {isPageDamage, openEnvironment} from './lmdb-environment.ts';
import {type OpenedDirectory, openDirectory, openTables, type StoreTables} from './lmdb-opening.ts';
import {LmdbSnapshots} from './lmdb-snapshots.ts';
import {
  isDeletion,
  type PreparedCommit,
  type PreparedPut,
  prepareOperation,
  sizeOfCommit,
  sizeOfWrite,
  sum,
} from './prepared-commit.ts';
import {decodeRecord, readState} from './record.ts';
import {DiskRoom, makeRoom} from './reserve.ts';
import {scanEntries, scanOf} from './scan.ts';
import {StoreClock, type StoreClockDeps} from './store-clock.ts';

/** What an LMDB store needs. */
export interface LmdbStoreDeps extends StoreClockDeps {
  /** The data directory; it is created where it is missing. */
  readonly directory: string;
  readonly log: Log;
  /** How many changes the log keeps. @default {LOG_CHANGES_MAX} */
  readonly logChangesMax?: number | undefined;
  /** How many bytes of keys and values the log keeps. @default {LOG_BYTES_MAX} */
  readonly logBytesMax?: number | undefined;
  /** How long a snapshot is kept of which nothing is read, in milliseconds. @default {SNAPSHOT_IDLE_MS} */
  readonly snapshotIdleMs?: number | undefined;
}

/** How many expired entries a sweep removes at most: about four milliseconds of the event loop. */
const SWEPT_MAX = 200;

/**
 * Opens the store in a data directory, alone.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-damaged`.
 */
export async function openLmdbStore(deps: LmdbStoreDeps): Promise<Store> {
  const opened = await openDirectory(deps.directory);
  try {
    return new LmdbStore(deps, opened);
  } catch (error) {
    await opened.environment[Symbol.asyncDispose]();
    await opened.lock[Symbol.asyncDispose]();
    throw new AppError(
      {code: 'store-damaged', directory: deps.directory, problem: (error as Error).message},
      {cause: error},
    );
  }
}

/**
 * One writer at a time, so what a commit will meet is known before it is written: checks are judged
 * here, in the order of arrival, and LMDB only gets what has to be written. All commits that wait
 * while the disk is busy form the next group, which is one transaction with one fsync.
 */
class LmdbStore implements Store {
  readonly #nowMs: () => number;
  readonly #log: Log;
  readonly #logLimits: LogLimits;
  readonly #opened: OpenedDirectory;
  readonly #queue = new CommitQueue<PreparedCommit>({
    writeGroup: group => this.#writeGroup(group),
    sizeOf: commit => this.#sizeOf(commit),
  });
  readonly #room: DiskRoom;
  readonly #clock: StoreClock;
  readonly #listeners = new Listeners();
  readonly #snapshots: LmdbSnapshots;
  #environment: OpenedDirectory['environment'];
  #tables: StoreTables;
  #changes: ChangeLog;
  #readOnlyBecause: string | undefined;
  /** While a group is written: until it is known what came of it. Never rejects. */
  #writing: Promise<unknown> | undefined;
  /** After a disk failure: until the files are opened again for reading. */
  #reopening: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: LmdbStoreDeps, opened: OpenedDirectory) {
    const {log, logChangesMax, logBytesMax, snapshotIdleMs = SNAPSHOT_IDLE_MS, ...clock} = deps;
    this.#nowMs = clock.nowMs;
    this.#log = log;
    this.#logLimits = {changesMax: logChangesMax ?? LOG_CHANGES_MAX, bytesMax: logBytesMax ?? LOG_BYTES_MAX};
    this.#opened = opened;
    this.#room = new DiskRoom(opened.directory);
    this.#snapshots = new LmdbSnapshots(snapshotIdleMs);
    this.#environment = opened.environment;
    this.#tables = openTables(opened.environment);
    this.#changes = new ChangeLog(this.#tables.changes, this.#logLimits);
    this.#clock = new StoreClock(clock, this.#changes.highestMs);
  }

  get revision(): Revision {
    return this.#changes.revision;
  }

  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  async commit({checks, operations, limits}: Commit): Promise<CommitResult> {
    this.#assertWritable();
    return this.#queue.push({checks, operations: operations.map(prepareOperation), limits});
  }

  get(key: Key): Promise<Entry | undefined> {
    return this.#read(tables => {
      const entry = readEntry(tables, key);
      return entry === undefined || hasExpired(entry, this.#clock.now()) ? undefined : entry;
    });
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    const {entries, rest} = await this.#read(tables => scanEntries(tables.entries, scanOf(range, this.#clock.now())));
    if (rest === undefined) return entries;
    // It takes several turns of the event loop, in which others write.
    const snapshot = await this.snapshot();
    try {
      return await snapshot.list(range);
    } finally {
      await snapshot[Symbol.asyncDispose]();
    }
  }

  changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    return this.#read(({changes: table}) => {
      // A snapshot may be a commit ahead of what was heard from the engine.
      const isKnown = since <= this.revision || since <= readLastRevision(table);
      const changes = isKnown ? this.#changes.read(since, limit) : undefined;
      if (changes === undefined) return {kind: 'reset', revision: this.revision};
      return {kind: 'changes', changes, revision: changes.at(-1)?.revision ?? Math.max(since, this.revision)};
    });
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  snapshot(): Promise<Snapshot> {
    return this.#snapshots.take(() =>
      this.#read(() => ({state: this.#environment.snapshot(), nowMs: this.#clock.now()})),
    );
  }

  async sweep(): Promise<number | undefined> {
    const {due, nextMs} = await this.#readDue();
    if (due.length === 0) return nextMs;
    this.#assertWritable();
    await this.#queue.push({checks: [], operations: due});
    return (await this.#readDue(1)).nextMs;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#listeners.clear();
    await this.#queue.drained();
    await this.#reopening;
    this.#snapshots.end({code: 'store-closed'});
    try {
      await this.#environment[Symbol.asyncDispose]();
      await makeRoom(this.#opened.directory);
    } finally {
      await this.#opened.lock[Symbol.asyncDispose]();
    }
  }

  /** Reads in one go: what is read is one state. */
  async #read<T>(read: (tables: StoreTables) => T): Promise<T> {
    if (this.#reopening !== undefined) await this.#reopening;
    this.#assertOpen();
    try {
      return read(this.#tables);
    } catch (error) {
      if (error instanceof AppError || this.#writing === undefined) throw error;
      // A write that failed on the disk makes the engine refuse reads before its own failure arrives here.
      await this.#writing;
      await this.#reopening;
    }
    this.#assertOpen();
    return read(this.#tables);
  }

  #readDue(limit = SWEPT_MAX): Promise<DueExpiries> {
    return this.#read(({expiries}) => readDue(expiries, this.#clock.now(), limit));
  }

  async #writeGroup(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    if (this.#readOnlyBecause !== undefined) throw readOnly(this.#readOnlyBecause);
    if (!(await this.#room.admits(sum(group, commit => this.#sizeOf(commit))))) return this.#writeDeletions(group);
    try {
      return await this.#writeTogether(group);
    } catch (error) {
      if (!(error instanceof AppError) || error.failure.code !== 'disk-full') throw error;
      await this.#room.giveUp();
      return this.#writeDeletions(group);
    }
  }

  /** On a full disk: what only deletes happens, since it makes room, and there is room for it. */
  async #writeDeletions(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const results = [...(await this.#writeTogether(group.filter(isDeletion)))];
    return group.map(commit => (isDeletion(commit) && results.shift()) || new AppError({code: 'disk-full'}));
  }

  async #writeTogether(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const plan = planGroup(group, {
      revision: this.revision,
      nowMs: this.#clock.now(),
      stateOf: key => this.#stateOf(key),
      jsonOf: key => readEntry(this.#tables, key)?.json,
    });
    if (plan.changes.length === 0 && plan.stale.length === 0) return plan.results;
    const writing = this.#writePlan(plan).catch(async error => {
      throw new AppError(await this.#afterFailedWrite(error, plan), {cause: error});
    });
    this.#writing = writing.catch(() => {});
    try {
      await writing;
    } finally {
      this.#writing = undefined;
    }
    return plan.results;
  }

  async #writePlan(plan: GroupPlan<PreparedPut>): Promise<void> {
    const write = prepareWrite(plan, {
      tables: this.#tables,
      log: this.#changes,
      updatedAtMs: this.#nowMs(),
      highestMs: this.#clock.now(),
    });
    await this.#environment.write(() => write.apply());
    write.done();
    // Writers get their answers first: a listener begins to read.
    if (plan.changes.length > 0) setImmediate(() => this.#listeners.call());
  }

  #sizeOf(commit: PreparedCommit): number {
    return sizeOfCommit(commit, key => this.#recordSize(key));
  }

  /** The size of the record under a key, in bytes; 0 where it is missing or cannot be read. */
  #recordSize(key: Key): number {
    try {
      return this.#tables.entries.peek(Buffer.from(key))?.length ?? 0;
    } catch {
      return 0;
    }
  }

  #stateOf(key: Key): EntryState | undefined {
    const record = namingDamage(key, () => this.#tables.entries.peek(Buffer.from(key)));
    return record === undefined ? undefined : readState(key, record);
  }

  async #afterFailedWrite(error: unknown, {writes}: GroupPlan<PreparedPut>): Promise<Failure> {
    const sizeBytes = sum(Array.from(writes.values()), ({put}) => sizeOfWrite(put));
    if ((await isFullDisk(error, this.#opened.directory.storePath, sizeBytes)) && this.#canRead()) {
      this.#log.error('disk full; nothing was written', {error});
      return {code: 'disk-full'};
    }
    // After a failed fsync nobody knows what the disk holds: a retry could succeed and prove nothing.
    const failure: Failure = {code: 'store-read-only', problem: (error as Error).message};
    this.#readOnlyBecause = failure.problem;
    this.#log.error('disk failed; the store is read-only until it is opened again', {error});
    this.#reopening = this.#reopenReadOnly(failure);
    return failure;
  }

  /** Whether the engine goes on after a failed write; where it cannot read it would never answer another write. */
  #canRead(): boolean {
    try {
      readLastRevision(this.#tables.changes);
      return true;
    } catch {
      return false;
    }
  }

  /** A failed write can leave the engine unable even to read; opened anew it shows the last good state. */
  async #reopenReadOnly(failure: Failure): Promise<void> {
    try {
      // Their state belongs to the files as they were opened.
      this.#snapshots.end(failure);
      await this.#environment[Symbol.asyncDispose]();
      this.#environment = openEnvironment({directory: this.#opened.directory.storePath, readOnly: true});
      this.#tables = openTables(this.#environment);
      this.#changes = new ChangeLog(this.#tables.changes, this.#logLimits);
    } catch (error) {
      this.#log.error('store could not be opened again for reading', {error});
    } finally {
      this.#reopening = undefined;
    }
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#readOnlyBecause !== undefined) throw readOnly(this.#readOnlyBecause);
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }
}

function readEntry({entries}: StoreTables, key: Key): Entry | undefined {
  const record = namingDamage(key, () => entries.get(Buffer.from(key)));
  return record === undefined ? undefined : decodeRecord(key, record);
}

function namingDamage<T>(key: Key, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    throw new AppError({code: 'entry-corrupt', key}, {cause: error});
  }
}

function readOnly(problem: string): AppError {
  return new AppError({code: 'store-read-only', problem});
}
