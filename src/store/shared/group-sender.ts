import type {JsonText} from '../../json/json-text.ts';
import {Backoff} from '../../time/backoff.ts';
import {untilAborted} from '../../time/until-aborted.ts';
import {wait} from '../../time/wait.ts';
import {
  ABSENT,
  type EngineAnswer,
  EngineFailure,
  type GuardedWrite,
  isEngineFailure,
  type WriteAnswer,
} from './engine/driver.ts';
import {HEAD_KEY, STAGED_VALUE, stagedKey} from './engine/engine-keys.ts';
import {headIn, type KnownHead} from './engine/head.ts';
import {splitBySize} from './engine/range-pages.ts';
import {hasGroup} from './engine/results.ts';
import {PART_BYTES_MAX, type Parts} from './engine/stored-entry.ts';
import type {StoreParts} from './store-parts.ts';

/** Pause before the first repetition of a request, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 20;
const PAUSE_MS_MAX = 500;

/** Problem of an attempt whose mark was removed. */
export const PARTS_REMOVED = 'the parts of a value were removed, since writing them took too long';

type SenderDeps = Pick<StoreParts, 'driver' | 'timers' | 'elapsedMs'>;

/**
 * One attempt to write a group, which ends in time: after that nothing is sent for it any more, and its callers are answered, also
 * while a call to the engine is still running.
 */
export class Attempt {
  /** Id of the group. */
  readonly group: string;
  /** Key of the mark of its parts in the engine: if no head has named them some minutes after its time, none ever will. */
  readonly mark: string;
  /** True while a request may have been applied whose answer is not known. */
  isInDoubt = false;
  /** The last failure of the engine, for the message. */
  problem = 'the engine does not answer in time';
  /** Number of plans so far. */
  plans = 0;
  /** Keys of the parts that are written. */
  readonly written = new Set<string>();
  #markVersion = ABSENT;
  readonly #parts = new Map<JsonText, Parts>();
  #partCount = 0;
  readonly #deps: SenderDeps;
  readonly #over = new AbortController();
  /** Time by `elapsedMs` at which it ends, and how much of it was added by {@link extend}. */
  #endMs = 0;
  #extendedMs = 0;
  #cancelEnd = (): void => {};

  /** @param nowMs Time by the clock of the store. */
  constructor(group: string, nowMs: number, deps: SenderDeps) {
    this.group = group;
    this.mark = stagedKey(group, nowMs);
    this.#deps = deps;
  }

  /** @throws {EngineFailure} `unavailable` if the time is over. */
  assertOpen(): void {
    this.#over.signal.throwIfAborted();
  }

  /** Returns the parts for a value: the same for each plan. */
  partsOf(json: JsonText): Parts {
    const parts = this.#parts.get(json) ?? {group: this.group, first: this.#partCount, sizeBytes: json.length};
    if (!this.#parts.has(json)) this.#partCount += Math.ceil(json.length / PART_BYTES_MAX);
    this.#parts.set(json, parts);
    return parts;
  }

  /** Resolves as the work does. @throws {EngineFailure} `unavailable` after a time in milliseconds, which {@link extend} makes longer. */
  async within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    this.#endAfter(timeoutMs);
    try {
      return await untilAborted(work(), this.#over.signal);
    } finally {
      this.#cancelEnd();
    }
  }

  /** Extends it by a time in milliseconds, or by what that is longer than the last such time: several plans do not make it endless. */
  extend(byMs: number): void {
    if (byMs <= this.#extendedMs || this.#over.signal.aborted) return;
    const moreMs = byMs - this.#extendedMs;
    this.#extendedMs = byMs;
    this.#cancelEnd();
    this.#endAfter(this.#endMs - this.#deps.elapsedMs() + moreMs);
  }

  #endAfter(delayMs: number): void {
    const {timers, elapsedMs} = this.#deps;
    this.#endMs = elapsedMs() + delayMs;
    const end = (): void => this.#over.abort(new EngineFailure('unavailable', this.problem));
    this.#cancelEnd = timers.after(Math.max(0, delayMs), end);
  }

  /**
   * Writes parts, which have no effect until a head names them, with some 512 KiB in each request. Each request compares the mark and writes
   * it, so that a copy of it which arrives late does nothing.
   *
   * @throws {EngineFailure} Also `unavailable` if the parts were removed meanwhile.
   */
  async writeParts(parts: readonly (readonly [key: string, value: Uint8Array])[], usesReserve = false): Promise<void> {
    const mark = {key: this.mark, value: STAGED_VALUE, removes: [], removedRanges: [], usesReserve};
    for (const puts of splitBySize(parts, ([, value]) => value.length, PART_BYTES_MAX)) {
      const {answer} = await this.#repeat({...mark, version: this.#markVersion, puts});
      // After a conflict: no other process writes the mark, so an earlier request was applied, although it was not answered.
      const version = answer.kind === 'written' ? answer.version : (answer.answer.found[0]?.[0]?.version ?? ABSENT);
      if (version <= this.#markVersion) throw new EngineFailure('unavailable', PARTS_REMOVED);
      this.#markVersion = version;
      for (const [written] of puts) this.written.add(written);
    }
  }

  /**
   * Sends the write that commits a group until its outcome is known, or the time is over. The same request can be sent any number of
   * times: it compares the head, which the first one that is applied replaces.
   *
   * @returns `overtaken`: it was written, and others after it. `conflict`: it was not written and never will be, since the head is another.
   * @throws {EngineFailure}
   */
  async send(write: GuardedWrite, base: KnownHead): Promise<SentResult> {
    const {answer, wasLost} = await this.#repeat(write);
    if (answer.kind === 'written') return answer;
    const found = answer.answer.found[0]?.[0];
    const isWritten =
      wasLost &&
      (found?.value.equals(write.value as Buffer) ||
        headIn(answer.answer)?.head.group === this.group ||
        (await hasGroup(this.#deps.driver, this.group, base.head)));
    this.isInDoubt = isWritten;
    return {kind: isWritten ? 'overtaken' : 'conflict', answer: answer.answer};
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
        this.problem = error.message;
      }
    }
  }
}

/** Result of {@link Attempt.send}. */
export type SentResult =
  | {readonly kind: 'written'; readonly version: number}
  | {readonly kind: 'overtaken' | 'conflict'; readonly answer: EngineAnswer};
