import {setImmediate} from 'node:timers/promises';
import {AppError} from '../../domain/app-error.ts';
import type {CommitResult} from '../../domain/commit.ts';
import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import {runInTicks} from '../../domain/steps.ts';
import type {Timers} from '../../domain/timers.ts';
import {writtenBytesOf} from '../plan/commit-size.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {isDeletion, type PreparedCommit, type PreparedPlan} from '../plan/prepared-commit.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import {commitIdIn, type ResultReader} from './engine/commit-ids.ts';
import {type Driver, EngineFailure, isEngineFailure} from './engine/driver.ts';
import {HEAD_KEY} from './engine/engine-keys.ts';
import {encodeHead, type KnownHead} from './engine/head.ts';
import type {LogLimits} from './engine/log-limits.ts';
import {fitsRequest, NO_WRITES, writeStage} from './engine/staging.ts';
import {findTrim} from './engine/trimming.ts';
import {describeGroup, type GroupRequest} from './group-request.ts';
import {type SentResult, sendGroup} from './group-sender.ts';
import type {Replica} from './replica.ts';
import {Turns} from './turns.ts';
import type {ValueReader} from './value-reader.ts';

/** A commit with the id that its caller gave it. */
export interface SharedCommit extends PreparedCommit {
  readonly id?: string | undefined;
}

/** Dependencies of {@link GroupWriter}. */
export interface GroupWriterDeps {
  readonly driver: Driver;
  readonly replica: Replica;
  readonly values: ValueReader;
  readonly results: ResultReader;
  readonly clock: StoreClock;
  readonly logLimits: LogLimits;
  readonly timers: Timers;
  /** The clock of the machine, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns a new id: 24 hexadecimal digits. */
  readonly createId: () => string;
  /** Id of this process among those that write. */
  readonly writer: string;
  /** Time for one group, in milliseconds. A commit waits for at most one other group, so it ends within twice this time. */
  readonly groupTimeoutMs: number;
}

/** A result for each commit of a group, or the reason why it did not happen. */
type GroupResults = readonly (CommitResult | Error)[];

/** A plan, and the head that it is based on. */
interface BasedPlan {
  readonly base: KnownHead;
  readonly plan: PreparedPlan;
}

/**
 * Writes groups of commits, one after the other:
 *
 * 1. finds commits that were applied already, by their ids;
 * 2. plans the others on the known state;
 * 3. writes the result if the head is still that of the plan; otherwise learns the new state, and continues with 1;
 * 4. if no answer comes, sends the same request again until the outcome is known, or the time is over.
 */
