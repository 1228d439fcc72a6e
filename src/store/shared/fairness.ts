import type {Timers} from '../../time/timers.ts';
import {wait} from '../../time/wait.ts';
import {ABSENT, type Driver, isEngineFailure, type StoredPair} from './engine/driver.ts';
import {WISH_KEY} from './engine/engine-keys.ts';

/** Time after a write of another process for which this one leaves time for its next, in milliseconds. */
const SHARING_MS = 1000;

/** Longest pause for others, in milliseconds: a slow engine must not stop this process for longer. */
const PAUSE_MS_MAX = 300;

/** Number of times in a row that a process loses before it writes a wish. */
const LOSSES_MAX = 3;

/** Time that a wish asks for, in writes of the process that has it: it reads, plans and writes, and may lose once more. */
const WISHED_WRITES = 4;

/** Longest time that a wish is honoured for, and time after which it is forgotten, in milliseconds. */
const WISHED_MS_MAX = 2000;
const WISH_AGE_MS_MAX = 5000;

/** The wish of a process that always loses: the others pause once. */
interface Wish {
  readonly writer: string;
  readonly pauseMs: number;
  /** Time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

export interface FairnessDeps {
  readonly driver: Driver;
  readonly timers: Timers;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Id of this process among those that write. */
  readonly writer: string;
}

/**
 * Lets all processes write that try to at the same time. Only one of them can write the next group; the winner is the first to know the new
 * head, so it would win again and again. It pauses for one to three of its own writes after each if it saw another's. That is not enough
 * for a process behind a slow link: it writes a wish, and each of the others pauses once, for as long as it needs.
 */
export class Fairness {
  readonly #deps: FairnessDeps;
  /** Time by `elapsedMs` of the last write of another process. */
  #otherMs = -Infinity;
  /** Typical time of a write, in milliseconds. */
  #writeMs = 1;
  #losses = 0;
  /** Version of the wish that was honoured last. */
  #honoured = ABSENT;

  constructor(deps: FairnessDeps) {
    this.#deps = deps;
  }

  /** Learns of a write of any process. */
  saw(writer: string): void {
    if (writer !== this.#deps.writer) this.#otherMs = this.#deps.elapsedMs();
  }

  /** Learns that this process has written. */
  won(durationMs: number): void {
    this.#losses = 0;
    this.#writeMs += (durationMs - this.#writeMs) / 8;
  }

  /** Pauses after a write of this process, for the writes of others. */
  async pause(): Promise<void> {
    const {elapsedMs, random} = this.#deps;
    if (elapsedMs() - this.#otherMs > SHARING_MS) return;
    await this.#wait(Math.min(PAUSE_MS_MAX, (1 + 2 * random()) * this.#writeMs));
  }

  /** Learns that another process has written first. Writes a wish if that happens again and again. */
  async lost(
    attemptMs: number,
    {found, nowMs}: {readonly found: StoredPair | undefined; readonly nowMs: number},
  ): Promise<void> {
    this.#losses++;
    if (this.#losses % LOSSES_MAX !== 0) return;
    const {driver, writer} = this.#deps;
    const wish: Wish = {writer, pauseMs: Math.ceil(WISHED_WRITES * attemptMs), atMs: nowMs};
    const guard = {key: WISH_KEY, version: found?.version ?? ABSENT, value: Buffer.from(JSON.stringify(wish))};
    try {
      await driver.compareAndWrite({...guard, puts: [], removes: [], removedRanges: [], usesReserve: true});
    } catch (error) {
      // The next attempt finds out what is wrong.
      if (!isEngineFailure(error)) throw error;
    }
  }

  /** Pauses once for the wish of another process. @returns Whether it did. */
  async honour(found: StoredPair | undefined, nowMs: number): Promise<boolean> {
    const wish = found === undefined || found.version === this.#honoured ? undefined : parseWish(found.value);
    this.#honoured = found?.version ?? ABSENT;
    if (wish === undefined || wish.writer === this.#deps.writer || nowMs - wish.atMs > WISH_AGE_MS_MAX) return false;
    await this.#wait(Math.min(WISHED_MS_MAX, wish.pauseMs));
    return true;
  }

  #wait(delayMs: number): Promise<void> {
    return wait(delayMs, {timers: this.#deps.timers, signals: []});
  }
}

function parseWish(value: Buffer): Wish | undefined {
  try {
    const wish = JSON.parse(value.toString()) as Wish;
    return [wish.pauseMs, wish.atMs].every(Number.isFinite) ? wish : undefined;
  } catch {
    return undefined;
  }
}
