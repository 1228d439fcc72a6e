import type {JsonText} from '../../json/json-text.ts';
import type {Timers} from '../../time/timers.ts';
import {EngineFailure} from './engine/driver.ts';
import {PART_BYTES_MAX, type Parts} from './engine/stored-entry.ts';

export interface AttemptOptions {
  /** Id of the group. */
  readonly group: string;
  /** Time by `elapsedMs` from which on its time counts. */
  readonly startMs: number;
  readonly timeoutMs: number;
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
  /** Number of plans so far. */
  plans = 0;
  /** Mark of its parts in the engine; undefined while it has none. */
  mark: string | undefined;
  /** Keys of the parts that are written. */
  readonly written = new Set<string>();
  readonly #parts = new Map<JsonText, Parts>();
  #partCount = 0;
  readonly #options: AttemptOptions;
  readonly #over = new AbortController();

  constructor(options: AttemptOptions) {
    this.group = options.group;
    this.#options = options;
  }

  /** @throws {EngineFailure} `unavailable` if the time is over. */
  assertOpen(): void {
    if (this.#over.signal.aborted) throw this.#failure();
  }

  /** Returns the parts for a value: the same for each plan. */
  partsOf(json: JsonText): Parts {
    const found = this.#parts.get(json);
    if (found !== undefined) return found;
    const parts = {group: this.group, first: this.#partCount, sizeBytes: json.length};
    this.#partCount += Math.ceil(json.length / PART_BYTES_MAX);
    this.#parts.set(json, parts);
    return parts;
  }

  /** Resolves as the work does. @throws {EngineFailure} `unavailable` once the time is over. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const {startMs, timeoutMs, timers, elapsedMs} = this.#options;
    const timeout = new Promise<never>((_, reject) => {
      this.#over.signal.addEventListener('abort', () => reject(this.#failure()));
    });
    const cancel = timers.after(Math.max(0, startMs + timeoutMs - elapsedMs()), () => this.#over.abort());
    try {
      return await Promise.race([work(), timeout]);
    } finally {
      cancel();
    }
  }

  #failure(): EngineFailure {
    return new EngineFailure('unavailable', this.problem);
  }
}
