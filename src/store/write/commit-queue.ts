import {setImmediate} from 'node:timers/promises';
import {AppError} from '../../domain/app-error.ts';
import type {CommitResult} from '../../domain/commit.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';

/** Dependencies of {@link CommitQueue}. */
export interface CommitQueueDeps<C> {
  /**
   * Writes a group of commits with an estimate of its size. Returns the result of each, or the reason why it did not happen; rejects
   * if none of them happened.
   */
  readonly writeGroup: (group: readonly C[], sizeBytes: number) => Promise<readonly (CommitResult | Error)[]>;
  /** Estimates the bytes that a commit writes. */
  readonly sizeOf: (commit: C) => number;
}

/**
 * A group ends with the commit that reaches this size, in bytes: a larger one gains nothing by sharing one fsync, and would occupy
 * the event loop for too long.
 */
const GROUP_BYTES_MAX = 16 * 1024 * 1024;

interface WaitingCommit<C> {
  readonly commit: C;
  readonly sizeBytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Queue of commits: those that arrive while one group is being written form the next group, in their order. */
export class CommitQueue<C> {
  readonly #deps: CommitQueueDeps<C>;
  #waiting: WaitingCommit<C>[] = [];
  /** Writes groups until no commit is waiting; undefined if none is. */
  #working: Promise<void> | undefined;

  constructor(deps: CommitQueueDeps<C>) {
    this.#deps = deps;
  }

  /** Number of commits that wait for their group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a commit; resolves once its group is written.
   *
   * @throws {AppError} `store-busy` above `Limits.waitingCommitsMax`, and the failure of its group.
   */
  push(commit: C): Promise<CommitResult> {
    if (this.#waiting.length >= DEFAULT_LIMITS.waitingCommitsMax) {
      return Promise.reject(new AppError({code: 'store-busy', waitingMax: DEFAULT_LIMITS.waitingCommitsMax}));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({commit, sizeBytes: this.#deps.sizeOf(commit), resolve, reject});
      this.#working ??= this.#work();
    });
  }

  /** Resolves when no commit is waiting. */
  async drained(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests that arrived in the same tick are still being read; let them join.
      await setImmediate();
      await this.#write(this.#takeGroup());
    }
    this.#working = undefined;
  }

  #takeGroup(): readonly WaitingCommit<C>[] {
    let sizeBytes = 0;
    const end = this.#waiting.findIndex(waiting => {
      sizeBytes += waiting.sizeBytes;
      return sizeBytes >= GROUP_BYTES_MAX;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end + 1);
  }

  async #write(group: readonly WaitingCommit<C>[]): Promise<void> {
    const sizeBytes = group.reduce((sum, waiting) => sum + waiting.sizeBytes, 0);
    try {
      const results = await this.#deps.writeGroup(
        group.map(({commit}) => commit),
        sizeBytes,
      );
      // Failed checks are answered only now too: the write that they found may be part of this group.
      for (const [index, {resolve, reject}] of group.entries()) {
        const result = results[index] ?? new Error('a commit has no result');
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const {reject} of group) reject(error);
    }
  }
}
