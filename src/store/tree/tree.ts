import type {Log} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import type {ChangeLogLimits} from '../format/change-log-record.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from '../format/store-metadata.ts';
import type {Engine} from '../lmdb/engine.ts';
import {failedOnFullDisk, findCause} from '../lmdb/engine-errors.ts';
import type {EnvironmentSnapshot, LmdbEnvironment} from '../lmdb/environment.ts';
import type {Plan} from '../plan/plan.ts';
import {sizeOfPlans} from '../plan/prepare-commit.ts';
import {ChangeLog} from './change-log.ts';
import type {LmdbSnapshots} from './snapshots.ts';
import {openTables, type StoreTables} from './store-tables.ts';
import {prepareWrite} from './tree-write.ts';

/** The parts of an opened data directory that a tree uses. */
export interface TreeFiles {
  readonly directory: DataDirectory;
  readonly engine: Engine;
  readonly environment: LmdbEnvironment;
  /** Metadata of the store, as read from the tree. */
  readonly metadata: StoreMetadata;
}

export interface TreeDeps {
  readonly opened: TreeFiles;
  readonly log: Log;
  readonly logLimits: ChangeLogLimits;
  /** The snapshots of the tree. They belong to the files as they were opened. */
  readonly snapshots: LmdbSnapshots;
}

/**
 * The checkpointed state of a store, in LMDB's B+tree: entries, the change log, the expiry index, metadata. Written in transactions;
 * after one failed on the disk, its last good state is opened again: only for reading, unless the disk was just full.
 */
export class Tree implements AsyncDisposable {
  readonly #deps: TreeDeps;
  #environment: LmdbEnvironment;
  /** Undefined from a failed write until the files are opened again. */
  #tables: StoreTables | undefined;
  #changes: ChangeLog;
  #metadata: StoreMetadata;
  /** The transaction that is being written, until its result is known. Never rejects. */
  #writing: Promise<unknown> | undefined;
  /** After a failed write, until the files are opened again. Never rejects. */
  #reopening: Promise<unknown> | undefined;

