/** Calls functions later; what it returns takes that back. */
export interface Timers {
  after(delayMs: number, run: () => void): () => void;
}

/** Calls one function at one time. */
export interface Alarm {
  /** Sets it, in place of what it was set to before. */
  set(atMs: number, run: () => void): void;
  clear(): void;
}

/** What an alarm needs. */
export interface AlarmDeps {
  readonly timers: Timers;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/**
 * How often an alarm looks at the clock, in milliseconds. Timers stand still while a machine sleeps, and take no more than
 * 24 days: the clock tells how late it is.
 */
const LOOK_MS = 60_000;

/** Makes an alarm that goes by the clock, also when the machine slept or the clock was set. */
export function createAlarm(deps: AlarmDeps): Alarm {
  return new ClockAlarm(deps);
}

class ClockAlarm implements Alarm {
  readonly #deps: AlarmDeps;
  #stop: (() => void) | undefined;

  constructor(deps: AlarmDeps) {
    this.#deps = deps;
  }

  set(atMs: number, run: () => void): void {
    this.clear();
    const beganAtMs = this.#deps.nowMs();
    const delayMs = Math.max(0, Math.min(atMs - beganAtMs, LOOK_MS));
    this.#stop = this.#deps.timers.after(delayMs, () => {
      const nowMs = this.#deps.nowMs();
      // A clock that was set back must not put it off for as long.
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
