/** Length of the interval, in milliseconds. */
const INTERVAL_MS = 1000;

/** Limits what plugins make the console do in a second, and counts the rest: a thousand of anything would stop it. */
export class SecondLimit {
  readonly #countMax: number;
  readonly #onDropped: (count: number) => void;
  /** Number since the interval began; undefined between intervals. */
  #count: number | undefined;

  /** @param onDropped Called at the end of an interval in which some were not admitted. */
  constructor(countMax: number, onDropped: (count: number) => void) {
    this.#countMax = countMax;
    this.#onDropped = onDropped;
  }

  /** Counts one. @returns True if it is to be done. */
  admit(): boolean {
    if (this.#count === undefined) setTimeout(() => this.#endInterval(), INTERVAL_MS);
    this.#count = (this.#count ?? 0) + 1;
    return this.#count <= this.#countMax;
  }

  #endInterval(): void {
    const dropped = (this.#count ?? 0) - this.#countMax;
    this.#count = undefined;
    if (dropped > 0) this.#onDropped(dropped);
  }
}
