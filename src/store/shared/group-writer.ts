import type {CommitResult} from '../../core/domain/commits/commit.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import type {Plan, PlannedCommit} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {giveId, isDeletion, sizeOfCommit, sum, writtenBytesOf} from '../plan/prepare-commit.ts';
import {Attempt, type PlanningState} from './attempt.ts';
import {commitIdIn} from './engine/change-log.ts';
import {isEngineFailure} from './engine/driver.ts';
import {writtenHead} from './engine/head.ts';
import {joinParts} from './engine/stored-entry.ts';
import type {EngineState, StoreParts} from './engine-state.ts';
import type {Fairness} from './fairness.ts';
import {describeGroup} from './group-request.ts';

/** A commit as the writer gets it. */
export interface SharedCommit extends PlannedCommit {
  /** Time by `elapsedMs` when it arrived. */
  readonly arrivedMs: number;
  /** Time of an expiry that a reader has seen, in milliseconds since the Unix epoch: the clock of the head is to reach it. @default {none} */
  readonly seenExpiryMs?: number | undefined;
}

type Results = readonly (CommitResult | Error)[];

/** Time without any written group after which a commit that waits for its own is refused, in milliseconds. */
const WAIT_MS_MAX = 5000;

/**
 * A group ends before the commit by which it has more operations or checks, unless that is its first: a plan reads each key that they name, and one
 * request changes up to four keys for an operation.
 */
const GROUP_KEYS_MAX = 1000;

export interface GroupWriterDeps extends StoreParts {
  readonly state: EngineState;
  readonly fairness: Fairness;
}

