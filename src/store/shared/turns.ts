import type {Timers} from '../../domain/timers.ts';
import {waitForTime} from '../../domain/wait-for-time.ts';

/** Time after a commit of another process for which this one leaves gaps for it, in milliseconds. */
const SHARING_MS = 1000;

/** Longest gap, in milliseconds: a slow engine must not stop this process for longer. */
const GAP_MS_MAX = 300;

/** Longest pause of a process that lost several times, in milliseconds. */
const RETRY_MS_MAX = 20;

/** Dependencies of {@link Turns}. */
export interface TurnsDeps {
  readonly timers: Timers;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Lets processes that write at the same time take turns. Only one of them can write the next group; the winner is the first to know the
 * new head, so without a gap it would win again and again.
 */
export class Turns {
  readonly #deps: TurnsDeps;
  #otherAtMs = -Infinity;
  /** Typical time of a write, in milliseconds. */
  #writeMs = 1;
  #losses = 0;
  /** Time when this process may write again. */
  #nextMs = -Infinity;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /** To be called after a write of this process. */
  won(durationMs: number): void {
    const {elapsedMs, random} = this.#deps;
    const nowMs = elapsedMs();
    this.#losses = 0;
    this.#writeMs += (durationMs - this.#writeMs) / 8;
    const isSharing = nowMs - this.#otherAtMs <= SHARING_MS;
    this.#nextMs = isSharing ? nowMs + Math.min(GAP_MS_MAX, this.#writeMs * (1 + 2 * random())) : -Infinity;
  }

  /** To be called before a write of this process. Leaves a gap of one to three writes after the last one if others write too. */
  async gap(): Promise<void> {
    const delayMs = this.#nextMs - this.#deps.elapsedMs();
    if (delayMs > 0) await this.#wait(delayMs);
  }

  /** To be called after another process has written first. Tries again soon; many losers do not try at the same time. */
  async lost(): Promise<void> {
    this.#otherAtMs = this.#deps.elapsedMs();
    this.#losses++;
    // The first times at once: that is the gap which the winner leaves.
    if (this.#losses > 3) await this.#wait(Math.min(RETRY_MS_MAX, this.#writeMs) * this.#deps.random());
  }

  #wait(delayMs: number): Promise<void> {
    return waitForTime(delayMs, {timers: this.#deps.timers, signals: []});
  }
}
