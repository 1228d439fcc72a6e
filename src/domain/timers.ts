/** Calls functions after a delay. */
export interface Timers {
  /** Calls `run` once, in `delayMs` milliseconds. @returns A function that cancels the call. */
  after(delayMs: number, run: () => void): () => void;
}
