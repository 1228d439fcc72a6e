import {AppError} from '../../domain/app-error.ts';
import {messageOf} from '../../domain/error-text.ts';
import type {Log} from '../../domain/log.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from '../format/store-metadata.ts';
import type {Engine} from '../lmdb/engine.ts';
import {failedOnFullDisk} from '../lmdb/engine-errors.ts';
import type {Environment, EnvironmentSnapshot} from '../lmdb/environment.ts';
import {sizeOfPlans} from '../plan/commit-size.ts';
import type {PreparedPlan} from '../plan/prepared-commit.ts';
import {ChangeLog} from './change-log.ts';
import {readLastRevision} from './change-log-ends.ts';
import type {ChangeLogLimits} from './change-log-parts.ts';
import type {LmdbSnapshots} from './snapshots.ts';
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
  /** The snapshots of the tree. They belong to the files as they were opened. */
  readonly snapshots: LmdbSnapshots;
}

/**
 * The checkpointed state of a store, in LMDB's B+tree: entries, the change log, the expiry index, metadata. Written in transactions;
 * after one failed on the disk, it can only be read, in its last good state.
 */
export class Tree implements AsyncDisposable {
  readonly #deps: TreeDeps;
  #environment: Environment;
  #tables: StoreTables;
  #changes: ChangeLog;
  #metadata: StoreMetadata;
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
   * @throws {AppError} `disk-full`, after which the tree is as before. After any other error nothing may be written any more.
   */
  async write(plans: readonly PreparedPlan[]): Promise<void> {
    const write = prepareWrite(plans, {tables: this.#tables, log: this.#changes});
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
    await this.#commit(() => this.#tables.metadata.put(METADATA_KEY, record), 0);
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
    await this.#reopening;
    return read(this.#tables);
  }

  async #endFailedWrite(error: unknown, sizeBytes: number): Promise<never> {
    if ((await failedOnFullDisk(error, this.#deps.opened.directory, sizeBytes)) && this.#canRead())
      throw new AppError({code: 'disk-full'}, {cause: error});
    this.#deps.snapshots.end({code: 'store-read-only', problem: messageOf(error)});
    this.#reopening = this.#reopenReadOnly();
    throw error;
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
