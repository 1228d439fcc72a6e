import type {Timers} from './timers.ts';

export interface AlarmDeps {
  readonly timers: Timers;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/**
 * Interval at which an alarm reads the clock, in milliseconds. Timers stop while a machine sleeps, and the longest delay they
 * accept is 24 days, so the alarm compares the time on the clock instead.
 */
const CLOCK_CHECK_MS = 60_000;

/** Calls a function at a given time of the clock, even if the machine sleeps or the clock is set. */
export class Alarm {
  readonly #deps: AlarmDeps;
  #stop: (() => void) | undefined;

  constructor(deps: AlarmDeps) {
    this.#deps = deps;
  }

  /** Sets the time, in milliseconds since the Unix epoch, and the function; replaces those set before. */
  set(atMs: number, run: () => void): void {
    this.clear();
    const beganAtMs = this.#deps.nowMs();
    const delayMs = Math.max(0, Math.min(atMs - beganAtMs, CLOCK_CHECK_MS));
    this.#stop = this.#deps.timers.after(delayMs, () => {
      const nowMs = this.#deps.nowMs();
      // A clock that was set back must not delay the call by the same amount.
      const dueAtMs = nowMs < beganAtMs ? nowMs + (atMs - beganAtMs) - delayMs : atMs;
      if (nowMs < dueAtMs) return this.set(dueAtMs, run);
      this.#stop = undefined;
      run();
    });
  }

  clear(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
