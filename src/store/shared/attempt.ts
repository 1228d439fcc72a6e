import type {Timers} from '../../time/timers.ts';
import {EngineFailure} from './engine/driver.ts';

export interface AttemptOptions {
  /** Id of the group. */
  readonly group: string;
  /** Time by `elapsedMs` from which on its time counts. */
  readonly startMs: number;
  readonly timeoutMs: number;
  /** Time for it if it is extended, in milliseconds. */
  readonly extendedMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  readonly timers: Timers;
}

/**
 * One attempt to write a group, which ends in time: after that nothing is sent for it any more, and its callers are answered, also
 * while a call to the engine is still running.
 */
export class Attempt {
  readonly group: string;
  /** True while a request may have been applied whose answer is not known. */
  isInDoubt = false;
  /** The last failure of the engine, for the message. */
  problem = 'the engine does not answer in time';
  readonly #options: AttemptOptions;
  readonly #over = new AbortController();
  #cancel: (() => void) | undefined;

  constructor(options: AttemptOptions) {
    this.group = options.group;
    this.#options = options;
  }

  /** @throws {EngineFailure} `unavailable` if the time is over. */
  assertOpen(): void {
    if (this.#over.signal.aborted) throw this.#failure();
  }

  /** Gives it more time, for a group that takes several requests. */
  extend(): void {
    this.assertOpen();
    this.#endAfter(this.#options.extendedMs);
  }

  /** Resolves as the work does. @throws {EngineFailure} `unavailable` once the time is over. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const timeout = new Promise<never>((_, reject) => {
      this.#over.signal.addEventListener('abort', () => reject(this.#failure()));
    });
    this.#endAfter(this.#options.timeoutMs);
    try {
      return await Promise.race([work(), timeout]);
    } finally {
      this.#cancel?.();
      this.#cancel = undefined;
    }
  }

  /** @param timeMs Time since the start, in milliseconds. */
  #endAfter(timeMs: number): void {
    const {startMs, timers, elapsedMs} = this.#options;
    this.#cancel?.();
    this.#cancel = timers.after(Math.max(0, startMs + timeMs - elapsedMs()), () => this.#over.abort());
  }

  #failure(): EngineFailure {
    return new EngineFailure('unavailable', this.problem);
  }
}
