import {wait} from '../../core/time/wait.ts';
import {ABSENT, isEngineFailure, type StoredPair} from './engine/driver.ts';
import {WISH_KEY} from './engine/engine-keys.ts';
import type {StoreParts} from './engine-state.ts';

/** Time after a write of another process for which this one leaves time for its next, in milliseconds. */
const SHARING_MS = 1000;

/**
 * Longest pause for others after a group, and for the wish of one, in milliseconds: a slow engine must not stop this process for longer, and
 * after a group that was written the commits that wait meanwhile are not refused.
 */
const PAUSE_MS_MAX = 300;
const WISHED_MS_MAX = 4000;

/** Number of times in a row that a process loses before it writes a wish. */
const LOSSES_MAX = 3;

/** Time that a wish asks for, in attempts of the process that has it: it may lose once more. */
const WISHED_ATTEMPTS = 4;

/** Number of writes of the engine after which a wish is forgotten: some seconds of those that it is for. */
const WISH_AGE_WRITES_MAX = 5000;

/**
 * Lets all processes write that try to at the same time. Only one of them can write the next group; the winner is the first to know the new
 * head, so it would win again and again. It pauses for half to one and a half attempts after each if it saw another's. A process that loses
 * nevertheless writes a wish, a time in milliseconds and its id: the others pause as for a head, and each that is quicker once for that time.
 */
export class Fairness {
  readonly #deps: StoreParts;
  /** Time by `elapsedMs` of the last write or wish of another process. */
  #otherMs = -Infinity;
  /** Typical time of an attempt, which is two round trips and the commit of the engine, in milliseconds. */
  #attemptMs: number | undefined;
  #losses = 0;
  /** Length of the pause for a wish that is still due, in milliseconds. */
  #wishedMs = 0;
  /** Version of the last wish that it saw. The first may be of any age: a quiet store has no writes that age it. */
  #seen: number | undefined;
  readonly #ended = new AbortController();

  constructor(deps: StoreParts) {
    this.#deps = deps;
  }

  /** Learns of a write or wish of any process. */
  saw(writer: string): void {
    if (writer !== this.#deps.writer) this.#otherMs = this.#deps.elapsedMs();
  }

  /**
   * Learns how long an attempt of this process took, and whether it has written, or another first. Writes a wish, in the place of the present
   * one, if it loses again and again.
   */
  async tried(attemptMs: number, isWon: boolean, present: StoredPair | undefined): Promise<void> {
    this.#attemptMs ??= attemptMs;
    this.#attemptMs += (attemptMs - this.#attemptMs) / 8;
    this.#losses = isWon ? 0 : this.#losses + 1;
    if (isWon || this.#losses % LOSSES_MAX !== 0) return;
    const value = Buffer.from(`${Math.ceil(WISHED_ATTEMPTS * attemptMs)} ${this.#deps.writer}`);
    const guard = {key: WISH_KEY, version: present?.version ?? ABSENT, value, usesReserve: true};
    try {
      await this.#deps.driver.compareAndWrite({...guard, puts: [], removes: [], removedRanges: []});
    } catch (error) {
      // The next attempt finds out what is wrong.
      if (!isEngineFailure(error)) throw error;
    }
  }

  /**
   * Learns the present wish. If it is of a slower process, the next pause is for that: among equals each would stop all others.
   *
   * @param at Number of the last write of the engine.
   */
  sawWish(wish: StoredPair | undefined, at: number): void {
    const version = wish?.version ?? ABSENT;
    const isSeen = this.#seen === undefined || this.#seen === version;
    this.#seen = version;
    if (wish === undefined || isSeen || at - version > WISH_AGE_WRITES_MAX) return;
    const [duration, writer = ''] = wish.value.toString().split(' ');
    const attemptMs = this.#attemptMs ?? 0;
    this.saw(writer);
    // By a difference: all wait for the same commit in the engine, which may take much longer than their links.
    const isSlower = Number(duration) / WISHED_ATTEMPTS > attemptMs + Math.min(PAUSE_MS_MAX / 2, attemptMs);
    if (writer !== this.#deps.writer && isSlower) this.#wishedMs = Math.min(WISHED_MS_MAX, Number(duration));
  }

  /** Pauses after a group of this process, for the writes of others. */
  async pause(): Promise<void> {
    const {elapsedMs, random, timers} = this.#deps;
    const sharedMs = elapsedMs() - this.#otherMs > SHARING_MS ? 0 : (0.5 + random()) * (this.#attemptMs ?? 0);
    const pauseMs = Math.max(this.#wishedMs, Math.min(PAUSE_MS_MAX, sharedMs));
    this.#wishedMs = 0;
    if (pauseMs > 0) await wait(pauseMs, {timers, signals: [this.#ended.signal]});
  }

  /** Ends all pauses. */
  end(): void {
    this.#ended.abort();
  }
}
