import {setImmediate} from 'node:timers/promises';
import type {Timers} from '../../src/core/time/timers.ts';

/** Ticks after which a simulated engine has no more to do but wait for a timer. */
const TICKS = 12;

/** A monotonic clock that a test moves, with timers that run when it does. */
export class SteppedClock {
  #nowMs = 0;
  readonly #waiting = new Set<{readonly atMs: number; readonly run: () => void}>();
  readonly elapsedMs = (): number => this.#nowMs;
  readonly timers: Timers = {
    after: (delayMs, run) => {
      const timer = {atMs: this.#nowMs + delayMs, run};
      this.#waiting.add(timer);
      return () => this.#waiting.delete(timer);
    },
  };

  step(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#waiting) {
      if (timer.atMs > this.#nowMs) continue;
      this.#waiting.delete(timer);
      timer.run();
    }
  }

  /** Goes from one timer to the next until the work, which waits for nothing else, is done. */
  async runUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const end = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      for (let tick = 0; tick < TICKS; tick++) await setImmediate();
      const atMs = Math.min(...[...this.#waiting].map(timer => timer.atMs));
      if (atMs < Infinity) this.step(Math.max(0, atMs - this.#nowMs));
    }
    await end;
  }
}
