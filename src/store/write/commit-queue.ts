import {setImmediate as nextTurn} from 'node:timers/promises';
import {AppError} from '../../domain/failure.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {CommitResult} from '../../domain/store.ts';

/** What a commit queue needs. */
export interface CommitQueueDeps<C> {
  /**
   * Writes a group of commits that has about so many bytes; for each its result, or why it did not happen. Rejects when none
   * of them happened.
   */
  readonly writeGroup: (group: readonly C[], sizeBytes: number) => Promise<readonly (CommitResult | Error)[]>;
  /** About how much a commit has to write, in bytes. */
  readonly sizeOf: (commit: C) => number;
}

/**
 * A group ends with the commit that reaches this many bytes: beyond that nothing is gained by sharing one
 * fsync, and the event loop would have to prepare too much at once.
 */
const GROUP_BYTES_MAX = 16 * 1024 * 1024;

interface WaitingCommit<C> {
  readonly commit: C;
  readonly sizeBytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Group commit: commits that arrive while one group is being written form the next, in their order. */
export class CommitQueue<C> {
  readonly #deps: CommitQueueDeps<C>;
  #waiting: WaitingCommit<C>[] = [];
  /** The work on waiting commits, while there is any. */
  #working: Promise<void> | undefined;

  constructor(deps: CommitQueueDeps<C>) {
    this.#deps = deps;
  }

  /**
   * Adds a commit; resolves once its group is written.
   *
   * @throws {AppError} `store-busy` above `Limits.waitingCommitsMax`, and whatever failed its group.
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

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests that arrived in the same turn of the event loop are still being read; let them join.
      await nextTurn();
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
      // Only now, also for failed checks: what they met may have been part of this group, and not on disk.
      for (const [index, {resolve, reject}] of group.entries()) {
        const result = results[index] as CommitResult | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const {reject} of group) reject(error);
    }
  }
}
