/**
 * Resumes waiting callers in their order, one per tick of the event loop. A thousand subscribers that catch up after a restart
 * thus delay other work by one of them at a time.
 */
export class TickQueue {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a tick in which no other caller is resumed. */
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
