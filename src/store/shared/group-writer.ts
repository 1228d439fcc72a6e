import type {Commit, CommitResult} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {StoreStatistics} from '../../domain/statistics.ts';
import {AppError} from '../../failures/app-error.ts';
import type {JsonText} from '../../json/json-text.ts';
import type {Timers} from '../../time/timers.ts';
import {writtenBytesOf} from '../plan/commit-size.ts';
import type {Plan, StoreOperation} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion} from '../plan/prepare-commit.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import {Attempt} from './attempt.ts';
import {Checkpointer} from './checkpointer.ts';
import {commitIdIn, eraOf, type ResultReader} from './engine/commit-ids.ts';
import {type Driver, type EngineFailure, isEngineFailure} from './engine/driver.ts';
import {STAGES} from './engine/engine-keys.ts';
import {type KnownHead, replaceHead, revisionOf, writtenHead} from './engine/head.ts';
import type {LogLimits} from './engine/log-limits.ts';
import {fitsRequest, HEAD_ONLY, writeStage} from './engine/staging.ts';
import {findTrim} from './engine/trimming.ts';
import {countNamed, describeGroup, type GroupOptions, type GroupRequest} from './group-request.ts';
import {type SentResult, sendGroup} from './group-sender.ts';
import {type GroupResults, PlannedCommits} from './planned-commits.ts';
import type {Replica} from './replica.ts';
import type {RoundRobin} from './round-robin.ts';
import type {ValueReader} from './value-reader.ts';

/** A commit as the writer gets it. */
export interface SharedCommit extends Commit<StoreOperation> {
  /** Time by `elapsedMs` when it arrived. */
  readonly arrivedMs: number;
}

/** Time after which a commit that still waits for its group is refused, in milliseconds: it ends within 10 seconds. */
const WAIT_MS_MAX = 5000;

export interface GroupWriterDeps {
  readonly driver: Driver;
  readonly replica: Replica;
  readonly values: ValueReader;
  readonly results: ResultReader;
  readonly clock: StoreClock;
  readonly roundRobin: RoundRobin;
  readonly logLimits: LogLimits;
  readonly timers: Timers;
  /** The clock of the machine, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Returns a new id: 24 hexadecimal digits. */
  readonly createId: () => string;
  /** Id of this process among those that write. */
  readonly writer: string;
  /** Time for one group, in milliseconds. A large one has twice as much, less the time for which its commits have waited, but no less than others. */
  readonly groupTimeoutMs: number;
}

/** A plan, and the head that it is based on. */
interface BasedPlan {
  readonly base: KnownHead;
  readonly plan: Plan;
}

