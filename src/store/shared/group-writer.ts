import type {Commit} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import {AppError} from '../../failures/app-error.ts';
import type {Timers} from '../../time/timers.ts';
import {sizeOfCommit, writtenBytesOf} from '../plan/commit-size.ts';
import type {Plan, StoreOperation} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion} from '../plan/prepare-commit.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import {Attempt} from './attempt.ts';
import {commitIdIn, type ResultReader} from './engine/commit-ids.ts';
import {type Driver, type EngineFailure, isEngineFailure} from './engine/driver.ts';
import {type KnownHead, replaceHead, revisionOf, writtenHead} from './engine/head.ts';
import type {LogLimits} from './engine/log-limits.ts';
import type {StoredEntry} from './engine/stored-entry.ts';
import {findTrim} from './engine/trimming.ts';
import type {EngineState} from './engine-state.ts';
import type {Fairness} from './fairness.ts';
import {countNamed, describeGroup, type GroupOptions, type GroupRequest, withMark} from './group-request.ts';
import {sendGroup, writeParts} from './group-sender.ts';
import {type GroupResults, PlannedCommits, writeSome} from './planned-commits.ts';
import {keysOf, type PlanningState, readPlanningState} from './planning-state.ts';

/** A commit as the writer gets it. */
export interface SharedCommit extends Commit<StoreOperation> {
  /** Time by `elapsedMs` when it arrived. */
  readonly arrivedMs: number;
  /** Time of an expiry that a reader has seen, in milliseconds since the Unix epoch: the clock of the head is to reach it. @default {none} */
  readonly seenExpiryMs?: number | undefined;
}

/** Time without any group being written after which a commit that waits for its own is refused, in milliseconds. */
const WAIT_MS_MAX = 5000;

/** Bytes that the slowest supported link carries in a millisecond: 2 Mbit/s. Large groups have the time for that in addition. */
const LINK_BYTES_PER_MS = 256;

/** Maximum number of operations, and of checks, of a group: four keys for each fit into a request. One commit may have more. */
const GROUP_OPERATIONS_MAX = 1000;

/** Time after a read of the engine for which a plan may be made without one, in milliseconds: a wish is noticed then. */
const UNREAD_MS_MAX = 250;

export interface GroupWriterDeps {
  readonly driver: Driver;
  readonly state: EngineState;
  readonly results: ResultReader;
  readonly clock: StoreClock;
  readonly fairness: Fairness;
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
  /** Time for one group, in milliseconds, besides that for its bytes. */
  readonly groupTimeoutMs: number;
}

/** The group that this process wrote last. */
interface LastGroup {
  readonly head: KnownHead;
  readonly entries: ReadonlyMap<Key, StoredEntry | undefined>;
}

