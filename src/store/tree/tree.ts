import {AppError, type Failure} from '../../domain/failure.ts';
import type {Log} from '../../domain/log.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {failedOnFullDisk} from '../disk/free-space.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from '../format/store-metadata.ts';
import {isMapFull} from '../lmdb/engine-errors.ts';
import {type Environment, type EnvironmentSnapshot, openEnvironment} from '../lmdb/environment.ts';
import {sizeOfWrite, sum} from '../plan/prepared-commit.ts';
import type {PreparedPlan} from '../wal/memtable.ts';
import {ChangeLog, type ChangeLogLimits, readLastRevision} from './change-log.ts';
import {openTables, type StoreTables} from './tables.ts';
import {prepareWrite} from './tree-write.ts';

/** An opened data directory, as far as a tree uses it. */
export interface TreeFiles {
  readonly directory: DataDirectory;
  readonly environment: Environment;
  /** As it is in the tree. */
  readonly metadata: StoreMetadata;
}

/** What a tree needs. */
export interface TreeDeps {
  readonly opened: TreeFiles;
  readonly log: Log;
  readonly logLimits: ChangeLogLimits;
  /** Called when nothing can be written any more. */
  readonly onReadOnly: () => void;
  /** Called when the files are opened anew, with what whoever still reads the old ones gets. */
  readonly onReopen: (failure: Failure) => void;
}

/**
 * The tables of a store in LMDB's B+tree: entries, the change log, what expires. Written in transactions; after one failed on
 * the disk it is only read, from the last good state.
 */
export class Tree implements AsyncDisposable {
  readonly #deps: TreeDeps;
  #environment: Environment;
  #tables: StoreTables;
  #changes: ChangeLog;
  #metadata: StoreMetadata;
  #readOnlyBecause: string | undefined;
  /** While something is written: until it is known what came of it. Never rejects. */
  #writing: Promise<unknown> | undefined;
  /** After a disk failure: until the files are opened again for reading. */
  #reopening: Promise<void> | undefined;

  constructor(deps: TreeDeps) {
    this.#deps = deps;
    this.#environment = deps.opened.environment;
    this.#tables = openTables(this.#environment);
    this.#changes = new ChangeLog(this.#tables.changes, deps.logLimits);
    this.#metadata = deps.opened.metadata;
  }

  get tables(): StoreTables {
    return this.#tables;
  }

  /** The change log, as far as the tree has it. */
  get changes(): ChangeLog {
    return this.#changes;
  }

  /** The facts about the store that the tree has. */
  get metadata(): StoreMetadata {
    return this.#metadata;
  }

  /** Why nothing can be written until the store is opened again; undefined while it can. */
  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  /** Reads in one go: what is read is one state. */
  read<T>(read: (tables: StoreTables) => T): Promise<T> {
    if (this.#reopening !== undefined) return this.#reopening.then(() => read(this.#tables));
    try {
      return Promise.resolve(read(this.#tables));
    } catch (error) {
      return this.#readAgain(error, read);
    }
  }

  /** The state now. Released before the tree is closed; after a disk failure nothing of it can be read. */
  snapshot(): EnvironmentSnapshot {
    return this.#environment.snapshot();
  }

  /**
   * Writes groups in one transaction.
   *
   * @throws {AppError} `disk-full`, after which the tree is as before; `store-read-only`.
   */
  async write(plans: readonly PreparedPlan[]): Promise<void> {
    await this.#commit(() => this.#write(plans), plans);
  }

  /**
   * Writes the facts about the store; what is not given stays as it is.
   *
   * @throws {AppError} As {@link write}.
   */
  async writeMetadata(changed: Partial<StoreMetadata>): Promise<void> {
    const metadata = {...this.#metadata, ...changed};
    const record = encodeMetadata(metadata);
    await this.#commit(() => this.#environment.write(() => this.#tables.metadata.put(METADATA_KEY, record)), []);
    this.#metadata = metadata;
  }

  /** Lets `write` write, and finds out what came of it where it fails. */
  async #commit(write: () => Promise<void>, plans: readonly PreparedPlan[]): Promise<void> {
    this.assertWritable();
    const writing = write().catch(async error => {
      throw new AppError(await this.#afterFailedWrite(error, plans), {cause: error});
    });
    this.#writing = writing.catch(() => {});
    try {
      await writing;
    } finally {
      this.#writing = undefined;
    }
  }

  /** @throws {AppError} `store-read-only`. */
  assertWritable(): void {
    if (this.#readOnlyBecause === undefined) return;
    throw new AppError({code: 'store-read-only', problem: this.#readOnlyBecause});
  }

  /** Writes nothing from now on: after a failed fsync nobody knows what the disk holds, and a retry could succeed and prove nothing. */
  becomeReadOnly(error: unknown): Failure {
    const failure: Failure = {code: 'store-read-only', problem: (error as Error).message};
    this.#readOnlyBecause = failure.problem;
    this.#deps.log.error('disk failed; the store is read-only until it is opened again', {error});
    this.#deps.onReadOnly();
    return failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reopening;
    await this.#environment[Symbol.asyncDispose]();
  }

  async #readAgain<T>(error: unknown, read: (tables: StoreTables) => T): Promise<T> {
    if (error instanceof AppError || this.#writing === undefined) throw error;
    // A write that failed on the disk makes the engine refuse reads before its own failure arrives here.
    await this.#writing;
    await this.#reopening;
    return read(this.#tables);
  }

  async #write(plans: readonly PreparedPlan[]): Promise<void> {
    const write = prepareWrite(plans, {tables: this.#tables, log: this.#changes});
    await this.#environment.write(() => write.apply());
    write.done();
  }

  async #afterFailedWrite(error: unknown, plans: readonly PreparedPlan[]): Promise<Failure> {
    const sizeBytes = sum(plans, ({writes}) => sum(Array.from(writes.values()), ({put}) => sizeOfWrite(put)));
    const {storePath} = this.#deps.opened.directory;
    // A disk that fails may not say how much room it has.
    const isFull = isMapFull(error) || (await failedOnFullDisk(error, storePath, sizeBytes).catch(() => false));
    if (isFull && this.#canRead()) {
      this.#deps.log.error('disk full; nothing was written', {error});
      return {code: 'disk-full'};
    }
    const failure = this.becomeReadOnly(error);
    this.#deps.onReopen(failure);
    this.#reopening = this.#reopenReadOnly();
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
  async #reopenReadOnly(): Promise<void> {
    try {
      await this.#environment[Symbol.asyncDispose]();
      this.#environment = openEnvironment({directory: this.#deps.opened.directory.storePath, readOnly: true});
      this.#tables = openTables(this.#environment);
      this.#changes = new ChangeLog(this.#tables.changes, this.#deps.logLimits);
    } catch (error) {
      this.#deps.log.error('store could not be opened again for reading', {error});
    } finally {
      this.#reopening = undefined;
    }
  }
}
