import type {Commit} from '../../core/domain/commits/commit.ts';
import type {Key} from '../../core/domain/entries/identifiers.ts';
import type {JsonText} from '../../core/json/json-text.ts';
import {Backoff} from '../../core/time/backoff.ts';
import {wait, within} from '../../core/time/wait.ts';
import type {AppliedCommit} from '../format/change-encoding.ts';
import {splitBySize} from '../format/split-by-size.ts';
import type {PlannedCommit, StoreOperation} from '../plan/plan.ts';
import {sum} from '../plan/prepare-commit.ts';
import {findApplied, hasGroup} from './engine/change-log.ts';
import {
  ABSENT,
  EngineFailure,
  type GuardedWrite,
  isEngineFailure,
  type StoredPair,
  type WriteAnswer,
} from './engine/driver.ts';
import {entryKey, HEAD_KEY, numbersBetween, STAGED_VALUE, stagedKey, WISH_KEY} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {readPairs} from './engine/range-pages.ts';
import {decodeState, PART_BYTES_MAX, type Parts, readParts, type StoredEntry} from './engine/stored-entry.ts';
import type {EngineState, StoreParts} from './engine-state.ts';

/** Pause before the first repetition of a request, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 20;
const PAUSE_MS_MAX = 500;

/** Bytes that the slowest supported link carries in a millisecond: 2 Mbit/s. Large groups have the time for that in addition. */
const LINK_BYTES_PER_MS = 256;

/** The state on which a group is planned. */
export interface PlanningState {
  readonly base: KnownHead;
  /** The commits that can be planned: the first ones, whose values to be patched are some hundred KiB. */
  readonly count: number;
  /** The entries that checks and operations name, without values in parts; undefined for keys without one. */
  readonly entries: ReadonlyMap<Key, StoredEntry | undefined>;
  /** The parts of the values that patches and touches change. */
  readonly parts: ReadonlyMap<string, Buffer>;
  /** The commits that were applied already, by their bound ids. */
  readonly applied: ReadonlyMap<string, AppliedCommit>;
  /** The present wish. */
  readonly wish: StoredPair | undefined;
  /** Old marks: no request for their groups is still in flight, and no head will name parts that none has named yet. */
  readonly oldMarks: readonly StoredPair[];
}

/** Number of entries in the first request, with the head; each may have a small value. */
const FIRST_KEYS_MAX = 250;

/** Time after which the parts of a group that no head has named are removed, in milliseconds: no attempt takes nearly as long. */
export const ABANDONED_MS = 600_000;

/** Maximum number of old marks that are removed with one write. */
const OLD_MARKS_MAX = 100;

type AttemptDeps = Pick<StoreParts, 'driver' | 'timers' | 'elapsedMs' | 'clock' | 'createId' | 'groupTimeoutMs'> & {
  readonly state: EngineState;
};

/**
 * One attempt to write a group, which ends in time: after that nothing is sent for it any more, and its callers are answered, also
 * while a call to the engine is still running.
 */
export class Attempt {
  /** Id of the group. */
  readonly group: string;
  /** Key of the mark of its parts in the engine: if no head names them some minutes after its time, none ever will. */
  readonly mark: string;
  /** True while a request may have been applied whose answer is not known. */
  isInDoubt = false;
  /** Keys of the parts that are written. */
  readonly written = new Set<string>();
  #markVersion = ABSENT;
  readonly #parts = new Map<JsonText, Parts>();
  #partCount = 0;
  readonly #deps: AttemptDeps;
  /** The last failure of the engine, for the message. */
  #problem = 'the engine does not answer in time';
  /** Time by `elapsedMs` at which it ends, without that for the values that are patched. */
  readonly #endMs: number;
  /** Size of the values that the largest plan has patched, in bytes. */
  #patchedBytes = 0;

  /**
   * @param startMs Time by `elapsedMs` at which it began.
   * @param bytes Size of its commits.
   */
  constructor(deps: AttemptDeps, startMs: number, bytes: number) {
    this.#deps = deps;
    this.group = deps.createId();
    this.mark = stagedKey(this.group, deps.clock.now());
    this.#endMs = startMs + deps.groupTimeoutMs + bytes / LINK_BYTES_PER_MS;
  }

