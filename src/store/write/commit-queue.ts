import {setImmediate} from 'node:timers/promises';
import {AppError} from '../../domain/app-error.ts';
import type {CommitResult} from '../../domain/commit.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';

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

/** Commits that are written together. */
export class CommitGroup<C> {
  readonly commits: readonly C[];
  readonly #waiting: readonly WaitingCommit<C>[];

  constructor(waiting: readonly WaitingCommit<C>[]) {
    this.commits = waiting.map(({commit}) => commit);
    this.#waiting = waiting;
  }

  /**
   * Writes the group, and answers its commits: each with its result, or the reason why it did not happen; all with the error if `write`
   * throws, since none of them happened.
   */
  async answer(write: (commits: readonly C[]) => Promise<readonly (CommitResult | Error)[]>): Promise<void> {
    try {
      const results = await write(this.commits);
      // Failed checks are answered only now too: the write that they found may be part of this group.
      for (const [index, {resolve, reject}] of this.#waiting.entries()) {
        const result = results[index] ?? new Error('a commit has no result');
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const {reject} of this.#waiting) reject(error);
    }
  }
}

/** Queue of commits: those that arrive while one group is being written form the next group, in their order. */
export class CommitQueue<C> implements AsyncIterable<CommitGroup<C>> {
  #waiting: WaitingCommit<C>[] = [];
  #isEnded = false;
  readonly #groupBytesMax: number;
  /** Wakes the reader of the groups, if it waits for a commit. */
  #wake: (() => void) | undefined;

  /** @param groupBytesMax A group ends with the commit that reaches this size, in bytes. */
  constructor(groupBytesMax = GROUP_BYTES_MAX) {
    this.#groupBytesMax = groupBytesMax;
  }

  /** Number of commits that wait for their group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a commit; resolves once its group is written.
   *
   * @param sizeBytes Estimate of the bytes that it writes.
   * @throws {AppError} `store-busy` above `Limits.waitingCommitsMax`, `store-closed` after {@link end}, and the failure of its group.
   */
  push(commit: C, sizeBytes: number): Promise<CommitResult> {
    if (this.#isEnded) return Promise.reject(new AppError({code: 'store-closed'}));
    if (this.#waiting.length >= DEFAULT_LIMITS.waitingCommitsMax) {
      return Promise.reject(new AppError({code: 'store-busy', waitingMax: DEFAULT_LIMITS.waitingCommitsMax}));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({commit, sizeBytes, resolve, reject});
      this.#wakeReader();
    });
  }

  /** Accepts no more commits. The groups end after those that wait. */
  end(): void {
    this.#isEnded = true;
    this.#wakeReader();
  }

  /** Iterates over the groups until {@link end}. Only one reader may do so. */
  async *[Symbol.asyncIterator](): AsyncGenerator<CommitGroup<C>, void> {
    while (this.#waiting.length > 0 || !this.#isEnded) {
      if (this.#waiting.length > 0) {
        // Requests that arrived in the same tick are still being read; let them join.
        await setImmediate();
        yield new CommitGroup(this.#takeGroup());
      } else {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
      }
    }
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #takeGroup(): readonly WaitingCommit<C>[] {
    let sizeBytes = 0;
    const end = this.#waiting.findIndex(waiting => {
      sizeBytes += waiting.sizeBytes;
      return sizeBytes >= this.#groupBytesMax;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end + 1);
  }
}
