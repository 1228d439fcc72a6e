import {statfs} from 'node:fs/promises';
import type {Entry, EntryInfo, Revision} from '../domain/entry.ts';
import {AppError, type Failure} from '../domain/failure.ts';
import type {Key} from '../domain/key.ts';
import type {Log} from '../domain/log.ts';
import {
  type Change,
  type Changes,
  type Commit,
  type CommitResult,
  LOG_CHANGES_MAX,
  type Range,
  type Store,
} from '../domain/store.ts';
import {decodeLogKey, decodeLogRecord, decodeOrdinal, encodeLogKey, encodeLogRecord} from './change-log.ts';
import {type GroupPlan, planGroup} from './commit-group.ts';
import {CommitQueue} from './commit-queue.ts';
import {
  type DataDirectory,
  prepareDataDirectory,
  protectFiles,
  readDataFormat,
  writeDataFormat,
} from './data-directory.ts';
import {assertUndamaged} from './lmdb-check.ts';
import {type Environment, openEnvironment, type Table} from './lmdb-environment.ts';
import {takeLock} from './lmdb-lock.ts';
import {decodeRecord, encodeRecord, readRevision} from './record.ts';
import {scanEntries} from './scan.ts';

/** What an LMDB store needs. */
export interface LmdbStoreDeps {
  /** The data directory; it is created where it is missing. */
  readonly directory: string;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly log: Log;
  /** How many changes the log keeps. @default {LOG_CHANGES_MAX} */
  readonly logChangesMax?: number | undefined;
}

/**
 * Opens the store in a data directory, alone.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-damaged`.
 */
