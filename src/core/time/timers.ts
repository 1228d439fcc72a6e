/** Calls functions after a delay. */
export interface Timers {
  /** Calls `run` once, in `delayMs` milliseconds. @returns A function that cancels the call. */
  after(delayMs: number, run: () => void): () => void;
}

/** Timers that keep the process alive. */
export const PROCESS_TIMERS: Timers = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
