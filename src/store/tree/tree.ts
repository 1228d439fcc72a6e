import {AppError} from '../../domain/app-error.ts';
import {messageOf} from '../../domain/error-text.ts';
import type {Failure} from '../../domain/failure.ts';
import type {Log} from '../../domain/log.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {failedOnFullDisk} from '../disk/free-space.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from '../format/store-metadata.ts';
import type {Engine} from '../lmdb/engine.ts';
import {isMapFull} from '../lmdb/engine-errors.ts';
import type {Environment, EnvironmentSnapshot} from '../lmdb/environment.ts';
import {sizeOfPlans} from '../plan/commit-size.ts';
import type {PreparedPlan} from '../plan/prepared-commit.ts';
import {ChangeLog} from './change-log.ts';
import {readLastRevision} from './change-log-ends.ts';
import type {ChangeLogLimits} from './change-log-parts.ts';
import {openTables, type StoreTables} from './store-tables.ts';
import {prepareWrite} from './tree-write.ts';

/** The parts of an opened data directory that a tree uses. */
export interface TreeFiles {
  readonly directory: DataDirectory;
  readonly engine: Engine;
  readonly environment: Environment;
  /** Metadata of the store, as read from the tree. */
  readonly metadata: StoreMetadata;
}

/** Dependencies of {@link Tree}. */
export interface TreeDeps {
  readonly opened: TreeFiles;
  readonly log: Log;
  readonly logLimits: ChangeLogLimits;
  /** Called when the tree becomes read-only. */
  readonly onReadOnly: () => void;
  /** Called when the files are opened again, with the failure for readers of the old ones. */
  readonly onReopen: (failure: Failure) => void;
}

/**
 * The checkpointed state of a store, in LMDB's B+tree: entries, the change log, the expiry index, metadata. Written in transactions;
 * after one failed on the disk, the tree is read-only, in its last good state.
 */
export class Tree implements AsyncDisposable {
  readonly #deps: TreeDeps;
  #environment: Environment;
  #tables: StoreTables;
  #changes: ChangeLog;
  #metadata: StoreMetadata;
  #readOnlyBecause: string | undefined;
  /** The transaction that is being written, until its result is known. Never rejects. */
  #writing: Promise<unknown> | undefined;
  /** After a disk failure, until the files are opened again for reading. */
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

  /** The change log, up to the last checkpoint. */
  get changes(): ChangeLog {
    return this.#changes;
  }

  /** Metadata of the store. */
  get metadata(): StoreMetadata {
    return this.#metadata;
  }

  /** The reason why nothing can be written until the store is opened again; undefined while it can. */
  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  /** Calls `read`, which must be synchronous, so that everything that it reads is one state. */
  read<T>(read: (tables: StoreTables) => T): Promise<T> {
    if (this.#reopening !== undefined) return this.#reopening.then(() => read(this.#tables));
    try {
      return Promise.resolve(read(this.#tables));
    } catch (error) {
      return this.#readAgain(error, read);
    }
  }

  /** Takes a snapshot. It must be released before the tree is closed; after a disk failure it cannot be read. */
  snapshot(): EnvironmentSnapshot {
    return this.#environment.snapshot();
  }

  /**
   * Writes groups in one transaction.
   *
   * @throws {AppError} `disk-full`, after which the tree is as before; `store-read-only`.
   */
  async write(plans: readonly PreparedPlan[]): Promise<void> {
    await this.#commit(() => this.#writePlans(plans), plans);
  }

  /**
   * Writes the given metadata of the store; the rest stays as it is.
   *
   * @throws {AppError} As {@link write}.
   */
  async writeMetadata(changed: Partial<StoreMetadata>): Promise<void> {
    const metadata = {...this.#metadata, ...changed};
    const record = encodeMetadata(metadata);
    await this.#commit(() => this.#environment.write(() => this.#tables.metadata.put(METADATA_KEY, record)), []);
    this.#metadata = metadata;
  }

  /** Runs one transaction, and finds the failure if it fails. */
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

  /** Refuses all writes from now on: after a failed fsync the content of the disk is unknown, and a successful retry proves nothing. */
  becomeReadOnly(error: unknown): Failure {
    const failure: Failure = {code: 'store-read-only', problem: messageOf(error)};
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
    // After a write that failed on the disk, the engine refuses reads before the failure of the write arrives here.
    await this.#writing;
    await this.#reopening;
    return read(this.#tables);
  }

  async #writePlans(plans: readonly PreparedPlan[]): Promise<void> {
    const write = prepareWrite(plans, {tables: this.#tables, log: this.#changes});
    await this.#environment.write(() => write.apply());
    write.done();
  }

  async #afterFailedWrite(error: unknown, plans: readonly PreparedPlan[]): Promise<Failure> {
    // A failing disk may not report its free space.
    const isFull =
      isMapFull(error) ||
      (await failedOnFullDisk(error, this.#deps.opened.directory, sizeOfPlans(plans)).catch(() => false));
    if (isFull && this.#canRead()) {
      this.#deps.log.error('disk full; nothing was written', {error});
      return {code: 'disk-full'};
    }
    const failure = this.becomeReadOnly(error);
    this.#deps.onReopen(failure);
    this.#reopening = this.#reopenReadOnly();
    return failure;
  }

  /** Returns whether the engine still works after a failed write; if it cannot read, it would never answer another write. */
  #canRead(): boolean {
    try {
      readLastRevision(this.#tables.changes);
      return true;
    } catch {
      return false;
    }
  }

  /** Opens the files again: a failed write can leave the engine unable even to read the last good state. */
  async #reopenReadOnly(): Promise<void> {
    try {
      await this.#environment[Symbol.asyncDispose]();
      const {directory, engine} = this.#deps.opened;
      this.#environment = engine.openEnvironment({directory: directory.storePath, readOnly: true});
      this.#tables = openTables(this.#environment);
      this.#changes = new ChangeLog(this.#tables.changes, this.#deps.logLimits);
    } catch (error) {
      this.#deps.log.error('store could not be opened again for reading', {error});
    } finally {
      this.#reopening = undefined;
    }
  }
}
