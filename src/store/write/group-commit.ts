import {AppError} from '../../domain/app-error.ts';
import type {Change} from '../../domain/change.ts';
import type {CommitResult} from '../../domain/commit.ts';
import {DurationHistogram} from '../../domain/duration-histogram.ts';
import type {Failure} from '../../domain/failure.ts';
import type {Log} from '../../domain/log.ts';
import type {StoreStatistics} from '../../domain/statistics.ts';
import type {Steps} from '../../domain/steps.ts';
import {isFullDiskError} from '../disk/free-space.ts';
import {DiskSpace, type DiskSpaceDeps} from '../disk/reserve.ts';
import {sizeOfCommit, sizeOfPlans, writtenBytesOf} from '../plan/commit-size.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion, type PreparedCommit, type PreparedPlan} from '../plan/prepared-commit.ts';
import type {EntryCache} from '../tree/entry-cache.ts';
import type {Tree} from '../tree/tree.ts';
import {Memtable} from '../wal/memtable.ts';
import {replayRecord} from '../wal/replay.ts';
import {removeFiles} from '../wal/wal-files.ts';
import {encodeWalRecord, type WalRecord, walRecordBytesMax} from '../wal/wal-record.ts';
import {UnretractedRecordError, WAL_RECORD_BYTES_MAX, WriteAheadLog} from '../wal/write-ahead-log.ts';
import {Checkpointer} from './checkpointer.ts';
import {CommitQueue} from './commit-queue.ts';
import {CurrentEntries} from './current-entries.ts';
import {planInTicks} from './plan-in-ticks.ts';

/** Dependencies of {@link GroupWriter}. */
export interface GroupWriterDeps extends DiskSpaceDeps {
  /** Records of the write-ahead log that are not checkpointed, in their order. */
  readonly recovered: readonly WalRecord[];
  readonly tree: Tree;
  readonly log: Log;
  readonly cache: EntryCache;
  /** The clock of the machine, in milliseconds since the Unix epoch. */
  readonly machineMs: () => number;
  /** The clock of the store, likewise. */
  readonly storeMs: () => number;
  /** Called soon after each group that changed something. */
  readonly onChange: () => void;
}

