/** A stream that a test feeds, and its state. */
export class Feed implements AsyncIterableIterator<string> {
  readonly #waiting: string[] = [];
  #wake = (): void => {};
  #failure: unknown;
  begun = false;
  returned = false;
  taken = 0;

  push(...chunks: readonly string[]): void {
    this.#waiting.push(...chunks);
    this.#wake();
  }

  fail(failure: unknown): void {
    this.#failure = failure;
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    this.begun = true;
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    for (;;) {
      const value = this.#waiting.shift();
      if (value === 'end' || this.returned) return {done: true, value: undefined};
      if (value !== undefined) {
        this.taken++;
        return {done: false, value};
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>(resolve => (this.#wake = resolve));
    }
  }

  async return(): Promise<IteratorResult<string>> {
    this.returned = true;
    this.#wake();
    return {done: true, value: undefined};
  }
}
