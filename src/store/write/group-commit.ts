import {AppError, type Failure} from '../../domain/failure.ts';
import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import type {Log} from '../../domain/log.ts';
import type {Steps} from '../../domain/steps.ts';
import type {Change, CommitResult} from '../../domain/store.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {isFullDiskError} from '../disk/free-space.ts';
import {DiskSpace} from '../disk/reserve.ts';
import type {EntryState} from '../format/entry-record.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion, type PreparedCommit, sizeOfCommit, sizeOfWrite, sum} from '../plan/prepared-commit.ts';
import type {EntryCache} from '../tree/entry-cache.ts';
import {readStoredJson, readStoredState} from '../tree/read-entry.ts';
import type {Tree} from '../tree/tree.ts';
import {Memtable, type PreparedPlan} from '../wal/memtable.ts';
import {replayRecord} from '../wal/replay.ts';
import {encodeWalRecord, type WalRecord, walRecordBytesMax} from '../wal/wal-record.ts';
import {UnretractedRecordError, WAL_RECORD_BYTES_MAX, WriteAheadLog} from '../wal/write-ahead-log.ts';
import {Checkpointer} from './checkpointer.ts';
import {CommitQueue} from './commit-queue.ts';
import {planInTicks} from './plan-in-ticks.ts';

