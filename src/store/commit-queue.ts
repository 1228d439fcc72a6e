import {AppError} from '../domain/failure.ts';
import {type Commit, type CommitResult, WAITING_COMMITS_MAX} from '../domain/store.ts';

/** Writes a group of commits; for each its result, or the failure of its checks. Rejects when none of them happened. */
export type WriteGroup = (group: readonly Commit[]) => Promise<readonly (CommitResult | AppError)[]>;

interface WaitingCommit {
  readonly commit: Commit;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Group commit: all commits that arrive while one group is being written form the next, in their order. */
export class CommitQueue {
  readonly #write: WriteGroup;
  #waiting: WaitingCommit[] = [];
  /** The work on waiting commits, while there is any. */
  #working: Promise<void> | undefined;

  constructor(write: WriteGroup) {
    this.#write = write;
  }

  /**
   * Adds a commit; resolves once its group is written.
   *
   * @throws {AppError} `store-busy` above {@link WAITING_COMMITS_MAX}, and whatever failed its group.
   */
  push(commit: Commit): Promise<CommitResult> {
    if (this.#waiting.length >= WAITING_COMMITS_MAX) {
      return Promise.reject(new AppError({code: 'store-busy', waitingMax: WAITING_COMMITS_MAX}));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({commit, resolve, reject});
      this.#working ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    // Requests that arrived in the same turn of the event loop are still being read; let them join.
    await new Promise(resolve => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#settle(group);
    }
    this.#working = undefined;
  }

  async #settle(group: readonly WaitingCommit[]): Promise<void> {
    try {
      const results = await this.#write(group.map(({commit}) => commit));
      // Only now, also for failed checks: what they met may have been part of this group, and not on disk.
      for (const [index, {resolve, reject}] of group.entries()) {
        const result = results[index] as CommitResult | AppError;
        if (result instanceof AppError) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const {reject} of group) reject(error);
    }
  }
}