  constructor(deps: TreeDeps) {
    this.#deps = deps;
    this.#environment = deps.opened.environment;
    const tables = openTables(this.#environment);
    this.#tables = tables;
    this.#changes = new ChangeLog(tables, deps.logLimits);
    this.#metadata = deps.opened.metadata;
  }

  /** The tables, to be read inside {@link read}. @throws {AppError} `unavailable` after a failed write, until they are opened again. */
  get tables(): StoreTables {
    if (this.#tables === undefined) throw new AppError(REOPENING);
    return this.#tables;
  }

  /** True if a read need not wait until the files are opened again. */
  get isReadable(): boolean {
    return this.#tables !== undefined && this.#reopening === undefined;
  }

  /** The change log, up to the last checkpoint. */
  get changes(): ChangeLog {
    return this.#changes;
  }

  /** Metadata of the store. */
  get metadata(): StoreMetadata {
    return this.#metadata;
  }

  /** Calls `read`, which must be synchronous, so that everything that it reads is one state. At once, unless a write has just failed. */
  read<T>(read: (tables: StoreTables) => T): T | Promise<T> {
    if (this.#reopening !== undefined) return this.#readReopened(read);
    // What kept the files from being opened may be over, such as a lack of file descriptors.
    if (this.#tables === undefined) this.#open({readOnly: true});
    try {
      return read(this.tables);
    } catch (error) {
      return this.#readAgain(error, read);
    }
  }

  /** Takes a snapshot, inside {@link read}. It must be released before the tree is closed; after a failed write it cannot be read. */
  snapshot(): EnvironmentSnapshot {
    return this.#environment.snapshot();
  }

  /**
   * Writes groups in one transaction.
   *
   * @throws {AppError} `disk-full`, after which the tree is as before. After any other error nothing may be written any more.
   */
  async write(plans: readonly Plan[]): Promise<void> {
    const write = prepareWrite(plans, {tables: this.tables, log: this.#changes});
    await this.#commit(() => write.apply(), sizeOfPlans(plans));
    write.done();
  }

  /**
   * Writes the given metadata of the store; the rest stays as it is.
   *
   * @throws {AppError} As {@link write}.
   */
  async writeMetadata(changed: Partial<StoreMetadata>): Promise<void> {
    const metadata = {...this.#metadata, ...changed};
    const record = encodeMetadata(metadata);
    await this.#commit(() => this.tables.metadata.put(METADATA_KEY, record), 0);
    this.#metadata = metadata;
  }

  /** Runs one transaction. If it fails, {@link read} waits until the files can be read. */
  async #commit(write: () => void, sizeBytes: number): Promise<void> {
    const writing = this.#environment.write(write).catch(error => this.#endFailedWrite(error, sizeBytes));
    this.#writing = writing.catch(() => {});
    try {
      await writing;
    } finally {
      this.#writing = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reopening;
    await this.#environment[Symbol.asyncDispose]();
  }

  async #readAgain<T>(error: unknown, read: (tables: StoreTables) => T): Promise<T> {
    if (error instanceof AppError || this.#writing === undefined) throw error;
    // After a write that failed on the disk, the engine refuses reads before the failure of the write arrives here.
    await this.#writing;
    return this.#readReopened(read);
  }

  async #readReopened<T>(read: (tables: StoreTables) => T): Promise<T> {
    await this.#reopening;
    // By the end of the tick the failure has arrived where writes are refused: nothing that the reader goes on to write passes before.
    await nextTick();
    return read(this.tables);
  }

  /**
   * Nothing may be done with the engine after a failed write: its memory may be overwritten. Until the first `await` nothing reads from
   * it, and then it is closed.
   */
  async #endFailedWrite(error: unknown, sizeBytes: number): Promise<never> {
    this.#deps.snapshots.end(REOPENING);
    this.#tables = undefined;
    const reopening = this.#reopen(error, sizeBytes).finally(() => {
      this.#reopening = undefined;
    });
    this.#reopening = reopening;
    throw await reopening;
  }

  /** Opens the files again, for writing too if the disk was only full. @returns The failure of the write. */
  async #reopen(error: unknown, sizeBytes: number): Promise<unknown> {
    const {opened, log} = this.#deps;
    const [cause] = await Promise.all([findCause(error), this.#close()]);
    const {revision} = this.#changes;
    const isFull = await failedOnFullDisk(cause, opened.directory, sizeBytes);
    const isOpenForWriting = isFull && this.#open({readOnly: false}) === undefined;
    const problem = isOpenForWriting ? undefined : this.#open({readOnly: true});
    if (problem !== undefined) log.error('store cannot be read: its files could not be opened again', {error: problem});
    // If only the last sync failed, the write may be there. Then its revision must not be given to another one.
    return isOpenForWriting && this.#changes.revision === revision ? new AppError({code: 'disk-full'}, {cause}) : cause;
  }

  /** Closes the engine. Never rejects: the files are opened again in any case. */
  async #close(): Promise<void> {
    try {
      await this.#environment[Symbol.asyncDispose]();
    } catch (error) {
      this.#deps.log.error('engine could not be closed after a failed write', {error});
    }
  }

  /** Opens the files. @returns The reason why they cannot be opened; undefined if they are. */
  #open({readOnly}: {readonly readOnly: boolean}): unknown {
    const {opened, logLimits} = this.#deps;
    try {
      this.#environment = opened.engine.reopenEnvironment({directory: opened.directory.storePath, readOnly});
      const tables = openTables(this.#environment);
      this.#changes = new ChangeLog(tables, logLimits);
      this.#tables = tables;
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

/** Failure of everything that was being read when a write failed, and of reads while the files cannot be opened. */
const REOPENING: Failure = {
  code: 'unavailable',
  what: 'store',
  problem: 'a write failed, and its files are not open again yet',
};