/** What a group writer needs. */
export interface GroupWriterDeps {
  readonly directory: DataDirectory;
  /** The records of the write-ahead log that the tree does not have, in their order. */
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
 * Group commit. One writer at a time, so what a commit will meet is known before it is written: checks are judged
 * here, in the order of arrival. All commits that wait while the disk is busy form the next group. A group is one record of
 * the write-ahead log with one fsync, and goes into the tree a little later, with others; until then it is in the memtable,
 * where reads look first. A large group, and any group on a disk with little room, goes into the tree at once.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  readonly #queue = new CommitQueue<PreparedCommit>({
    writeGroup: (group, sizeBytes) => this.#writeGroup(group, sizeBytes),
    sizeOf: commit => this.#sizeOf(commit),
  });
  readonly #room: DiskSpace;
  readonly #log: WriteAheadLog;
  readonly #checkpointer: Checkpointer;
  /** Where records are made: one at a time, and a new place for each would be work for the collector. */
  readonly #record = Buffer.allocUnsafeSlow(WAL_RECORD_BYTES_MAX);
  /** What the tree does not have yet. */
  readonly memtable: Memtable;
  #durableMs: number;

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps;
    const {directory, recovered, tree, cache} = deps;
    this.memtable = new Memtable((key, entry) => (entry === undefined ? cache.forget([key]) : cache.keep(entry)));
    this.#durableMs = Math.max(tree.changes.highestMs, tree.metadata.highestMs, recovered.at(-1)?.nowMs ?? 0);
    this.#room = new DiskSpace(directory);
    for (const record of recovered) this.memtable.add(replayRecord(record, key => this.#stateOf(key)));
    this.#log = new WriteAheadLog(directory.storePath, this.memtable.revision ?? 0);
    this.#checkpointer = new Checkpointer({memtable: this.memtable, write: groups => this.#writeCheckpoint(groups)});
    this.#checkpointer.notice();
  }

  /** The time by the clock of the store, in milliseconds since the Unix epoch, that is on disk: the clock goes on from it after a restart. */
  get durableMs(): number {
    return this.#durableMs;
  }

  /** Commits; resolves once it is on disk. @throws {AppError} As `commit` of a store. */
  push(commit: PreparedCommit): Promise<CommitResult> {
    return this.#queue.push(commit);
  }

  /** Brings the tree up to date. @throws {AppError} `disk-full`, `store-read-only`; nothing is lost then. */
  checkpoint(): Promise<void> {
    return this.#checkpointer.checkpoint();
  }

  /** As {@link settle}, if it can. */
  async tryCheckpoint(): Promise<void> {
    try {
      if (this.#deps.tree.readOnlyBecause === undefined) await this.checkpoint();
    } catch (error) {
      // It is in the log, and the write-ahead log has what the tree lacks, also for whoever opens the store next.
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** Lets commits that wait finish, and the tree have what it lacks, if it can. */
  async drain(): Promise<void> {
    await this.#queue.drained();
    await this.tryCheckpoint();
    this.#checkpointer.end();
  }

  /** Lets the tree say that it has everything, if it has, and what time it is. To be called when nothing is written any more. */
  async detachLog(): Promise<void> {
    const {storeMs, tree} = this.#deps;
    if (tree.readOnlyBecause !== undefined || this.memtable.changes > 0) return;
    try {
      await tree.writeMetadata({walId: undefined, highestMs: storeMs()});
    } catch (error) {
      // It is in the log; the write-ahead log stays, and has nothing that the tree has not.
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** Closes the files. To be called once the tree is closed, so that what it has need not be read again. */
  async close(): Promise<void> {
    const isEnded = this.#deps.tree.metadata.walId === undefined;
    await (isEnded ? this.#log.remove() : this.#log.close());
  }

  /** Moves nothing more into a tree that is read-only. */
  endCheckpoints(): void {
    this.#checkpointer.end();
  }

  async #writeGroup(group: readonly PreparedCommit[], sizeBytes: number): Promise<readonly (CommitResult | Error)[]> {
    this.#deps.tree.assertWritable();
    if (!(await this.#ask(room => room.admits(sizeBytes)))) return this.#writeDeletions(group);
    try {
      return await this.#writeTogether(group);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await this.#ask(room => room.releaseReserve());
      return this.#writeDeletions(group);
    }
  }

  /** On a full disk: what only deletes happens, since it makes room, and there is room for it. */
  async #writeDeletions(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const results = [...(await this.#writeTogether(group.filter(isDeletion)))];
    return group.map(commit => (isDeletion(commit) && results.shift()) || new AppError({code: 'disk-full'}));
  }

  async #writeTogether(group: readonly PreparedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const {onChange, tree} = this.#deps;
    const plan = await planInTicks(tree, () => this.#plan(group));
    if (plan.changes.length === 0 && plan.missedMs > this.#durableMs) await this.#tryWriteTime(plan.nowMs);
    if (plan.changes.length === 0 && plan.stale.length === 0) return plan.results;
    if (this.#fitsLog(plan)) await this.#writeToLog(plan);
    else await this.#writeToTree(plan);
    if (plan.changes.length === 0) return plan.results;
    this.#durableMs = plan.nowMs;
    // Writers get their answers first: a listener begins to read.
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
      stateOf: key => this.#stateOf(key),
      jsonOf: key => this.#jsonOf(key),
    });
  }

  /** Asks for room. @throws {AppError} `store-read-only`: a disk that fails at that is a disk that fails. */
  async #ask<T>(ask: (room: DiskSpace) => Promise<T>): Promise<T> {
    try {
      return await ask(this.#room);
    } catch (error) {
      throw new AppError(this.#deps.tree.becomeReadOnly(error), {cause: error});
    }
  }

  #fitsLog({changes, stale}: PreparedPlan): boolean {
    // With little room nothing is acknowledged that the tree may have no room for.
    if (!this.#room.isAmple || stale.length > 0) return false;
    return changes.every(hasItsValue) && walRecordBytesMax(changes) <= WAL_RECORD_BYTES_MAX;
  }

  async #writeToLog(plan: PreparedPlan): Promise<void> {
    const {changes, metadata} = this.#deps.tree;
    const {nowMs, updatedAtMs} = plan;
    const record = encodeWalRecord({changes: plan.changes, nowMs, updatedAtMs, storeId: metadata.id}, this.#record);
    if (!this.#log.makeRoom(record.length, changes.revision)) {
      await this.checkpoint();
      this.#log.makeRoom(record.length, changes.revision);
    }
    try {
      await this.#attachLog();
      await this.#log.append(record, plan.revision);
    } catch (error) {
      throw error instanceof AppError ? error : new AppError(this.#afterFailedAppend(error), {cause: error});
    }
    this.memtable.add(plan);
    this.#checkpointer.notice();
  }

  /**
   * Makes the files of the write-ahead log before its first record. The tree says that there is a write-ahead log only while both files are
   * there, so that one that was taken away is missed at the next opening: what it held was acknowledged.
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
   * Where nothing else is written that has the time: a caller who is told that an entry has expired must not see it again, though the
   * clock of the machine be set back and the process killed.
   */
  async #tryWriteTime(nowMs: number): Promise<void> {
    try {
      // One transaction at a time.
      await this.checkpoint();
      await this.#deps.tree.writeMetadata({highestMs: nowMs});
      this.#durableMs = nowMs;
    } catch (error) {
      // What the caller is told is true all the same.
      if (!(error instanceof AppError)) throw error;
    }
  }

  async #writeToTree(plan: PreparedPlan): Promise<void> {
    // What came before it goes in before it.
    await this.checkpoint();
    const {cache, tree} = this.#deps;
    cache.forget(plan.writes.keys());
    await cache.pause(() => tree.write([plan]));
  }

  async #writeCheckpoint(groups: readonly PreparedPlan[]): Promise<void> {
    const sizeBytes = sum(groups, ({writes}) => sum([...writes.values()], ({put}) => sizeOfWrite(put)));
    // Asked first: where it has no room, trying could end the process.
    if (!(await this.#ask(room => room.holds(sizeBytes)))) throw new AppError({code: 'disk-full'});
    try {
      await this.#deps.tree.write(groups);
    } catch (error) {
      if (isDiskFull(error)) await this.#ask(room => room.releaseReserve());
      throw error;
    }
  }

  #afterFailedAppend(error: unknown): Failure {
    if (error instanceof UnretractedRecordError || !isFullDiskError(error))
      return this.#deps.tree.becomeReadOnly(error);
    this.#deps.log.error('disk full; nothing was written', {error});
    return {code: 'disk-full'};
  }

  #sizeOf(commit: PreparedCommit): number {
    return sizeOfCommit(commit, key => this.#recordSize(key));
  }

  /** About how large the record under a key is, in bytes; 0 where it is missing or cannot be read. */
  #recordSize(key: Key): number {
    const recent = this.memtable.find(key);
    if (recent !== undefined) return recent.put?.json.length ?? 0;
    try {
      return this.#deps.tree.tables.entries.peek(Buffer.from(key))?.length ?? 0;
    } catch {
      return 0;
    }
  }

  #stateOf(key: Key): EntryState | undefined {
    const recent = this.memtable.find(key);
    if (recent === undefined) {
      const {cache, tree} = this.#deps;
      return cache.findInfo(key) ?? readStoredState(tree.tables, key);
    }
    return recent.put === undefined ? undefined : recent;
  }

  #jsonOf(key: Key): JsonText | undefined {
    const recent = this.memtable.find(key);
    return recent === undefined ? readStoredJson(this.#deps.tree.tables, key) : recent.put?.json;
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof AppError && error.failure.code === 'disk-full';
}

function hasItsValue(change: Change): boolean {
  return change.kind !== 'put' || change.json !== undefined;
}