/**
 * Writes groups of commits, one after the other. For each group it
 *
 * 1. reads the head and the entries that the commits name, unless the last group of this process wrote them all;
 * 2. finds commits that were applied already, by their ids;
 * 3. plans the others;
 * 4. writes large values into parts;
 * 5. writes the result if the head is still that of the plan, and otherwise begins again;
 * 6. if no answer comes, sends the same request again until the outcome is known, or the time is over.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  #last: LastGroup | undefined;
  /** Times by `elapsedMs` of the last read for a plan, and of the last group that was written. */
  #readMs = -Infinity;
  #wroteMs = -Infinity;
  #readOnlyBecause: string | undefined;
  #writtenBytes = 0;

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps;
  }

  /** The reason why the engine refuses all writes; undefined if it does not. */
  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  /** Bytes of the values that this process has written. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Writes a group, or its first commits, and returns their results. Never throws a failure of the engine. Commits that have waited for too long are refused. */
  async write(all: readonly SharedCommit[]): Promise<GroupResults> {
    const commits = all.slice(0, countFitting(all));
    const startMs = this.#deps.elapsedMs();
    const oldestMs = startMs - WAIT_MS_MAX;
    const createLate = (): AppError =>
      new AppError({code: 'store-unavailable', problem: 'the engine is too slow for the commits that wait'});
    const isTimely = ({arrivedMs}: SharedCommit): boolean => Math.max(arrivedMs, this.#wroteMs) >= oldestMs;
    return writeSome(commits, isTimely, createLate, timely =>
      this.#attempt(timely, {startMs, onFull: () => this.#writeDeletions(timely, startMs)}),
    );
  }

  /**
   * Writes the time into the head, so that the clock of the store does not go back when it is opened again. Tries it once, and ignores
   * failures.
   */
  async writeTime(): Promise<void> {
    const {driver, state, clock} = this.#deps;
    const {known} = state;
    const clockMs = clock.now();
    if (clockMs <= known.head.clockMs) return;
    await driver.compareAndWrite(replaceHead(known, {...known.head, clockMs})).catch(error => {
      if (!isEngineFailure(error)) throw error;
    });
  }

  /** Writes only the commits that free space, since the engine is full, in what is left of the time since the start. */
  #writeDeletions(commits: readonly SharedCommit[], startMs: number): Promise<GroupResults> {
    const createFull = (): AppError => new AppError({code: 'disk-full'});
    return writeSome(commits, isDeletion, createFull, deletions =>
      this.#attempt(deletions, {startMs, onFull: async () => deletions.map(createFull)}),
    );
  }

  async #attempt(
    commits: readonly SharedCommit[],
    {startMs, onFull}: {readonly startMs: number; readonly onFull: () => Promise<GroupResults>},
  ): Promise<GroupResults> {
    const {createId, groupTimeoutMs, timers, elapsedMs} = this.#deps;
    const bytes = commits.reduce((sum, commit) => sum + sizeOfCommit(commit, () => 0), 0);
    const timeoutMs = groupTimeoutMs + bytes / LINK_BYTES_PER_MS;
    const attempt = new Attempt({group: createId(), startMs, timeoutMs, timers, elapsedMs});
    try {
      return await attempt.within(() => this.#writeUntilWritten(commits, attempt));
    } catch (error) {
      if (isEngineFailure(error, 'full') && !attempt.isInDoubt) return onFull();
      const isTooLarge = error instanceof AppError && error.failure.code === 'transaction-too-large';
      if (isTooLarge && commits.length > 1)
        return this.#attempt(commits.slice(0, commits.length / 2), {startMs, onFull});
      return this.#fail(commits, error, attempt);
    }
  }

  /** Returns the failure of each commit of a group. */
  #fail(commits: readonly SharedCommit[], error: unknown, attempt: Attempt): GroupResults {
    this.#last = undefined;
    if (attempt.isInDoubt) {
      const failureOf = (commitId: string): AppError =>
        new AppError({code: 'outcome-unknown', commitId}, {cause: error});
      return commits.map(({id}, index) => failureOf(id ?? commitIdIn(attempt.group, index)));
    }
    if (!isEngineFailure(error)) throw error;
    const {kind, message: problem} = error as EngineFailure;
    if (kind === 'denied') this.#readOnlyBecause = problem;
    const code = kind === 'denied' ? 'store-read-only' : 'store-unavailable';
    return commits.map(() => new AppError({code, problem}, {cause: error}));
  }

  async #writeUntilWritten(commits: readonly SharedCommit[], attempt: Attempt): Promise<GroupResults> {
    const {fairness, elapsedMs, clock} = this.#deps;
    for (;;) {
      attempt.assertOpen();
      attempt.plans++;
      const startMs = elapsedMs();
      try {
        const planning = await this.#readState(commits, attempt);
        if (await fairness.honour(planning.wish, clock.now())) continue;
        const results = await this.#tryWrite(commits, planning, attempt);
        if (results !== undefined) return results;
        await fairness.lost(elapsedMs() - startMs, {found: planning.wish, nowMs: clock.now()});
      } catch (error) {
        // The state that it planned on is no longer in the engine; the present one is.
        if (!isEngineFailure(error, 'compacted') || attempt.isInDoubt) throw error;
      }
      this.#last = undefined;
    }
  }

  /** Returns the state on which commits are planned: what this process wrote last if it needs no more, otherwise what it reads. */
  async #readState(commits: readonly SharedCommit[], {mark}: Attempt): Promise<PlanningState> {
    const {state, elapsedMs} = this.#deps;
    const last = this.#last;
    const isRecent = last?.head.version === state.known.version && elapsedMs() - this.#readMs <= UNREAD_MS_MAX;
    const isEnough = isRecent && mark === undefined && commits.every(isIndependent);
    if (isEnough && [...keysOf(commits)].every(key => last.entries.has(key)))
      return {base: last.head, entries: last.entries, values: new Map(), wish: undefined};
    const planning = await readPlanningState(commits, {...this.#deps, mark});
    this.#readMs = elapsedMs();
    return planning;
  }

  /** @returns Undefined if another process has written meanwhile. */
  async #tryWrite(
    commits: readonly SharedCommit[],
    planning: PlanningState,
    attempt: Attempt,
  ): Promise<GroupResults | undefined> {
    const {base} = planning;
    const ids = commits.map(({id}) => id);
    const planned = new PlannedCommits(commits, await this.#deps.results.find(ids, base));
    const plan = this.#plan(planned.commits, planning);
    const isChange = plan.changes.length > 0 || plan.stale.length > 0;
    const seenMs = commits.reduce((max, {seenExpiryMs = 0}) => Math.max(max, seenExpiryMs), plan.seenExpiryMs);
    const isTick = !isChange && seenMs > base.head.clockMs;
    const placed = planned.place(plan.results);
    const isWrite = isChange || isTick || countNamed(ids, placed) > 0;
    if (isWrite && !(await this.#send(planning, plan, {ids, results: placed, attempt}))) return undefined;
    return planned.complete(plan.results);
  }

  #plan(commits: readonly SharedCommit[], {base, entries, values}: PlanningState): Plan {
    const {clock, nowMs} = this.#deps;
    return planGroup(commits, {
      storeId: base.head.id,
      revision: revisionOf(base),
      nowMs: clock.now(),
      updatedAtMs: Math.floor(nowMs()),
      stateOf: key => entries.get(key)?.info,
      jsonOf: key => {
        const json = values.get(key);
        if (json instanceof Error) throw json;
        return json;
      },
    });
  }

  /** @returns Whether it was written. */
  async #send(
    planning: PlanningState,
    plan: Plan,
    {ids, results, attempt}: Pick<GroupOptions, 'ids' | 'results' | 'attempt'>,
  ): Promise<boolean> {
    const {driver, state, elapsedMs, clock, logLimits, writer} = this.#deps;
    const {base} = planning;
    const startMs = elapsedMs();
    const trimmed = await findTrim(driver, base, logLimits);
    const request = describeGroup(planning, plan, {attempt, ids, results, writer, logLimits, trimmed});
    await writeParts({attempt, base, request}, clock.now(), this.#deps);
    const marked = {attempt, base, request: withMark(request, attempt)};
    const sent = await state.whileWriting(() => sendGroup(marked, this.#deps));
    if (sent.kind === 'written') state.wrote(writtenHead(request.head, sent.version));
    else await state.learn(sent.answer, base);
    if (sent.kind === 'conflict') return false;
    this.#remember(request, sent.kind === 'written' ? sent.version : undefined);
    this.#readOnlyBecause = undefined;
    this.#writtenBytes += writtenBytesOf(plan.changes);
    this.#deps.fairness.won(elapsedMs() - startMs);
    return true;
  }

  #remember({head, entries}: GroupRequest, version: number | undefined): void {
    this.#wroteMs = this.#deps.elapsedMs();
    this.#last = version === undefined ? undefined : {head: writtenHead(head, version), entries};
  }
}

/** Returns whether a commit can be planned without the values of entries, and without checks that may fail on an old state. */
function isIndependent({operations, checks, id}: SharedCommit): boolean {
  return checks.length === 0 && id === undefined && operations.every(({kind}) => kind === 'put');
}

/** Returns the number of the first commits that fit into a group: at least one. */
function countFitting(commits: readonly SharedCommit[]): number {
  let [operations, checks] = [0, 0];
  const end = commits.findIndex(commit => {
    operations += commit.operations.length;
    checks += commit.checks.length;
    return operations > GROUP_OPERATIONS_MAX || checks > GROUP_OPERATIONS_MAX;
  });
  return end === -1 ? commits.length : Math.max(1, end);
}
