import type {CommitResult} from '../../core/domain/commits/commit.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {nextTick} from '../../core/time/next-tick.ts';

/**
 * Default size at which a group ends, in bytes: a larger one gains nothing by sharing one fsync, and would occupy
 * the event loop for too long.
 */
const GROUP_BYTES_MAX = 16 * 1024 * 1024;

interface WaitingCommit<C> {
  readonly commit: C;
  readonly sizeBytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitQueueOptions<C> {
  /**
   * Writes a group. Returns the results of its first commits, at least one: each with its result, or the reason why it did not happen. The
   * others stay in the queue.
   */
  readonly write: (commits: readonly C[]) => Promise<readonly (CommitResult | Error)[]>;
  /** A group ends with the commit that reaches this size, in bytes. @default {16 MiB} */
  readonly groupBytesMax?: number | undefined;
  /** Called after the commits of a group were answered; the next group waits for it. @default {nothing} */
  readonly afterGroup?: (() => Promise<void>) | undefined;
}

/** Queue of commits: those that arrive while one group is being written form the next group, in their order. */
export class CommitQueue<C> {
  readonly #options: CommitQueueOptions<C>;
  readonly #waiting: WaitingCommit<C>[] = [];
  #isEnded = false;
  /** Resolves when no commit waits. */
  #running: Promise<void> | undefined;

  constructor(options: CommitQueueOptions<C>) {
    this.#options = options;
  }

  /** Number of commits that wait for their group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a commit; resolves once its group is written. Failed checks are reported only then too: the write that they found may be part of
   * that group.
   *
   * @param sizeBytes Estimate of the bytes that it writes.
   * @throws {AppError} `busy` above `Limits.waitingCommitsMax`, `store-closed` after {@link end}, and the failure of its group.
   */
  push(commit: C, sizeBytes: number): Promise<CommitResult> {
    if (this.#isEnded) return Promise.reject(new AppError({code: 'store-closed'}));
    if (this.#waiting.length >= DEFAULT_LIMITS.waitingCommitsMax) {
      return Promise.reject(new AppError({code: 'busy', what: 'store', max: DEFAULT_LIMITS.waitingCommitsMax}));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({commit, sizeBytes, resolve, reject});
      this.#running ??= this.#run();
    });
  }

  /** Accepts no more commits, and writes those that wait. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const {write, afterGroup} = this.#options;
    while (this.#waiting.length > 0) {
      // Requests that arrived in the same tick are still being read; let them join.
      await nextTick();
      const group = this.#waiting.splice(0, this.#groupLength());
      try {
        const results = await write(group.map(({commit}) => commit));
        this.#waiting.unshift(...group.splice(results.length));
        for (const [index, {resolve, reject}] of group.entries()) {
          const result = results[index];
          if (result instanceof Error) reject(result);
          else resolve(result as CommitResult);
        }
      } catch (error) {
        // None of them happened.
        for (const {reject} of group) reject(error);
      }
      if (afterGroup !== undefined) await afterGroup();
    }
    this.#running = undefined;
  }

  /** Returns the number of waiting commits that are the next group. */
  #groupLength(): number {
    const {groupBytesMax = GROUP_BYTES_MAX} = this.#options;
    let sizeBytes = 0;
    const last = this.#waiting.findIndex(waiting => {
      sizeBytes += waiting.sizeBytes;
      return sizeBytes >= groupBytesMax;
    });
    return last === -1 ? this.#waiting.length : last + 1;
  }
}
