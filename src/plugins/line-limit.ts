import {DEFAULT_LIMITS} from '../domain/limits.ts';
import type {Timers} from '../time/timers.ts';

/** Length of the interval that the limit holds for, in milliseconds. */
const INTERVAL_MS = 1000;

/** Limits the log lines that pages send over HTTP to `Limits.pluginLogLinesMax` per second, and counts the dropped ones. */
export class LineLimit {
  readonly #timers: Timers;
  readonly #onDropped: (count: number) => void;
  /** Lines since the interval began; undefined between intervals. */
  #lines: number | undefined;

  /** @param onDropped Called at the end of an interval in which lines were dropped. */
  constructor(timers: Timers, onDropped: (count: number) => void) {
    this.#timers = timers;
    this.#onDropped = onDropped;
  }

  /** Counts a line. @returns True if it is within the limit. */
  admit(): boolean {
    if (this.#lines === undefined) this.#timers.after(INTERVAL_MS, () => this.#endInterval());
    this.#lines = (this.#lines ?? 0) + 1;
    return this.#lines <= DEFAULT_LIMITS.pluginLogLinesMax;
  }

  #endInterval(): void {
    const dropped = (this.#lines ?? 0) - DEFAULT_LIMITS.pluginLogLinesMax;
    this.#lines = undefined;
    if (dropped > 0) this.#onDropped(dropped);
  }
}