export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  readonly #turns: Turns;
  /** True if the last write failed: then the head is read before anything is written, so that nothing is in doubt without need. */
  #isDoubtful = false;
  #readOnlyBecause: string | undefined;
  #writtenBytes = 0;

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps;
    this.#turns = new Turns(deps);
  }

  /** The reason why the engine refuses all writes; undefined if it does not. */
  get readOnlyBecause(): string | undefined {
    return this.#readOnlyBecause;
  }

  /** Bytes of all values that were written. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Writes a group. Never throws a failure of the engine. */
  async write(commits: readonly SharedCommit[]): Promise<GroupResults> {
    const group = this.#deps.createId();
    const deadlineMs = this.#deps.elapsedMs() + this.#deps.groupTimeoutMs;
    try {
      return await this.#writeUntil(commits, {group, deadlineMs});
    } catch (error) {
      if (isEngineFailure(error, 'full'))
        return this.#writeDeletions(commits, {group: this.#deps.createId(), deadlineMs});
      if (!isEngineFailure(error, 'unknown', 'unavailable', 'denied')) throw error;
      this.#isDoubtful = true;
      return commits.map(({id}, index) => this.#failureOf(error, id ?? commitIdIn(group, index)));
    }
  }

  /**
   * Writes the time into the head, so that the clock of the store does not go back when it is opened again. Tries it once, and ignores
   * failures.
   */
  async writeTime(): Promise<void> {
    const {driver, replica, clock} = this.#deps;
    const {head, version} = replica.known;
    const clockMs = clock.now();
    if (clockMs <= head.clockMs || this.#isDoubtful) return;
    const write = {key: HEAD_KEY, version, value: encodeHead({...head, clockMs}), ...NO_WRITES};
    await driver.compareAndWrite(write).catch(error => {
      if (!isEngineFailure(error)) throw error;
    });
  }

  async #writeDeletions(commits: readonly SharedCommit[], attempt: Attempt): Promise<GroupResults> {
    const full = new AppError({code: 'disk-full'});
    const deletions = commits.filter(isDeletion);
    if (deletions.length === 0) return commits.map(() => full);
    const results = await this.#writeUntil(deletions, attempt).catch(error => {
      if (!isEngineFailure(error)) throw error;
      return deletions.map(() => full);
    });
    const rest = [...results];
    return commits.map(commit => (isDeletion(commit) && rest.shift()) || full);
  }

  #failureOf(error: EngineFailure, commitId: string): AppError {
    const {message: problem} = error;
    if (error.kind === 'unknown') return new AppError({code: 'outcome-unknown', commitId}, {cause: error});
    if (error.kind === 'unavailable') return new AppError({code: 'store-unavailable', problem}, {cause: error});
    this.#readOnlyBecause = problem;
    return new AppError({code: 'store-read-only', problem}, {cause: error});
  }

  async #writeUntil(commits: readonly SharedCommit[], attempt: Attempt): Promise<GroupResults> {
    if (this.#isDoubtful) await this.#deps.replica.refresh();
    this.#isDoubtful = false;
    for (;;) {
      const results = await this.#tryWrite(commits, attempt);
      if (results !== undefined) return results;
      await this.#turns.lost();
    }
  }

  /** @returns Undefined if another process has written meanwhile. */
  async #tryWrite(commits: readonly SharedCommit[], attempt: Attempt): Promise<GroupResults | undefined> {
    const {replica, results: reader} = this.#deps;
    const base = replica.known;
    const ids = commits.map(({id}) => id);
    const applied = await reader.find(ids, base.head.end.revision, base.version);
    const others = commits.filter((_, index) => applied[index] === undefined);
    const plan = await this.#plan(others, base);
    const isChange = plan.changes.length > 0 || plan.stale.length > 0;
    const isTick = !isChange && plan.seenExpiryMs > base.head.clockMs;
    if (isChange || isTick) {
      const named = others.map(({id}) => id);
      if (!(await this.#send({base, plan}, named, attempt))) return undefined;
    } else {
      await replica.refresh();
      // Checks may have failed that hold now.
      if (replica.known.version !== base.version) return undefined;
    }
    const rest = [...plan.results];
    return applied.map(result => result ?? rest.shift() ?? new Error('a commit has no result'));
  }

  async #plan(commits: readonly SharedCommit[], {head, version}: KnownHead): Promise<PreparedPlan> {
    const {replica, clock, nowMs} = this.#deps;
    const found = await this.#readPatched(commits, version);
    const steps = planGroup(commits, {
      storeId: head.id,
      revision: head.end.revision,
      nowMs: clock.now(),
      updatedAtMs: Math.floor(nowMs()),
      stateOf: key => replica.index.get(key),
      jsonOf: key => {
        const json = found.get(key);
        if (json instanceof Error) throw json;
        return json;
      },
    });
    return runInTicks(steps, setImmediate);
  }

  /** Reads the values that patches and touches need. */
  async #readPatched(
    commits: readonly SharedCommit[],
    version: number,
  ): Promise<ReadonlyMap<Key, JsonText | AppError>> {
    const found = new Map<Key, JsonText | AppError>();
    const reading = commits.flatMap(({operations}) =>
      operations.map(async ({kind, key}) => {
        const info = kind === 'patch' || kind === 'touch' ? this.#deps.replica.index.get(key) : undefined;
        if (info === undefined) return;
        found.set(key, await this.#deps.values.read(info, version).then(({json}) => json, asAppError));
      }),
    );
    await Promise.all(reading);
    return found;
  }

  /** @returns Whether it was written. */
  async #send(based: BasedPlan, ids: readonly (string | undefined)[], attempt: Attempt): Promise<boolean> {
    const {driver, elapsedMs, logLimits} = this.#deps;
    const startMs = elapsedMs();
    const trimmed = await findTrim(driver, based.base, logLimits);
    const request = describeGroup(based, {...this.#deps, ids, group: attempt.group, trimmed});
    const head = await this.#stageLarge(request, based.base, attempt);
    const written = await sendGroup(
      {
        id: attempt.group,
        after: based.base.head.end.revision,
        deadlineMs: attempt.deadlineMs,
        write: {
          key: HEAD_KEY,
          version: based.base.version,
          value: encodeHead(head),
          ...(head.staged === undefined ? request.writes : NO_WRITES),
        },
      },
      this.#deps,
    );
    await this.#learn(written, {head, log: request.log});
    if (written.kind === 'conflict') return false;
    this.#readOnlyBecause = undefined;
    this.#writtenBytes += writtenBytesOf(based.plan.changes);
    await this.#turns.won(elapsedMs() - startMs);
    return true;
  }

  /** Makes the replica as new as a group that was sent. */
  async #learn(sent: SentResult, {head, log}: Omit<GroupRequest, 'writes'>): Promise<void> {
    const {replica} = this.#deps;
    if (sent.kind === 'conflict') return replica.adopt(sent.found);
    if (sent.kind === 'written' && head.staged === undefined) return replica.apply({head, version: sent.version}, log);
    try {
      if (sent.kind === 'written') await replica.refresh();
      else await replica.adopt(sent.found);
    } catch (error) {
      if (!isEngineFailure(error)) throw error;
      // It is committed; but no call may return a revision that this process does not know.
      throw new EngineFailure('unknown', error.message, {cause: error});
    }
  }

  /** Writes a group that is too large for one request beside the entries. @returns The head that commits it. */
  async #stageLarge({head, writes}: GroupRequest, base: KnownHead, {group}: Attempt): Promise<KnownHead['head']> {
    if (fitsRequest(writes)) return head;
    // Another id for each version: a part of an earlier attempt would be of another plan.
    const id = `${group}-${base.version}`;
    return {...head, staged: {id, parts: await writeStage(this.#deps.driver, id, writes), done: 0}};
  }
}

/** One attempt to write a group. */
interface Attempt {
  readonly group: string;
  /** Time by `elapsedMs` when to give up. */
  readonly deadlineMs: number;
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
