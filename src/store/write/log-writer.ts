import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {DurationHistogram} from '../../core/domain/duration-histogram.ts';
import type {WalStatistics} from '../../core/domain/statistics.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import type {LoggedChange} from '../format/change-encoding.ts';
import type {Plan} from '../plan/plan.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import type {Tree} from '../tree/tree.ts';
import {encodeWalRecord, walRecordBytesMax} from '../wal/wal-format.ts';
import {removeFiles, WAL_RECORD_BYTES_MAX, WriteAheadLog} from '../wal/write-ahead-log.ts';
import type {WalCheckpointer} from './checkpointer.ts';
import type {DiskGate} from './disk-gate.ts';

export interface LogWriterDeps extends Pick<CommonDeps, 'log' | 'elapsedMs'> {
  readonly directory: DataDirectory;
  readonly tree: Tree;
  readonly gate: DiskGate;
  readonly checkpointer: WalCheckpointer;
  readonly clock: StoreClock;
}

/** Writes plans into the write-ahead log, and keeps the name of the log in the tree. */
export class LogWriter {
  readonly #deps: LogWriterDeps;
  readonly #log: WriteAheadLog;
  /** Buffer for records, reused to spare the garbage collector: only one is written at a time. */
  readonly #record = Buffer.allocUnsafeSlow(WAL_RECORD_BYTES_MAX);
  readonly #syncs = new DurationHistogram();

  /** @param found The last revision in existing files of the log; 0 for none. */
  constructor(deps: LogWriterDeps, found: number) {
    this.#deps = deps;
    this.#log = new WriteAheadLog(deps.directory, found);
  }

  /** Returns figures of the records. */
  statistics(): Pick<WalStatistics, 'sizeBytes' | 'writtenBytes' | 'syncs'> {
    const {sizeBytes, writtenBytes} = this.#log;
    return {sizeBytes, writtenBytes, syncs: this.#syncs.durations()};
  }

  /**
   * Makes a plan durable by one record. If necessary, the memtable is checkpointed first.
   *
   * @throws {AppError} `disk-full`, after which the log is as before; `store-read-only`.
   */
  async append({changes, nowMs, updatedAtMs, revision}: Plan): Promise<void> {
    const {tree, gate, checkpointer, elapsedMs} = this.#deps;
    const record = encodeWalRecord({changes, nowMs, updatedAtMs, storeId: tree.metadata.id}, this.#record);
    if (!this.#log.ensureSpace(record.length, tree.changes.revision)) {
      await checkpointer.checkpoint();
      this.#log.ensureSpace(record.length, tree.changes.revision);
    }
    if (!this.#log.isOpen || tree.metadata.walId !== tree.metadata.id) await this.#attach();
    const startedMs = elapsedMs();
    await gate.write(() => this.#log.append(record, revision));
    this.#syncs.observe(elapsedMs() - startedMs);
  }

  /**
   * Records in the tree that it needs no write-ahead log, and the time. To be called after the last write, if everything is
   * checkpointed. If it fails the log stays, with nothing in it that the tree lacks.
   */
  async detach(): Promise<void> {
    const {tree, gate, clock} = this.#deps;
    await gate.write(() => tree.writeMetadata({walId: undefined, highestMs: clock.now()}));
  }

  /** Closes the files, and deletes them if the tree needs none. To be called after the tree is closed. */
  async close(): Promise<void> {
    const {directory, log, tree} = this.#deps;
    await this.#log.close();
    if (tree.metadata.walId !== undefined) return;
    await removeFiles(directory).catch(error => {
      log.error('the files of the write-ahead log cannot be deleted; nothing in them is needed', {error});
    });
  }

  /**
   * Creates the files before the first record. The tree names the log only while both files exist, so that the next opening notices if
   * a log with acknowledged commits was removed.
   */
  async #attach(): Promise<void> {
    const {tree, gate} = this.#deps;
    if (!this.#log.isOpen) {
      await this.#writeId(undefined);
      await gate.write(() => this.#log.create());
    }
    await this.#writeId(tree.metadata.id);
  }

  async #writeId(walId: string | undefined): Promise<void> {
    const {tree, gate, clock} = this.#deps;
    if (tree.metadata.walId === walId) return;
    await gate.write(() => tree.writeMetadata({walId, highestMs: clock.now()}));
  }
}

/** Returns whether a plan can be written as a record of the log. */
export function fitsRecord({changes, stale}: Plan): boolean {
  return stale.length === 0 && changes.every(hasItsValue) && walRecordBytesMax(changes) <= WAL_RECORD_BYTES_MAX;
}

function hasItsValue(change: LoggedChange): boolean {
  return change.kind !== 'put' || change.json !== undefined;
}
