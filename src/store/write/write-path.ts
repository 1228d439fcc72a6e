import type {Commit, CommitResult} from '../../core/domain/commits/commit.ts';
import type {ChangeListener} from '../../core/domain/commits/store.ts';
import type {Listeners} from '../../core/domain/listeners.ts';
import type {StoreStatistics} from '../../core/domain/statistics.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {changesOf} from '../format/change-encoding.ts';
import type {Plan, PlannedCommit, StoreOperation} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion, prepareCommit, sizeOfCommit, writtenBytesOf} from '../plan/prepare-commit.ts';
import type {CurrentEntries, EntryCache} from '../tree/current-entries.ts';
import type {Memtable} from '../wal/memtable.ts';
import {WalCheckpointer} from './checkpointer.ts';
import {CommitQueue} from './commit-queue.ts';
import {fitsRecord, LogWriter, type LogWriterDeps} from './log-writer.ts';

export interface WritePathDeps extends Omit<LogWriterDeps, 'checkpointer'> {
  readonly memtable: Memtable;
  readonly cache: EntryCache;
  readonly entries: CurrentEntries;
  /** The clock of the machine, in milliseconds since the Unix epoch. */
  readonly machineMs: () => number;
  /** The latest time by the clock of the store that is on disk, likewise. */
  readonly durableMs: number;
  /** Called soon after each group that changed something. */
  readonly listeners: Listeners<Parameters<ChangeListener>>;
}

/**
 * The way of a commit to the disk. Commits that arrive while the disk is busy form the next group; one group is written at a time.
 *
 * | step | result | state that it changes |
 * |---|---|---|
 * | 1. queue | all waiting commits are a group | `CommitQueue`: the waiting commits |
 * | 2. plan | checks are evaluated in the order of arrival; every commit sees those before it | none |
 * | 3. persist | one record in the write-ahead log, with one fsync | `LogWriter`: the log; then `Memtable`, where reads find the group |
 * | 4. publish | the commits resolve, and listeners are called | none |
 * | 5. checkpoint, later | the group is in the tree, together with others | `WalCheckpointer`: `Tree`, then `Memtable` and `EntryCache` |
 *
 * In step 3 a large group, and any group if free space is scarce, is written into the tree instead. Everything that is written passes
 * through `DiskGate`, which refuses all writes after one failed.
 */
export class WritePath {
  readonly #deps: WritePathDeps;
  readonly #queue = new CommitQueue<PlannedCommit>({write: commits => this.#write(commits)});
  readonly #log: LogWriter;
  readonly #checkpointer: WalCheckpointer;
  #durableMs: number;
  #writtenBytes = 0;

  constructor(deps: WritePathDeps) {
    this.#deps = deps;
    this.#durableMs = deps.durableMs;
    this.#checkpointer = new WalCheckpointer(deps);
    this.#log = new LogWriter({...deps, checkpointer: this.#checkpointer}, deps.memtable.revision ?? 0);
    this.#checkpointer.notice();
  }

  /** The latest time by the clock of the store that is on disk, in milliseconds since the Unix epoch. A restart continues from it. */
  get durableMs(): number {
    return this.#durableMs;
  }

