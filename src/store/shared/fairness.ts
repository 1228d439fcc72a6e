import {wait} from '../../time/wait.ts';
import {ABSENT, isEngineFailure, type StoredPair} from './engine/driver.ts';
import {WISH_KEY} from './engine/engine-keys.ts';
import type {StoreParts} from './store-parts.ts';

/** Time after a write of another process for which this one leaves time for its next, in milliseconds. */
const SHARING_MS = 1000;

/** Longest pause for others, in milliseconds: a slow engine must not stop this process for longer. */
const PAUSE_MS_MAX = 300;

/** Number of times in a row that a process loses before it writes a wish. */
const LOSSES_MAX = 3;

/** Time that a wish asks for, in attempts of the process that has it: it may lose once more. */
const WISHED_ATTEMPTS = 4;

/** Longest time that a wish is honoured for, and time after which it is forgotten, in milliseconds. */
const WISHED_MS_MAX = 2000;
const WISH_AGE_MS_MAX = 5000;

/**
 * Lets all processes write that try to at the same time. Only one of them can write the next group; the winner is the first to know the new
 * head, so it would win again and again. It pauses for one to three of its own writes after each if it saw another's. That is not enough
 * for a process behind a slow link: it writes a wish, and each of the others pauses once, for as long as it needs.
 */
export class Fairness {
  readonly #deps: StoreParts;
  /** Time by `elapsedMs` of the last write of another process. */
  #otherMs = -Infinity;
  /** Typical time of a write, in milliseconds. */
  #writeMs = 1;
  #losses = 0;
  /** Version of the wish that was honoured last. */
  #honoured = ABSENT;

  constructor(deps: StoreParts) {
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
    if (elapsedMs() - this.#otherMs <= SHARING_MS)
      await this.#wait(Math.min(PAUSE_MS_MAX, (1 + 2 * random()) * this.#writeMs));
  }

  /** Learns that another process has written first. Writes a wish, in the place of the present one, if that happens again and again. */
  async lost(attemptMs: number, present: StoredPair | undefined, nowMs: number): Promise<void> {
    this.#losses++;
    if (this.#losses % LOSSES_MAX !== 0) return;
    const {driver, writer} = this.#deps;
    const value = Buffer.from(JSON.stringify({writer, pauseMs: Math.ceil(WISHED_ATTEMPTS * attemptMs), atMs: nowMs}));
    const nothing = {puts: [], removes: [], removedRanges: []};
    const wish = {key: WISH_KEY, version: present?.version ?? ABSENT, value, ...nothing, usesReserve: true};
    await driver.compareAndWrite(wish).catch(error => {
      // The next attempt finds out what is wrong.
      if (!isEngineFailure(error)) throw error;
    });
  }

  /** Pauses once for the wish of another process. @returns Whether it did. */
  async honour(found: StoredPair | undefined, nowMs: number): Promise<boolean> {
    if (found === undefined || found.version === this.#honoured) return false;
    this.#honoured = found.version;
    const {writer, pauseMs, atMs} = parseWish(found.value);
    if (writer === this.#deps.writer || !(nowMs - atMs <= WISH_AGE_MS_MAX) || !(pauseMs > 0)) return false;
    await this.#wait(Math.min(WISHED_MS_MAX, pauseMs));
    return true;
  }

  #wait(delayMs: number): Promise<void> {
    return wait(delayMs, {timers: this.#deps.timers, signals: []});
  }
}

/** Reads a wish: who has it, the pause, and its time by the clock of the store, in milliseconds. */
function parseWish(value: Buffer): {readonly writer: unknown; readonly pauseMs: number; readonly atMs: number} {
  try {
    const {writer, pauseMs, atMs} = JSON.parse(value.toString());
    return {writer, pauseMs: Number(pauseMs), atMs: Number(atMs)};
  } catch {
    return {writer: undefined, pauseMs: 0, atMs: 0};
  }
}
