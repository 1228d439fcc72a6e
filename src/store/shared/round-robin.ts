import type {Timers} from '../../time/timers.ts';
import {wait} from '../../time/wait.ts';

/** Time after a write of another process for which this one waits for its next, in milliseconds. */
const SHARING_MS = 1000;

/** Time to wait for a write of another process, in typical writes: it has to learn the last one first. */
const WAIT_WRITES = 5;

/** Number of pauses after which a process that does not write in them is taken for idle. */
const MISSED_MAX = 2;

/** Longest pause for others, in milliseconds: a slow engine must not stop this process for longer. */
const PAUSE_MS_MAX = 300;

/** Longest pause of a process that lost several times, in milliseconds. */
const RETRY_MS_MAX = 20;

/** Time, in milliseconds, and number of writes after which a process pauses for one that it does not know yet. */
const UNKNOWN_MS = 250;
const UNKNOWN_WRITES = 40;

export interface RoundRobinDeps {
  readonly timers: Timers;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Id of this process among those that write. */
  readonly writer: string;
}

/**
 * Lets processes that write at the same time do so round-robin. Only one of them can write the next group; the winner is the first to
 * know the new head, so it would win again and again. After each write a process pauses until all others that write have written too,
 * or have had the time for it. Once in a while it pauses in any case, since one that it does not know may have lost all races.
 */
export class RoundRobin {
  readonly #deps: RoundRobinDeps;
  /** Other processes that write. */
  readonly #others = new Map<string, {readonly atMs: number; missed: number}>();
  /** The others that have not written since the last write of this process. */
  #awaited = new Set<string>();
  #endPause: (() => void) | undefined;
  /** Typical time of a write, in milliseconds. */
  #writeMs = 1;
  #losses = 0;
  #pausedAtMs: number;
  #writes = 0;

  constructor(deps: RoundRobinDeps) {
    this.#deps = deps;
    this.#pausedAtMs = deps.elapsedMs();
  }

  /** Learns of a write of any process. */
  saw(writer: string): void {
    if (writer === this.#deps.writer) return;
    this.#others.set(writer, {atMs: this.#deps.elapsedMs(), missed: 0});
    this.#awaited.delete(writer);
    if (this.#awaited.size === 0) this.#endPause?.();
  }

  /** Learns that this process has written. */
  won(durationMs: number): void {
    this.#losses = 0;
    this.#writes++;
    this.#writeMs += (durationMs - this.#writeMs) / 8;
    const sinceMs = this.#deps.elapsedMs() - SHARING_MS;
    for (const [writer, {atMs, missed}] of this.#others)
      if (atMs < sinceMs || missed >= MISSED_MAX) this.#others.delete(writer);
    this.#awaited = new Set(this.#others.keys());
  }

  /** Pauses after a write of this process, for the writes of others. */
  async pause(): Promise<void> {
    const {timers, elapsedMs} = this.#deps;
    const isForUnknown = this.#writes >= UNKNOWN_WRITES && elapsedMs() - this.#pausedAtMs >= UNKNOWN_MS;
    if (this.#awaited.size === 0 && !isForUnknown) return;
    const ended = new AbortController();
    if (!isForUnknown) this.#endPause = () => ended.abort();
    const delayMs = Math.min(PAUSE_MS_MAX, Math.max(1, this.#awaited.size) * WAIT_WRITES * this.#writeMs);
    await wait(delayMs, {timers, signals: [ended.signal]});
    this.#endPause = undefined;
    for (const writer of this.#awaited) {
      const other = this.#others.get(writer);
      if (other !== undefined) other.missed++;
    }
    this.#awaited.clear();
    if (!isForUnknown) return;
    this.#pausedAtMs = elapsedMs();
    this.#writes = 0;
  }

  /** Waits after another process has written first. Many losers do not try again at the same time. */
  async lost(): Promise<void> {
    this.#losses++;
    // The first times at once: the others may be pausing for this process.
    if (this.#losses <= 3) return;
    const delayMs = Math.min(RETRY_MS_MAX, this.#writeMs) * this.#deps.random();
    await wait(delayMs, {timers: this.#deps.timers, signals: []});
  }
}