  /** Returns figures of all writes. */
  statistics(): Omit<StoreStatistics, 'entries' | 'sizeBytes' | 'trimmedRevision'> {
    const {waiting: waitingCommits} = this.#queue;
    const wal = {...this.#log.statistics(), waitingRecords: this.#deps.memtable.groups};
    return {waitingCommits, writtenBytes: this.#writtenBytes, checkpoints: this.#checkpointer.counts, wal};
  }

  /**
   * Commits; resolves once the commit is on disk. Values are copied at the call.
   *
   * @throws {AppError} As `commit` of a store; `store-closed` after {@link finish}.
   */
  push(commit: Commit<StoreOperation>): Promise<CommitResult> {
    // Not `async`: each commit would have a second promise, which only waits for that of the queue.
    try {
      const prepared = prepareCommit(commit);
      return this.#queue.push(
        prepared,
        sizeOfCommit(prepared, key => this.#deps.entries.recordSizeOf(key)),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Writes the memtable into the tree. @throws {AppError} `disk-full`, `store-read-only`; nothing is lost then. */
  checkpoint(): Promise<void> {
    return this.#checkpointer.checkpoint();
  }

  /** Calls {@link checkpoint}, and ignores its failure. */
  tryCheckpoint(): Promise<void> {
    return ignoreFailure(() => this.checkpoint());
  }

  /** Finishes the waiting commits, accepts no others, and writes the memtable into the tree if possible. */
  async finish(): Promise<void> {
    await this.#queue.end();
    await this.tryCheckpoint();
    this.#checkpointer.end();
    if (this.#deps.memtable.changes === 0) await ignoreFailure(() => this.#log.detach());
  }

  /** Closes the write-ahead log. To be called after the tree is closed. */
  close(): Promise<void> {
    return this.#log.close();
  }

  /** Writes a group. On a full disk its deletions are written: they free space, and the reserve is enough for them. */
  async #write(commits: readonly PlannedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    try {
      return await this.#writePlan(commits);
    } catch (error) {
      if (!isFailure(error, 'disk-full')) throw error;
      const results = [...(await this.#writePlan(commits.filter(isDeletion)))];
      return commits.map(commit => (isDeletion(commit) && results.shift()) || (error as Error));
    }
  }

  async #writePlan(commits: readonly PlannedCommit[]): Promise<readonly (CommitResult | Error)[]> {
    const {machineMs, clock, tree, memtable, entries, gate} = this.#deps;
    // Before the tree is asked, which may be unreadable then.
    gate.assertWritable();
    // While a checkpoint fails, the engine may refuse to read; then `read` waits for its result, and plans again.
    const read = tree.read(() =>
      planGroup(commits, {
        storeId: tree.metadata.id,
        revision: memtable.revision ?? tree.changes.revision,
        nowMs: clock.now(),
        updatedAtMs: machineMs(),
        stateOf: key => entries.stateOf(key),
        jsonOf: key => entries.jsonOf(key),
        appliedOf: id => memtable.appliedOf(id) ?? tree.changes.appliedOf(id),
      }),
    );
    const plan = read instanceof Promise ? await read : read;
    if (plan.changes.length === 0 && plan.seenExpiryMs > this.#durableMs) await this.#tryWriteTime(plan.nowMs);
    if (plan.changes.length > 0 || plan.stale.length > 0) await this.#persist(plan);
    if (plan.changes.length > 0) this.#publish(plan);
    return plan.results;
  }

  async #persist(plan: Plan): Promise<void> {
    const {gate, memtable} = this.#deps;
    const checked = gate.check([plan]);
    const space = checked instanceof Promise ? await checked : checked;
    const isTight = space === 'reserve' || space === 'none';
    if (isTight && plan.changes.some(({kind}) => kind === 'put')) throw new AppError({code: 'disk-full'});
    // If free space is scarce, the tree may have no space for a group that the log acknowledged.
    if (space === 'ample' && fitsRecord(plan)) {
      await this.#log.append(plan);
      memtable.add(plan);
      this.#checkpointer.notice();
    } else await this.#writeToTree(plan);
  }

  async #writeToTree(plan: Plan): Promise<void> {
    const {cache, gate, tree} = this.#deps;
    // Earlier groups go into the tree first.
    await this.checkpoint();
    cache.evict(plan.writes.keys());
    await cache.pause(() => gate.write(() => tree.write([plan])));
  }

  #publish(plan: Plan): void {
    this.#durableMs = plan.nowMs;
    this.#writtenBytes += writtenBytesOf(plan.changes);
    // Writers get their results first, since a listener begins to read.
    setImmediate(() => this.#deps.listeners.call(changesOf(plan.changes)));
  }

  /**
   * Makes the time durable if no write does: an entry that a caller was told has expired must not come back, even if the clock of
   * the machine is set back and the process is killed. If it fails, the answer to the caller is correct all the same.
   */
  async #tryWriteTime(nowMs: number): Promise<void> {
    const {gate, tree} = this.#deps;
    await ignoreFailure(async () => {
      // The tree runs one transaction at a time.
      await this.checkpoint();
      await gate.write(() => tree.writeMetadata({highestMs: nowMs}));
      this.#durableMs = nowMs;
    });
  }
}

/** Runs a step that may fail without harm, and ignores an `AppError`: the gate logged it. @throws All other errors. */
async function ignoreFailure(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