export async function openLmdbStore(deps: LmdbStoreDeps): Promise<Store> {
  const directory = await prepareDataDirectory(deps.directory);
  const lock = lockDirectory(directory);
  try {
    const format = await readDataFormat(directory);
    await assertUndamaged(directory, {expected: format !== undefined});
    const environment = openStoreEnvironment(directory);
    if (format === undefined) await writeDataFormat(directory);
    await protectFiles(directory);
    return new LmdbStore(deps, {directory, environment, lock});
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

function lockDirectory(directory: DataDirectory): AsyncDisposable {
  try {
    return takeLock(directory, {processId: process.pid, startedAtMs: performance.timeOrigin});
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      {code: 'data-directory-unusable', directory: directory.path, problem: (error as Error).message},
      {cause: error},
    );
  }
}

function openStoreEnvironment({path, storePath}: DataDirectory): Environment {
  try {
    return openEnvironment({directory: storePath});
  } catch (error) {
    throw new AppError({code: 'store-damaged', directory: path, problem: (error as Error).message}, {cause: error});
  }
}

interface OpenedParts {
  readonly directory: DataDirectory;
  readonly environment: Environment;
  readonly lock: AsyncDisposable;
}

/** What a commit may write besides values, in bytes: some pages of each tree. */
const COMMIT_OVERHEAD_BYTES = 256 * 1024;

const EIO = 5;

/** The error numbers of a full disk: ENOSPC, EDQUOT, EFBIG, and LMDB's own for a full map. */
const FULL_DISK_ERRORS: ReadonlySet<unknown> = new Set([28, 122, 27, -30792, 'ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * One writer at a time, so what a commit will meet is known before it is written: checks are judged
 * here, in the order of arrival, and LMDB only gets what has to be written. All commits that wait
 * while the disk is busy form the next group, which is one transaction with one fsync.
 */
class LmdbStore implements Store {
  readonly #nowMs: () => number;
  readonly #log: Log;
  readonly #logChangesMax: number;
  readonly #lock: AsyncDisposable;
  readonly #directory: DataDirectory;
  #environment: Environment;
  #entries: Table;
  #changes: Table;
  #revision: Revision;
  /** How many changes were ever logged. */
  #ordinal: number;
  readonly #queue = new CommitQueue(group => this.#writeGroup(group));
  #readOnlyBecause: string | undefined;
  /** After a disk failure: until the files are opened again for reading. */
  #reopening: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    {nowMs, log, logChangesMax = LOG_CHANGES_MAX}: LmdbStoreDeps,
    {directory, environment, lock}: OpenedParts,
  ) {
    this.#nowMs = nowMs;
    this.#log = log;
    this.#logChangesMax = logChangesMax;
    this.#directory = directory;
    this.#environment = environment;
    this.#lock = lock;
    this.#entries = environment.table('entries');
    this.#changes = environment.table('changes');
    const [newest] = this.#changes.range({reverse: true, limit: 1});
    this.#revision = newest === undefined ? 0 : decodeLogKey(newest.key);
    this.#ordinal = newest === undefined ? 0 : (decodeOrdinal(newest.value) ?? 0);
  }

  get revision(): Revision {
    return this.#revision;
  }

  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    if (this.#readOnlyBecause !== undefined) throw this.#readOnly(this.#readOnlyBecause);
    return this.#queue.push(commit);
  }

  async get(key: Key): Promise<Entry | undefined> {
    this.#assertOpen();
    if (this.#reopening !== undefined) await this.#reopening;
    const record = this.#entries.get(Buffer.from(key));
    return record === undefined ? undefined : decodeRecord(key, record);
  }

  async list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  async list(range: Range): Promise<readonly EntryInfo[]>;
  async list({
    prefix,
    after,
    limit,
    reverse = false,
    values = false,
    valuesBytesMax = Infinity,
  }: Range): Promise<readonly EntryInfo[]> {
    this.#assertOpen();
    if (this.#reopening !== undefined) await this.#reopening;
    const found: EntryInfo[] = [];
    const scan = {prefix: Buffer.from(prefix), limit, reverse, values, valuesBytesMax};
    let from = after === undefined ? undefined : Buffer.from(after);
    while (!scanEntries(this.#entries, {...scan, after: from}, found)) {
      from = Buffer.from(found.at(-1)?.key ?? '');
      // Large values take long to pass over; others are not to wait for that.
      await new Promise(resolve => setImmediate(resolve));
      this.#assertOpen();
    }
    return found;
  }

  async changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    this.#assertOpen();
    if (this.#reopening !== undefined) await this.#reopening;
    if (since > this.#revision) return {kind: 'reset', revision: this.#revision};
    const [oldest] = this.#changes.range({limit: 1});
    const oldestChange = oldest === undefined ? undefined : decodeLogRecord(oldest.value)?.[0];
    // Revisions have no gaps, so what was forgotten ends just before the oldest change that is kept.
    if (oldest !== undefined && (oldestChange === undefined || since < oldestChange.revision - 1))
      return {kind: 'reset', revision: this.#revision};
    const changes: Change[] = [];
    for (const record of this.#changes.range({start: encodeLogKey(since + 1)})) {
      const logged = decodeLogRecord(record.value);
      if (logged === undefined) return {kind: 'reset', revision: this.#revision};
      changes.push(...logged.filter(({revision}) => revision > since));
      if (changes.length >= limit) break;
    }
    return {kind: 'changes', changes, revision: changes.at(-1)?.revision ?? this.#revision};
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#queue.drained();
    await this.#reopening;
    await this.#environment[Symbol.asyncDispose]();
    await this.#lock[Symbol.asyncDispose]();
  }

  async #writeGroup(group: readonly Commit[]): Promise<readonly (CommitResult | AppError)[]> {
    if (this.#readOnlyBecause !== undefined) throw this.#readOnly(this.#readOnlyBecause);
    const plan = planGroup(group, {revision: this.#revision, revisionOf: key => this.#revisionOf(key)});
    if (plan.changes.length === 0) return plan.results;
    try {
      await this.#writePlan(plan);
    } catch (error) {
      throw new AppError(await this.#afterFailedWrite(error, plan), {cause: error});
    }
    return plan.results;
  }

  async #writePlan({writes, changes, revision}: GroupPlan): Promise<void> {
    const updatedAtMs = this.#nowMs();
    const ordinal = this.#ordinal + changes.length;
    // Made outside of the transaction: what throws here leaves no half of it behind.
    const records = Array.from(writes, ([key, write]): [Buffer, Buffer | undefined] => [
      Buffer.from(key),
      write.json === undefined ? undefined : encodeRecord(key, write.json, {revision: write.revision, updatedAtMs}),
    ]);
    const logRecord = encodeLogRecord(changes, ordinal);
    const forgotten = this.#findForgotten(ordinal);
    await this.#environment.write(() => {
      for (const [key, record] of records) {
        if (record === undefined) this.#entries.remove(key);
        else this.#entries.put(key, record);
      }
      this.#changes.put(encodeLogKey(revision), logRecord);
      for (const key of forgotten) this.#changes.remove(key);
    });
    this.#revision = revision;
    this.#ordinal = ordinal;
  }

  /** The log records that are no longer needed once the log counts up to an ordinal. */
  #findForgotten(ordinal: number): readonly Buffer[] {
    const forgotten: Buffer[] = [];
    if (ordinal <= this.#logChangesMax) return forgotten;
    for (const {key, value} of this.#changes.range({limit: FORGOTTEN_RECORDS_MAX})) {
      // A record goes when all changes after it are enough by themselves; a damaged one says nothing and goes too.
      if (ordinal - (decodeOrdinal(value) ?? 0) < this.#logChangesMax) break;
      forgotten.push(key);
    }
    return forgotten;
  }

  #revisionOf(key: Key): Revision | undefined {
    const record = this.#entries.peek(Buffer.from(key));
    return record === undefined ? undefined : readRevision(record);
  }

  async #afterFailedWrite(error: unknown, plan: GroupPlan): Promise<Failure> {
    const {code, message} = error as {readonly code?: unknown; readonly message: string};
    if (FULL_DISK_ERRORS.has(code) || (code === EIO && (await this.#lacksRoomFor(plan)))) {
      this.#log.error('disk full; nothing was written', {error});
      return {code: 'disk-full'};
    }
    // After a failed fsync nobody knows what the disk holds: a retry could succeed and prove nothing.
    this.#readOnlyBecause = message;
    this.#log.error('disk failed; the store is read-only until it is opened again', {error});
    this.#reopening = this.#reopenReadOnly();
    return {code: 'store-read-only', problem: message};
  }

  /** LMDB reports a write that was cut short by a full disk as EIO, just as it reports a broken one. */
  async #lacksRoomFor({writes}: GroupPlan): Promise<boolean> {
    const {bavail, bsize} = await statfs(this.#directory.storePath);
    const sizes = Array.from(writes.values(), ({json}) => json?.length ?? 0);
    return bavail * bsize < sizes.reduce((sum, size) => sum + size, 0) + COMMIT_OVERHEAD_BYTES;
  }

  /** A failed write can leave the engine unable even to read; opened anew it shows the last good state. */
  async #reopenReadOnly(): Promise<void> {
    try {
      await this.#environment[Symbol.asyncDispose]();
      this.#environment = openEnvironment({directory: this.#directory.storePath, readOnly: true});
      this.#entries = this.#environment.table('entries');
      this.#changes = this.#environment.table('changes');
    } catch (error) {
      this.#log.error('store could not be opened again for reading', {error});
    } finally {
      this.#reopening = undefined;
    }
  }

  #readOnly(problem: string): AppError {
    return new AppError({code: 'store-read-only', problem});
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }
}

/** How many old log records one group removes at most; a group adds one, so the log shrinks all the same. */
const FORGOTTEN_RECORDS_MAX = 8;