  /** @throws {EngineFailure} `unavailable` if the time is over. */
  assertOpen(): void {
    if (this.#leftMs <= 0) throw new EngineFailure('unavailable', this.#problem);
  }

  /** Resolves as the work does. @throws {EngineFailure} `unavailable` once the time is over. */
  async untilOver<T>(work: Promise<T>): Promise<T> {
    const working = work.then(value => ({value}));
    for (;;) {
      const done = await within(working, this.#leftMs, this.#deps.timers);
      if (done !== undefined) return done.value;
      this.assertOpen();
    }
  }

  /** Time until it ends, in milliseconds. Patched values are read, and then written again; several plans do not make it endless. */
  get #leftMs(): number {
    return this.#endMs + (2 * this.#patchedBytes) / LINK_BYTES_PER_MS - this.#deps.elapsedMs();
  }

  /**
   * Reads the state on which commits are planned: the head, and the entries that they name, as they were at that moment.
   *
   * @throws {EngineFailure} Also `unavailable` if the parts were removed meanwhile.
   */
  async readState(commits: readonly PlannedCommit[]): Promise<PlanningState> {
    const {driver, state, clock} = this.#deps;
    const keys = [
      ...new Set(commits.flatMap(({checks, operations}) => [...checks, ...operations].map(each => each.key))),
    ];
    const sized = keys.map(key => ({from: entryKey(key), bytes: 0}));
    const old = {...numbersBetween('s', 0, clock.now() - ABANDONED_MS + 1), limit: OLD_MARKS_MAX};
    const first = [{from: WISH_KEY}, {from: this.mark}, old, ...sized.slice(0, FIRST_KEYS_MAX)];
    const {found, head: base} = await state.read(first);
    const [[wish] = [], [mark] = [], oldMarks = [], ...pairs] = found;
    this.#assertMarked(mark?.version === this.#markVersion);
    const all = [...pairs.map(([pair]) => pair), ...(await readPairs(driver, sized.slice(FIRST_KEYS_MAX), base.at))];
    const stored = all.map((pair, index) => pair && decodeState(keys[index] as Key, pair.value));
    const entries = new Map(keys.map((key, index) => [key, stored[index]]));
    const patched = ({operations}: Commit<StoreOperation>): readonly StoredEntry[] =>
      operations.flatMap(({kind, key}) => (kind === 'patch' || kind === 'touch' ? (entries.get(key) ?? []) : []));
    const sizeOf = (changed: readonly StoredEntry[]): number => sum(changed, ({info}) => info.sizeBytes);
    const patchedBytes = (commit: PlannedCommit): number => sizeOf(patched(commit));
    const [planned = []] = splitBySize(commits, {sizeOf: patchedBytes, sizeMax: PART_BYTES_MAX});
    const changed = [...new Set(planned.flatMap(patched))];
    this.assertOpen();
    this.#patchedBytes = Math.max(this.#patchedBytes, sizeOf(changed));
    const parts = await readParts(driver, changed, base.at);
    const ids = planned.flatMap(({bound}) => bound ?? []);
    return {base, count: planned.length, entries, parts, applied: await findApplied(driver, ids, base), wish, oldMarks};
  }

  /** Returns the parts for a value: the same for each plan. */
  partsOf(json: JsonText): Parts {
    const parts = this.#parts.get(json) ?? {group: this.group, first: this.#partCount, sizeBytes: json.length};
    if (!this.#parts.has(json)) this.#partCount += Math.ceil(json.length / PART_BYTES_MAX);
    this.#parts.set(json, parts);
    return parts;
  }

  /**
   * Writes parts, which have no effect until a head names them, with some 512 KiB in each request. Each request compares the mark and writes
   * it, so that a copy of it which arrives late does nothing.
   *
   * @throws {EngineFailure} Also `unavailable` if the parts were removed meanwhile.
   */
  async writeParts(parts: readonly (readonly [key: string, value: Uint8Array])[], usesReserve = false): Promise<void> {
    const mark = {key: this.mark, value: STAGED_VALUE, removes: [], removedRanges: [], usesReserve};
    for (const puts of splitBySize(parts, {sizeOf: ([, value]) => value.length, sizeMax: PART_BYTES_MAX})) {
      const {answer} = await this.#repeat({...mark, version: this.#markVersion, puts});
      for (const [written] of puts) this.written.add(written);
      // After a conflict: no other process writes the mark, so an earlier request was applied, although it was not answered.
      const version = answer.kind === 'written' ? answer.version : (answer.answer.found[0]?.[0]?.version ?? ABSENT);
      this.#assertMarked(version > this.#markVersion);
      this.#markVersion = version;
    }
  }

  /**
   * Sends the write that commits a group until its outcome is known, or the time is over. The same request can be sent any number of
   * times: it compares the head, which the first one that is applied replaces.
   *
   * @returns Whether it was written, perhaps with others after it. Otherwise it never will be, since the head is another.
   * @throws {EngineFailure}
   */
  async send(
    write: GuardedWrite,
    base: KnownHead,
  ): Promise<{readonly answer: WriteAnswer; readonly isWritten: boolean}> {
    // An engine that was restored from a backup may have the same head, and not the parts.
    const also = this.written.size > 0 ? {key: this.mark, version: this.#markVersion} : undefined;
    const {answer, wasLost} = await this.#repeat({...write, also});
    if (answer.kind === 'written') return {answer, isWritten: true};
    const isWritten = wasLost && (await hasGroup(this.#deps.driver, this.group, base.head));
    this.isInDoubt = isWritten;
    return {answer, isWritten};
  }

  #assertMarked(isMarked: boolean): void {
    if (this.written.size > 0 && !isMarked)
      throw new EngineFailure('unavailable', 'the parts of a value were removed, since writing them took too long');
  }

  /** Sends a write until it is answered. @returns Also whether an answer was lost. */
  async #repeat(write: GuardedWrite): Promise<{readonly answer: WriteAnswer; readonly wasLost: boolean}> {
    const {driver, timers} = this.#deps;
    const backoff = new Backoff({firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MS_MAX});
    for (let wasLost = false; ; await wait(backoff.next(), {timers, signals: []})) {
      this.assertOpen();
      this.isInDoubt = write.key === HEAD_KEY;
      try {
        return {answer: await driver.compareAndWrite(write), wasLost};
      } catch (error) {
        wasLost ||= isEngineFailure(error, 'unknown');
        this.isInDoubt &&= wasLost;
        if (!isEngineFailure(error, 'unknown', 'unavailable')) throw error;
        this.#problem = error.message;
      }
    }
  }
}