/**
 * Group commit. Commits that arrive while the disk is busy form the next group, and only one group is written at a time:
 *
 * 1. The queue takes all waiting commits as a group.
 * 2. The free space of the disk is checked.
 * 3. The group is planned: checks are evaluated in the order of arrival, and every commit sees those before it.
 * 4. One record in the write-ahead log, with one fsync, makes the group durable. From then on reads find it in the memtable.
 * 5. The commits resolve, and listeners are called.
 * 6. A little later the checkpointer writes the group into the tree, together with others.
 *
 * A large group, and any group if free space is scarce, is written into the tree in step 4 instead.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  readonly #queue = new CommitQueue<PreparedCommit>({
    writeGroup: (group, sizeBytes) => this.#writeGroup(group, sizeBytes),
    sizeOf: commit => sizeOfCommit(commit, key => this.#entries.recordSizeOf(key)),
  });
  readonly #entries: CurrentEntries;
  readonly #space: DiskSpace;
  readonly #log: WriteAheadLog;
  readonly #checkpointer: Checkpointer;
  /** Buffer for records, reused to spare the garbage collector: only one is written at a time. */
  readonly #record = Buffer.allocUnsafeSlow(WAL_RECORD_BYTES_MAX);
  /** Groups that are not checkpointed yet. */
  readonly memtable: Memtable;
  readonly #syncs = new DurationHistogram();
  #durableMs: number;
  #writtenBytes = 0;

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps;
    const {directory, recovered, tree, cache} = deps;
    this.memtable = new Memtable((key, entry) => (entry === undefined ? cache.evict([key]) : cache.add(entry)));
    this.#entries = new CurrentEntries({memtable: this.memtable, cache, tree});
    this.#durableMs = Math.max(tree.changes.highestMs, tree.metadata.highestMs, recovered.at(-1)?.nowMs ?? 0);
    this.#space = new DiskSpace(deps);
    for (const record of recovered) this.memtable.add(replayRecord(record, key => this.#entries.stateOf(key)));
    this.#log = new WriteAheadLog(directory, this.memtable.revision ?? 0);
    this.#checkpointer = new Checkpointer({memtable: this.memtable, write: groups => this.#writeCheckpoint(groups)});
    this.#checkpointer.notice();
  }

  /** The latest time by the clock of the store that is on disk, in milliseconds since the Unix epoch. A restart continues from it. */
  get durableMs(): number {
    return this.#durableMs;
  }

  /** Returns figures of all writes. */
  statistics(): Omit<StoreStatistics, 'entries'> {
    const {checkpoints, failedCheckpoints} = this.#checkpointer;
    const {sizeBytes, writtenBytes} = this.#log;
    const log = {sizeBytes, writtenBytes, waitingRecords: this.memtable.groups, syncs: this.#syncs.durations()};
    return {
      waitingCommits: this.#queue.waiting,
      writtenBytes: this.#writtenBytes,
      wal: {...log, checkpoints, failedCheckpoints},
    };
  }

  /** Commits; resolves once the commit is on disk. @throws {AppError} As `commit` of a store. */
  push(commit: PreparedCommit): Promise<CommitResult> {
    return this.#queue.push(commit);
  }

  /** Writes the memtable into the tree. @throws {AppError} `disk-full`, `store-read-only`; nothing is lost then. */
  checkpoint(): Promise<void> {
    return this.#checkpointer.checkpoint();
  }

  /** Calls {@link checkpoint} if the tree is writable, and ignores its failure. */
  async tryCheckpoint(): Promise<void> {
    if (this.#deps.tree.readOnlyBecause === undefined) await ignoreFailure(() => this.checkpoint());
  }

  /** Finishes the waiting commits, and writes the memtable into the tree if possible. */
  async drain(): Promise<void> {
    await this.#queue.drained();
    await this.tryCheckpoint();
    this.#checkpointer.end();
  }

  /**
   * Records in the tree that it needs no write-ahead log, if everything is checkpointed, and the time. To be called after the last
   * write. If it fails the log stays, with nothing in it that the tree lacks.
   */
  async detachLog(): Promise<void> {
    const {storeMs, tree} = this.#deps;
    if (tree.readOnlyBecause !== undefined || this.memtable.changes > 0) return;
    await ignoreFailure(() => tree.writeMetadata({walId: undefined, highestMs: storeMs()}));
  }

  /** Closes the files of the write-ahead log, and deletes them if the tree needs none. To be called after the tree is closed. */
  async close(): Promise<void> {
    await this.#log.close();
    if (this.#deps.tree.metadata.walId !== undefined) return;
    await removeFiles(this.#deps.directory).catch(error => {
      this.#deps.log.error('the files of the write-ahead log cannot be deleted; nothing in them is needed', {error});
    });
  }

  /** Starts no more checkpoints, since the tree is read-only. */
  endCheckpoints(): void {
    this.#checkpointer.end();
  }

  async #writeGroup(group: readonly PreparedCommit[], sizeBytes: number): Promise<readonly (CommitResult | Error)[]> {
    this.#deps.tree.assertWritable();
    if (!(await this.#checkSpace(space => space.admits(sizeBytes)))) return this.#writeDeletions(group);
    try {
      return await this.#writeTogether(group);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await this.#checkSpace(space => space.releaseReserve());
      return this.#writeDeletions(group);
    }
  }

  /** On a full disk only deletions are written: they free space, and the reserve is enough for them. */
  async #writeDeletions(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const results = [...(await this.#writeTogether(group.filter(isDeletion)))];
    return group.map(commit => (isDeletion(commit) && results.shift()) || new AppError({code: 'disk-full'}));
  }

  async #writeTogether(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const {onChange, tree} = this.#deps;
    const plan = await planInTicks(tree, () => this.#plan(group));
    if (plan.changes.length === 0 && plan.seenExpiryMs > this.#durableMs) await this.#tryWriteTime(plan.nowMs);
    if (plan.changes.length === 0 && plan.stale.length === 0) return plan.results;
    if (this.#fitsLog(plan)) await this.#writeToLog(plan);
    else await this.#writeToTree(plan);
    if (plan.changes.length === 0) return plan.results;
    this.#durableMs = plan.nowMs;
    this.#writtenBytes += writtenBytesOf(plan.changes);
    // Writers get their results first, since a listener begins to read.
    setImmediate(onChange);
    return plan.results;
  }

  #plan(group: readonly PreparedCommit[]): Steps<PreparedPlan> {
    const {machineMs, storeMs, tree} = this.#deps;
    return planGroup(group, {
      storeId: tree.metadata.id,
      revision: this.memtable.revision ?? tree.changes.revision,
      nowMs: storeMs(),
      updatedAtMs: machineMs(),
      stateOf: key => this.#entries.stateOf(key),
      jsonOf: key => this.#entries.jsonOf(key),
    });
  }

  /** @throws {AppError} `store-read-only` if the disk fails. */
  async #checkSpace<T>(check: (space: DiskSpace) => Promise<T>): Promise<T> {
    try {
      return await check(this.#space);
    } catch (error) {
      throw new AppError(this.#deps.tree.becomeReadOnly(error), {cause: error});
    }
  }

  #fitsLog({changes, stale}: PreparedPlan): boolean {
    // If free space is scarce, the tree may have no space for a group that the log acknowledged.
    if (!this.#space.isAmple || stale.length > 0) return false;
    return changes.every(hasItsValue) && walRecordBytesMax(changes) <= WAL_RECORD_BYTES_MAX;
  }

  async #writeToLog(plan: PreparedPlan): Promise<void> {
    const {changes, metadata} = this.#deps.tree;
    const {nowMs, updatedAtMs} = plan;
    const record = encodeWalRecord({changes: plan.changes, nowMs, updatedAtMs, storeId: metadata.id}, this.#record);
    if (!this.#log.ensureSpace(record.length, changes.revision)) {
      await this.checkpoint();
      this.#log.ensureSpace(record.length, changes.revision);
    }
    try {
      await this.#attachLog();
      const startedMs = this.#deps.elapsedMs();
      await this.#log.append(record, plan.revision);
      this.#syncs.observe(this.#deps.elapsedMs() - startedMs);
    } catch (error) {
      throw error instanceof AppError ? error : new AppError(this.#afterFailedAppend(error), {cause: error});
    }
    this.memtable.add(plan);
    this.#checkpointer.notice();
  }

  /**
   * Creates the files of the write-ahead log before its first record. The tree names the log only while both files exist, so that the
   * next opening notices if a log with acknowledged commits was removed.
   */
  async #attachLog(): Promise<void> {
    const {tree} = this.#deps;
    if (!this.#log.isOpen) {
      await this.#writeWalId(undefined);
      await this.#log.create();
    }
    await this.#writeWalId(tree.metadata.id);
  }

  async #writeWalId(walId: string | undefined): Promise<void> {
    const {storeMs, tree} = this.#deps;
    if (tree.metadata.walId !== walId) await tree.writeMetadata({walId, highestMs: storeMs()});
  }

  /**
   * Makes the time durable if no write does: an entry that a caller was told has expired must not come back, even if the clock of
   * the machine is set back and the process is killed. If it fails, the answer to the caller is correct all the same.
   */
  async #tryWriteTime(nowMs: number): Promise<void> {
    await ignoreFailure(async () => {
      // The tree runs one transaction at a time.
      await this.checkpoint();
      await this.#deps.tree.writeMetadata({highestMs: nowMs});
      this.#durableMs = nowMs;
    });
  }

  async #writeToTree(plan: PreparedPlan): Promise<void> {
    // Earlier groups go into the tree first.
    await this.checkpoint();
    const {cache, tree} = this.#deps;
    cache.evict(plan.writes.keys());
    await cache.pause(() => tree.write([plan]));
  }

  async #writeCheckpoint(groups: readonly PreparedPlan[]): Promise<void> {
    // Free space is checked first, since a write on a full disk could end the process.
    if (!(await this.#checkSpace(space => space.fits(sizeOfPlans(groups))))) throw new AppError({code: 'disk-full'});
    try {
      await this.#deps.tree.write(groups);
    } catch (error) {
      if (isDiskFull(error)) await this.#checkSpace(space => space.releaseReserve());
      throw error;
    }
  }

  #afterFailedAppend(error: unknown): Failure {
    if (error instanceof UnretractedRecordError || !isFullDiskError(error))
      return this.#deps.tree.becomeReadOnly(error);
    this.#deps.log.error('disk full; nothing was written', {error});
    return {code: 'disk-full'};
  }
}

/** Runs a step that may fail without harm, and ignores an `AppError`: the step has logged it. @throws All other errors. */
async function ignoreFailure(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof AppError && error.failure.code === 'disk-full';
}

function hasItsValue(change: Change): boolean {
  return change.kind !== 'put' || change.json !== undefined;
}
