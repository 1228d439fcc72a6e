import type {Timers} from '../../time/timers.ts';
import type {Driver} from './engine/driver.ts';
import {HEAD_KEY} from './engine/engine-keys.ts';
import type {Replica} from './replica.ts';

/** Pause before the head is read again after the engine did not answer, in milliseconds. */
const FOLLOW_PAUSE_MS = 250;

export interface HeadFollowerDeps {
  readonly driver: Driver;
  readonly replica: Replica;
  readonly timers: Timers;
}

/** Watches the head, and makes the replica as new as the engine after each change, by this process or another. */
export class HeadFollower {
  readonly #deps: HeadFollowerDeps;
  readonly #stopWatching: () => void;
  #isClosed = false;
  #isWriting = false;
  /** True while it pauses after a failure of the engine. */
  #isRetrying = false;
  /** The highest version of the head that the engine announced. */
  #noticed = 0;

  constructor(deps: HeadFollowerDeps) {
    this.#deps = deps;
    this.#stopWatching = deps.driver.watch(HEAD_KEY, version => this.#notice(version));
  }

  /** Writes, and meanwhile follows nothing: mostly it is the write that is noticed, whose answer follows. */
  async whileWriting<T>(write: () => Promise<T>): Promise<T> {
    this.#isWriting = true;
    try {
      return await write();
    } finally {
      this.#isWriting = false;
      if (this.#noticed > this.#version) this.#follow();
    }
  }

  /** Ends it. */
  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
  }

  get #version(): number {
    return this.#deps.replica.known.version;
  }

  #notice(version: number | undefined): void {
    this.#noticed = Math.max(this.#noticed, version ?? this.#version + 1);
    if (!this.#isWriting && this.#noticed > this.#version) this.#follow();
  }

  /** Tries again while the engine does not answer. */
  #follow(): void {
    if (this.#isRetrying) return;
    const before = this.#version;
    this.#deps.replica.refresh().then(
      () => {
        // The head was noticed to change, but did not: the change was undone, or the engine was interrupted.
        if (this.#version === before) this.#noticed = before;
      },
      () => {
        if (this.#isClosed || this.#isRetrying) return;
        this.#isRetrying = true;
        this.#deps.timers.after(FOLLOW_PAUSE_MS, () => {
          this.#isRetrying = false;
          this.#follow();
        });
      },
    );
  }
}