/**
 * Writes groups of commits, one after the other. For each group it
 *
 * 1. reads the head and the entries that the commits name, and which of them were applied already;
 * 2. plans them;
 * 3. writes large values into parts;
 * 4. writes the result if the head is still that of the plan, and otherwise begins again;
 * 5. if no answer comes, sends the same request again until the outcome is known, or the time is over.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  /** Time by `elapsedMs` when the last group was written. */
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
  async write(commits: readonly SharedCommit[]): Promise<Results> {
    const startMs = this.#deps.elapsedMs();
    const isTimely = ({arrivedMs}: SharedCommit): boolean =>
      Math.max(arrivedMs, this.#wroteMs) >= startMs - WAIT_MS_MAX;
    const first = commits.findIndex(isTimely);
    if (first === 0) return this.#attempt(commits.slice(0, countFitting(commits)), startMs);
    const problem = 'the engine is too slow for the commits that wait';
    const late = first === -1 ? commits : commits.slice(0, first);
    return late.map(() => new AppError({code: 'unavailable', what: 'store', problem}));
  }

  async #attempt(commits: readonly SharedCommit[], startMs: number): Promise<Results> {
    const attempt = new Attempt(
      this.#deps,
      startMs,
      sum(commits, commit => sizeOfCommit(commit, () => 0)),
    );
    try {
      return await attempt.untilOver(this.#writeUntilWritten(commits, attempt));
    } catch (error) {
      if (attempt.isInDoubt) {
        const failureOf = (commitId: string): AppError =>
          new AppError({code: 'outcome-unknown', commitId}, {cause: error});
        return commits.map((commit, index) => failureOf(commit.id ?? giveId(commitIdIn(attempt.group, index), commit)));
      }
      if (isEngineFailure(error, 'full')) return this.#writeDeletions(commits, startMs, error.message);
      const isTooLarge =
        isEngineFailure(error, 'too-large') ||
        (error instanceof AppError && error.failure?.code === 'too-large' && error.failure.what === 'transaction');
      if (isTooLarge && commits.length > 1) return this.#attempt(commits.slice(0, commits.length / 2), startMs);
      if (!isEngineFailure(error)) throw error;
      const {kind, message: problem} = error;
      if (kind === 'denied') this.#readOnlyBecause = problem;
      const failure: Failure =
        kind === 'denied' ? {code: 'store-read-only', problem} : {code: 'unavailable', what: 'store', problem};
      return commits.map(() => new AppError(failure, {cause: error}));
    }
  }

  /** Continues in a full engine: refuses the first commits if they need space, and writes those that free some. */
  async #writeDeletions(commits: readonly SharedCommit[], startMs: number, problem: string): Promise<Results> {
    const frees = commits[0] !== undefined && isDeletion(commits[0]);
    const end = commits.findIndex(commit => isDeletion(commit) !== frees);
    if (frees && end !== -1) return this.#attempt(commits.slice(0, end), startMs);
    const refused = (end === -1 ? commits : commits.slice(0, end)).map(
      () => new AppError({code: 'disk-full', problem}),
    );
    return end === -1 ? refused : [...refused, ...(await this.#attempt(commits.slice(end), startMs))];
  }

  async #writeUntilWritten(commits: readonly SharedCommit[], attempt: Attempt): Promise<Results> {
    const {fairness, elapsedMs} = this.#deps;
    for (;;) {
      attempt.assertOpen();
      const startMs = elapsedMs();
      try {
        const planning = await attempt.readState(commits);
        fairness.sawWish(planning.wish, planning.base.at);
        const results = await this.#tryWrite(commits.slice(0, planning.count), planning, attempt);
        const isWon = results !== undefined;
        if (!isWon || this.#wroteMs >= startMs) await fairness.tried(elapsedMs() - startMs, isWon, planning.wish);
        if (isWon) return results;
      } catch (error) {
        // The state that it planned on is no longer in the engine; the present one is.
        if (!isEngineFailure(error, 'compacted') || attempt.isInDoubt) throw error;
      }
    }
  }

  /** @returns Undefined if another process has written meanwhile. */
  async #tryWrite(
    commits: readonly SharedCommit[],
    planning: PlanningState,
    attempt: Attempt,
  ): Promise<Results | undefined> {
    const {state, elapsedMs} = this.#deps;
    const {base, oldMarks} = planning;
    const plan = this.#plan(commits, planning);
    const {changes, stale, results} = plan;
    const seenMs = commits.reduce((max, {seenExpiryMs = 0}) => Math.max(max, seenExpiryMs), plan.seenExpiryMs);
    if (changes.length + stale.length + oldMarks.length === 0 && seenMs <= base.head.clockMs) return results;
    const {head, parts, write} = await describeGroup(planning, plan, {...this.#deps, attempt});
    await attempt.writeParts(parts, write.usesReserve);
    const {answer, isWritten} = await attempt.send(write, base);
    if (answer.kind === 'written') state.become(writtenHead(head, answer.version));
    else await state.learn(answer.answer, base);
    if (!isWritten) return undefined;
    this.#wroteMs = elapsedMs();
    this.#readOnlyBecause = undefined;
    this.#writtenBytes += writtenBytesOf(changes);
    return results;
  }

  #plan(commits: readonly PlannedCommit[], {base, entries, parts, applied}: PlanningState): Plan {
    const {clock, driver, nowMs} = this.#deps;
    return planGroup(commits, {
      storeId: base.head.id,
      revision: base.head.end.revision,
      nowMs: clock.now(),
      updatedAtMs: Math.floor(driver.boundTime(nowMs())),
      stateOf: key => entries.get(key)?.info,
      jsonOf: key => {
        const stored = entries.get(key);
        return stored && joinParts(stored, parts).json;
      },
      appliedOf: id => applied.get(id),
    });
  }
}

function countFitting(commits: readonly SharedCommit[]): number {
  let [operations, checks] = [0, 0];
  const end = commits.findIndex(commit => {
    operations += commit.operations.length;
    checks += commit.checks.length;
    return operations > GROUP_KEYS_MAX || checks > GROUP_KEYS_MAX;
  });
  return end === -1 ? commits.length : Math.max(1, end);
}