/**
 * Writes groups of commits, one after the other.
 * Before each try it writes a checkpoint if one is due. Then it
 *
 * 1. finds commits that were applied already, by their ids;
 * 2. plans the others on the known state;
 * 3. writes the result if the head is still that of the plan; otherwise learns the new state, and continues with 1;
 * 4. if no answer comes, sends the same request again until the outcome is known, or the time is over.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  readonly #checkpointer: Checkpointer;
  /** True if the last write failed: then the head is read before anything is written, so that nothing is in doubt without need. */
  #isDoubtful = false;
  #readOnlyBecause: string | undefined;
  #writtenBytes = 0;

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps;
    this.#checkpointer = new Checkpointer(deps);
  }

  /** The reason why the engine refuses all writes; undefined if it does not. */
  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  /** Figures of all writes of this process. */
  get statistics(): Pick<StoreStatistics, 'writtenBytes' | 'checkpoints'> {
    return {writtenBytes: this.#writtenBytes, checkpoints: this.#checkpointer.counts};
  }

  /** Writes a group, or its first commits, and returns their results. Never throws a failure of the engine. Commits that have waited for too long are refused. */
  async write(commits: readonly SharedCommit[]): Promise<GroupResults> {
    const startMs = this.#deps.elapsedMs();
    const oldestMs = startMs - WAIT_MS_MAX;
    const createLate = (): AppError =>
      new AppError({code: 'store-unavailable', problem: 'the engine is too slow for the commits that wait'});
    const isTimely = ({arrivedMs}: SharedCommit): boolean => arrivedMs >= oldestMs;
    return this.#writeSome(commits, isTimely, createLate, timely =>
      this.#attempt(timely, {startMs, onFull: () => this.#writeDeletions(timely, startMs)}),
    );
  }

  /**
   * Writes the time into the head, so that the clock of the store does not go back when it is opened again. Tries it once, and ignores
   * failures.
   */
  async writeTime(): Promise<void> {
    const {driver, replica, clock} = this.#deps;
    const {head} = replica.known;
    const clockMs = clock.now();
    if (clockMs <= head.clockMs || this.#isDoubtful) return;
    const write = {...replaceHead(replica.known, {...head, clockMs}), ...HEAD_ONLY};
    await driver.compareAndWrite(write).catch(error => {
      if (!isEngineFailure(error)) throw error;
    });
  }

  /** Writes only the commits that free space, since the engine is full, in what is left of the time since the start. */
  #writeDeletions(commits: readonly SharedCommit[], startMs: number): Promise<GroupResults> {
    const createFull = (): AppError => new AppError({code: 'disk-full'});
    return this.#writeSome(commits, isDeletion, createFull, deletions =>
      this.#attempt(deletions, {startMs, onFull: async () => deletions.map(createFull)}),
    );
  }

  /** Writes those commits of a group that are selected. The others fail. */
  async #writeSome(
    commits: readonly SharedCommit[],
    isSelected: (commit: SharedCommit) => boolean,
    createFailure: () => AppError,
    write: (selected: readonly SharedCommit[]) => Promise<GroupResults>,
  ): Promise<GroupResults> {
    const selected = commits.filter(isSelected);
    if (selected.length === commits.length) return write(commits);
    const rest = selected.length === 0 ? [] : [...(await write(selected))];
    // Those after the first one that is not planned yet stay for the next group.
    const results: (CommitResult | Error)[] = [];
    for (const commit of commits) {
      const result = isSelected(commit) ? rest.shift() : createFailure();
      if (result === undefined) break;
      results.push(result);
    }
    return results;
  }

  async #attempt(
    commits: readonly SharedCommit[],
    {startMs, onFull}: {readonly startMs: number; readonly onFull: () => Promise<GroupResults>},
  ): Promise<GroupResults> {
    const {createId, groupTimeoutMs: timeoutMs, timers, elapsedMs} = this.#deps;
    const waitedMs = startMs - Math.min(...commits.map(({arrivedMs}) => arrivedMs));
    const extendedMs = Math.max(timeoutMs, 2 * timeoutMs - waitedMs);
    const attempt = new Attempt({group: createId(), startMs, timeoutMs, extendedMs, timers, elapsedMs});
    try {
      return await attempt.within(() => this.#writeUntilWritten(commits, attempt));
    } catch (error) {
      if (isEngineFailure(error, 'full') && !attempt.isInDoubt) return onFull();
      return this.#fail(commits, error, attempt);
    }
  }

  /** Returns the failure of each commit of a group. */
  #fail(commits: readonly SharedCommit[], error: unknown, attempt: Attempt): GroupResults {
    if (!attempt.isInDoubt && !isEngineFailure(error)) throw error;
    this.#isDoubtful = true;
    if (attempt.isInDoubt) {
      const failureOf = (commitId: string): AppError =>
        new AppError({code: 'outcome-unknown', commitId}, {cause: error});
      return commits.map(({id}, index) => failureOf(id ?? commitIdIn(attempt.group, index)));
    }
    const {kind, message: problem} = error as EngineFailure;
    if (kind === 'denied') this.#readOnlyBecause = problem;
    const code = kind === 'denied' ? 'store-read-only' : 'store-unavailable';
    return commits.map(() => new AppError({code, problem}, {cause: error}));
  }

  async #writeUntilWritten(commits: readonly SharedCommit[], attempt: Attempt): Promise<GroupResults> {
    for (;;) {
      try {
        if (this.#isDoubtful) await this.#deps.replica.refresh();
        attempt.assertOpen();
        this.#isDoubtful = false;
        const results = await this.#tryWrite(commits, attempt);
        if (results !== undefined) return results;
        await this.#deps.roundRobin.lost();
      } catch (error) {
        if (!isEngineFailure(error, 'compacted') || attempt.isInDoubt) throw error;
        // The state that it planned on is no longer in the engine; the present one is.
        this.#isDoubtful = true;
      }
    }
  }

  /** @returns Undefined if another process has written meanwhile. */
  async #tryWrite(commits: readonly SharedCommit[], attempt: Attempt): Promise<GroupResults | undefined> {
    const {replica, results: reader} = this.#deps;
    await this.#checkpointer.writeIfDue();
    const base = replica.known;
    const ids = commits.map(({id}) => id);
    const planned = new PlannedCommits(commits, await reader.find(ids, base));
    const plan = await this.#plan(planned.commits, base);
    const isChange = plan.changes.length > 0 || plan.stale.length > 0;
    const isTick = !isChange && plan.seenExpiryMs > base.head.clockMs;
    const placed = planned.place(plan.results);
    if (isChange || isTick || countNamed(ids, placed) > 0) {
      if (!(await this.#send({base, plan}, {ids, results: placed}, attempt))) return undefined;
    } else {
      await replica.refresh();
      // Checks may have failed that hold now.
      if (replica.known.version !== base.version) return undefined;
    }
    return planned.complete(plan.results);
  }

  async #plan(commits: readonly SharedCommit[], base: KnownHead): Promise<Plan> {
    const {replica, clock, nowMs} = this.#deps;
    const found = await this.#readPatched(commits, base);
    return planGroup(commits, {
      storeId: base.head.id,
      revision: revisionOf(base),
      nowMs: clock.now(),
      updatedAtMs: Math.floor(nowMs()),
      stateOf: key => replica.index.get(key),
      jsonOf: key => {
        const json = found.get(key);
        if (json instanceof Error) throw json;
        return json;
      },
    });
  }

  /** Reads the values that patches and touches need. */
  async #readPatched(
    commits: readonly SharedCommit[],
    base: KnownHead,
  ): Promise<ReadonlyMap<Key, JsonText | AppError>> {
    const found = new Map<Key, JsonText | AppError>();
    const patched = commits.flatMap(({operations}) =>
      operations.flatMap(({kind, key}) => (kind === 'patch' || kind === 'touch' ? [key] : [])),
    );
    await Promise.all(
      patched.map(async key => {
        const info = this.#deps.replica.index.get(key);
        if (info === undefined) return;
        found.set(key, await this.#deps.values.read(info, base).then(({json}) => json, asAppError));
      }),
    );
    return found;
  }

  /** @returns Whether it was written. */
  async #send(based: BasedPlan, named: Pick<GroupOptions, 'ids' | 'results'>, attempt: Attempt): Promise<boolean> {
    const {driver, elapsedMs, logLimits} = this.#deps;
    const startMs = elapsedMs();
    const trimmed = await findTrim(driver, based.base, logLimits);
    const request = describeGroup(based, {...this.#deps, ...named, group: attempt.group, trimmed});
    const {head, writes} = await this.#stageLarge(request, based.base, attempt);
    const write = {...replaceHead(based.base, head), ...writes};
    const written = await sendGroup({attempt, era: eraOf(based.base.head), write}, this.#deps);
    await this.#learn(written, {head, log: request.log}, based.base);
    if (written.kind === 'conflict') return false;
    this.#readOnlyBecause = undefined;
    this.#writtenBytes += writtenBytesOf(based.plan.changes);
    this.#deps.roundRobin.won(elapsedMs() - startMs);
    return true;
  }

  /** Makes the replica as new as a group that was sent: no call may return a revision that this process does not know. */
  async #learn(sent: SentResult, {head, log}: Omit<GroupRequest, 'writes'>, base: KnownHead): Promise<void> {
    const {replica} = this.#deps;
    if (sent.kind !== 'written') return replica.adopt(sent.found, base);
    if (head.staged === undefined) return replica.apply(writtenHead(head, sent.version), log, base);
    return replica.refresh();
  }

  /** Writes a group that is too large for one request beside the entries. @returns The request that commits it. */
  async #stageLarge(
    {head, writes}: GroupRequest,
    base: KnownHead,
    attempt: Attempt,
  ): Promise<Pick<GroupRequest, 'head' | 'writes'>> {
    if (fitsRequest(writes)) return {head, writes: {...writes, removedRanges: [...writes.removedRanges, STAGES]}};
    attempt.extend();
    // Another id for each version: a part of an earlier try would be of another plan.
    const id = `${attempt.group}-${base.version}`;
    const parts = await writeStage(this.#deps.driver, writes, {id, beforePart: () => attempt.assertOpen()});
    return {head: {...head, staged: {id, parts, done: 0}}, writes: {...writes, puts: [], removes: []}};
  }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
