/** A lock: many shared holders, or one exclusive holder. */
export class Gate {
  #inside = 0;
  #alone = false;
  #watchers: (() => void)[] = [];

  /** Runs a function beside others of its kind. */
  async together<T>(run: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#changed();
    this.#inside++;
    try {
      return await run();
    } finally {
      this.#inside--;
      this.#change();
    }
  }

  /** Runs a function alone; later ones wait. */
  async alone<T>(run: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#changed();
    this.#alone = true;
    try {
      while (this.#inside > 0) await this.#changed();
      return await run();
    } finally {
      this.#alone = false;
      this.#change();
    }
  }

  #changed(): Promise<void> {
    return new Promise(resolve => this.#watchers.push(resolve));
  }

  #change(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) watcher();
  }
}
