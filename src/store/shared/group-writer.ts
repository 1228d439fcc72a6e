import type {Commit, CommitResult} from '../../domain/commits/commit.ts';
import {AppError} from '../../failures/app-error.ts';
import type {Plan, StoreOperation} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion, sizeOfCommit, sum, writtenBytesOf} from '../plan/prepare-commit.ts';
import {isEngineFailure} from './engine/driver.ts';
import {type KnownHead, writtenHead} from './engine/head.ts';
import {commitIdIn} from './engine/results.ts';
import {joinParts} from './engine/stored-entry.ts';
import type {EngineState} from './engine-state.ts';
import type {Fairness} from './fairness.ts';
import {countNamed, describeGroup, type GroupOptions} from './group-request.ts';
import {Attempt} from './group-sender.ts';
import {type EntriesByKey, keysOf, type PlanningState, readPlanningState} from './planning-state.ts';
import type {StoreParts} from './store-parts.ts';

/** A commit as the writer gets it. */
export interface SharedCommit extends Commit<StoreOperation> {
  /** Time by `elapsedMs` when it arrived. */
  readonly arrivedMs: number;
  /** Time of an expiry that a reader has seen, in milliseconds since the Unix epoch: the clock of the head is to reach it. @default {none} */
  readonly seenExpiryMs?: number | undefined;
}

type Results = readonly (CommitResult | Error)[];

/** Time without any written group after which a commit that waits for its own is refused, in milliseconds. */
const WAIT_MS_MAX = 5000;

/** Bytes that the slowest supported link carries in a millisecond: 2 Mbit/s. Large groups have the time for that in addition. */
const LINK_BYTES_PER_MS = 256;

/** Time after a read of the engine for which a plan may be made without one, in milliseconds: a wish is noticed then. */
const UNREAD_MS_MAX = 250;

/** Maximum number of operations, and of checks, of a group of several commits: a plan reads every key that they name. */
const GROUP_KEYS_MAX = 1000;

/** Commits that are not to be applied again. */
const NOTHING = {checks: [], operations: []};

export interface GroupWriterDeps extends StoreParts {
  readonly state: EngineState;
  readonly fairness: Fairness;
}

