/**
 * Lets those who wait go on one after the other, one in each turn of the event loop: so a thousand who catch up at once
 * after a restart never keep others waiting for longer than one of them takes.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise(resolve => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#proceed());
    });
  }

  #proceed(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#proceed());
  }
}
