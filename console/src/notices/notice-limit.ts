/** Maximum number of notices of all frames that are drawn within an interval: more than anyone reads, and drawing a thousand would stop the console. */
const NOTICES_MAX = 20;

/** Length of the interval, in milliseconds. */
const INTERVAL_MS = 1000;

/** Limits the notices that are drawn, and counts the rest. */
export class NoticeLimit {
  readonly #onDropped: (count: number) => void;
  /** Notices since the interval began; undefined between intervals. */
  #count: number | undefined;

  /** @param onDropped Called at the end of an interval in which some were not drawn. */
  constructor(onDropped: (count: number) => void) {
    this.#onDropped = onDropped;
  }

  /** Counts a notice. @returns True if it is to be drawn. */
  admit(): boolean {
    if (this.#count === undefined) setTimeout(() => this.#endInterval(), INTERVAL_MS);
    this.#count = (this.#count ?? 0) + 1;
    return this.#count <= NOTICES_MAX;
  }

  #endInterval(): void {
    const dropped = (this.#count ?? 0) - NOTICES_MAX;
    this.#count = undefined;
    if (dropped > 0) this.#onDropped(dropped);
  }
}