/**
 * Writes groups of commits, one after the other. For each group it
 *
 * 1. reads the head and the entries that the commits name, unless the last group of this process wrote them all, and the results of those
 *    that were applied already;
 * 2. plans the others;
 * 3. writes large values into parts;
 * 4. writes the result if the head is still that of the plan, and otherwise begins again;
 * 5. if no answer comes, sends the same request again until the outcome is known, or the time is over.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  /** The head and the entries that this process wrote last. */
  #last: {readonly head: KnownHead; readonly entries: EntriesByKey} | undefined;
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
  async write(waiting: readonly SharedCommit[]): Promise<Results> {
    const commits = waiting.slice(0, countFitting(waiting));
    const startMs = this.#deps.elapsedMs();
    const isTimely = ({arrivedMs}: SharedCommit): boolean =>
      Math.max(arrivedMs, this.#wroteMs) >= startMs - WAIT_MS_MAX;
    const first = commits.findIndex(isTimely);
    if (first === 0) return this.#attempt(withoutRepeated(commits), startMs);
    const problem = 'the engine is too slow for the commits that wait';
    const late = first === -1 ? commits : commits.slice(0, first);
    return late.map(() => new AppError({code: 'store-unavailable', problem}));
  }

  async #attempt(commits: readonly SharedCommit[], startMs: number): Promise<Results> {
    const {createId, groupTimeoutMs, elapsedMs, clock} = this.#deps;
    const bytes = sum(commits, commit => sizeOfCommit(commit, () => 0));
    const attempt = new Attempt(createId(), clock.now(), this.#deps);
    try {
      const timeoutMs = startMs + groupTimeoutMs + bytes / LINK_BYTES_PER_MS - elapsedMs();
      return await attempt.within(timeoutMs, () => this.#writeUntilWritten(commits, attempt));
    } catch (error) {
      this.#last = undefined;
      if (attempt.isInDoubt) {
        const failureOf = (commitId: string): AppError =>
          new AppError({code: 'outcome-unknown', commitId}, {cause: error});
        return commits.map(({id}, index) => failureOf(id ?? commitIdIn(attempt.group, index)));
      }
      if (isEngineFailure(error, 'full')) return this.#writeDeletions(commits, startMs);
      const isTooLarge =
        isEngineFailure(error, 'too-large') ||
        (error instanceof AppError && error.failure.code === 'transaction-too-large');
      if (isTooLarge && commits.length > 1) return this.#attempt(commits.slice(0, commits.length / 2), startMs);
      if (!isEngineFailure(error)) throw error;
      const {kind, message: problem} = error;
      if (kind === 'denied') this.#readOnlyBecause = problem;
      const code = kind === 'denied' ? 'store-read-only' : 'store-unavailable';
      return commits.map(() => new AppError({code, problem}, {cause: error}));
    }
  }

  /** Continues in a full engine: refuses the first commits if they need space, and writes those that free some. */
  async #writeDeletions(commits: readonly SharedCommit[], startMs: number): Promise<Results> {
    const frees = commits[0] !== undefined && isDeletion(commits[0]);
    const end = commits.findIndex(commit => isDeletion(commit) !== frees);
    if (frees && end !== -1) return this.#attempt(commits.slice(0, end), startMs);
    const refused = (end === -1 ? commits : commits.slice(0, end)).map(() => new AppError({code: 'disk-full'}));
    return end === -1 ? refused : [...refused, ...(await this.#attempt(commits.slice(end), startMs))];
  }

  async #writeUntilWritten(commits: readonly SharedCommit[], attempt: Attempt): Promise<Results> {
    const {fairness, elapsedMs} = this.#deps;
    for (;;) {
      attempt.assertOpen();
      attempt.plans++;
      const startMs = elapsedMs();
      try {
        const planning = await this.#readState(commits, attempt);
        if (await fairness.honour(planning.wish, planning.base.at, pauseMs => attempt.extend(pauseMs))) continue;
        const results = await this.#tryWrite(commits.slice(0, planning.count), planning, attempt);
        if (results !== undefined) return results;
        await fairness.lost(elapsedMs() - startMs, planning.wish);
      } catch (error) {
        // The state that it planned on is no longer in the engine; the present one is.
        if (!isEngineFailure(error, 'compacted') || attempt.isInDoubt) throw error;
      }
      this.#last = undefined;
    }
  }

  /** Returns the state on which commits are planned: what this process wrote last if it needs no more, otherwise what it reads. */
  async #readState(commits: readonly SharedCommit[], attempt: Attempt): Promise<PlanningState> {
    const {state, elapsedMs, clock} = this.#deps;
    const {mark, written} = attempt;
    const last = this.#last;
    const isRecent = last?.head.version === state.known.version && elapsedMs() - this.#readMs <= UNREAD_MS_MAX;
    if (isRecent && written.size === 0 && commits.every(isIndependent)) {
      const {head: base, entries} = last;
      const count = commits.length;
      const isEnough = [...keysOf(commits)].every(key => entries.has(key));
      if (isEnough) return {base, count, entries, parts: new Map(), applied: [], oldMarks: []};
    }
    const planning = await readPlanningState(commits, {
      ...this.#deps,
      mark: written.size > 0 ? mark : undefined,
      nowMs: clock.now(),
      // They are read, and then written again.
      onPatched: bytes => attempt.extend((2 * bytes) / LINK_BYTES_PER_MS),
    });
    this.#readMs = elapsedMs();
    return planning;
  }

  /** @returns Undefined if another process has written meanwhile. */
  async #tryWrite(
    commits: readonly SharedCommit[],
    planning: PlanningState,
    attempt: Attempt,
  ): Promise<Results | undefined> {
    const {base, applied, oldMarks} = planning;
    const plan = this.#plan(
      commits.map((commit, index) => (applied[index] === undefined ? commit : NOTHING)),
      planning,
    );
    const ids = commits.map(({id}, index) => (applied[index] === undefined ? id : undefined));
    const unchanged = plan.changes.length > 0 ? 0 : countNamed(ids, plan.results);
    const seenMs = commits.reduce((max, {seenExpiryMs = 0}) => Math.max(max, seenExpiryMs), plan.seenExpiryMs);
    const isWrite = plan.changes.length + plan.stale.length + unchanged + oldMarks.length > 0;
    if (isWrite || seenMs > base.head.clockMs) {
      const options = {ids, results: plan.results, unchanged, attempt};
      if (!(await this.#send(planning, plan, options))) return undefined;
    }
    return plan.results.map((result, index) => applied[index] ?? result);
  }

  #plan(commits: readonly Commit<StoreOperation>[], {base, entries, parts}: PlanningState): Plan {
    const {clock, nowMs} = this.#deps;
    return planGroup(commits, {
      storeId: base.head.id,
      revision: base.head.end.revision,
      nowMs: clock.now(),
      updatedAtMs: Math.floor(nowMs()),
      stateOf: key => entries.get(key)?.info,
      jsonOf: key => {
        const stored = entries.get(key);
        return stored && joinParts(stored, parts).json;
      },
    });
  }

  /** @returns Whether it was written. */
  async #send(
    planning: PlanningState,
    plan: Plan,
    options: Pick<GroupOptions, 'ids' | 'results' | 'unchanged' | 'attempt'>,
  ): Promise<boolean> {
    const {state, elapsedMs, fairness} = this.#deps;
    const {base} = planning;
    const {attempt} = options;
    const startMs = elapsedMs();
    const request = await describeGroup(planning, plan, {...this.#deps, ...options});
    await attempt.writeParts(request.parts, request.write.usesReserve);
    const sent = await attempt.send(request.write, base);
    if (sent.kind !== 'written') await state.learn(sent.answer, base);
    if (sent.kind === 'conflict') return false;
    this.#wroteMs = elapsedMs();
    this.#last = undefined;
    if (sent.kind === 'written') {
      const head = writtenHead(request.head, sent.version);
      state.become(head);
      this.#last = {head, entries: request.entries};
    }
    this.#readOnlyBecause = undefined;
    this.#writtenBytes += writtenBytesOf(plan.changes);
    fairness.won(this.#wroteMs - startMs);
    return true;
  }
}

/** Returns whether a commit can be planned without the values of entries, and without checks that may fail on an old state. */
function isIndependent({operations, checks, id}: SharedCommit): boolean {
  const isPut = operations.length > 0 && operations.every(({kind}) => kind === 'put');
  return isPut && checks.length === 0 && id === undefined;
}

/** Returns the number of the first commits that fit into a group: at least one. */
function countFitting(commits: readonly SharedCommit[]): number {
  let [operations, checks] = [0, 0];
  const end = commits.findIndex(commit => {
    operations += commit.operations.length;
    checks += commit.checks.length;
    return operations > GROUP_KEYS_MAX || checks > GROUP_KEYS_MAX;
  });
  return end === -1 ? commits.length : Math.max(1, end);
}

/** Returns the first commits of which none repeats the id of another: that one gets the result of the first. */
function withoutRepeated(commits: readonly SharedCommit[]): readonly SharedCommit[] {
  const ids = commits.map(({id}) => id);
  const end = ids.findIndex((id, index) => id !== undefined && ids.indexOf(id) < index);
  return end === -1 ? commits : commits.slice(0, end);
}
