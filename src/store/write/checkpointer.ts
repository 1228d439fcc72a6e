import type {Memtable, PreparedPlan} from '../wal/memtable.ts';

/** What a checkpointer needs. */
export interface CheckpointerDeps {
  readonly memtable: Memtable;
  /** Writes groups into the tree, in one transaction. */
  readonly write: (groups: readonly PreparedPlan[]) => Promise<void>;
}

/**
 * How long a change waits for others before they go into the tree together, in milliseconds. The longer, the fewer entries and
 * pages are written twice; the shorter, the less a list has to merge and a start after a crash to read.
 */
const DELAY_MS = 250;

/** How long to wait after a try that failed, in milliseconds. */
const RETRY_DELAY_MS = 1000;

/**
 * A transaction ends with the group that reaches one of these: preparing it takes some milliseconds of the event loop. A key that is
 * written several times goes into the tree once, so that what counts are the keys; all changes go into the log. At the usual
 * sizes so many changes are as much as one file of the write-ahead log holds, and the other one is free meanwhile.
 */
const LIMITS = {keysMax: 1000, changesMax: 3000} as const;

/** Moves what is in the write-ahead log into the tree, while others write and read. */
export class Checkpointer {
  readonly #deps: CheckpointerDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isEnded = false;

  constructor(deps: CheckpointerDeps) {
    this.#deps = deps;
  }

  /** Says that something is to be moved. */
  notice(): void {
    if (this.#running !== undefined || this.#isEnded || this.#deps.memtable.changes === 0) return;
    if (this.#deps.memtable.reaches(LIMITS)) this.#startNow();
    else this.#startIn(DELAY_MS);
  }

  /** Moves everything that is there now. @throws What kept it from that; what is not moved stays where it is. */
  async checkpoint(): Promise<void> {
    const {memtable} = this.#deps;
    const last = memtable.revision ?? 0;
    // Others may be adding more all the while.
    while ((memtable.oldestRevision ?? Infinity) <= last) await this.#run();
  }

  /** Moves nothing more by itself. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #startIn(delayMs: number): void {
    if (!this.#isEnded) this.#timer ??= setTimeout(() => this.#startNow(), delayMs);
  }

  #startNow(): void {
    // Whoever writes next learns of a failure; what is in the write-ahead log is safe there.
    this.#run().catch(() => {});
  }

  #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#moveSome();
    return this.#running;
  }

  async #moveSome(): Promise<void> {
    const {memtable, write} = this.#deps;
    const groups = memtable.first(LIMITS);
    try {
      if (groups.length > 0) await write(groups);
      memtable.remove(groups);
      this.#running = undefined;
      this.notice();
    } catch (error) {
      this.#running = undefined;
      this.#startIn(RETRY_DELAY_MS);
      throw error;
    }
  }
}
