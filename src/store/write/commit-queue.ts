import type {CommitResult} from '../../domain/commits/commit.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {AppError} from '../../failures/app-error.ts';

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

/** Commits that are written together, in the order of their arrival. */
export class CommitGroup<C> {
  readonly commits: readonly C[];
  readonly #waiting: readonly WaitingCommit<C>[];

  constructor(waiting: readonly WaitingCommit<C>[]) {
    this.commits = waiting.map(({commit}) => commit);
    this.#waiting = waiting;
  }

  /**
   * Answers the commits once the group is written: each with its result, or the reason why it did not happen. Failed checks are answered
   * only now too: the write that they found may be part of this group.
   */
  answer(results: readonly (CommitResult | Error)[]): void {
    for (const [index, {resolve, reject}] of this.#waiting.entries()) {
      const result = results[index] ?? new Error('a commit has no result');
      if (result instanceof Error) reject(result);
      else resolve(result);
    }
  }

  /** Answers the commits with an error: none of them happened. */
  fail(error: unknown): void {
    for (const {reject} of this.#waiting) reject(error);
  }
}

/** Queue of commits: those that arrive while one group is being written form the next group, in their order. */
export class CommitQueue<C> implements AsyncIterable<CommitGroup<C>>, AsyncIterator<CommitGroup<C>, undefined> {
  #waiting: WaitingCommit<C>[] = [];
  #isEnded = false;
  readonly #groupBytesMax: number;
  /** Gives the next group to the reader, if it waits for one. */
  #deliver: ((next: IteratorResult<CommitGroup<C>, undefined>) => void) | undefined;

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
      this.#deliverSoon();
    });
  }

  /** Accepts no more commits. The groups end after those that wait. */
  end(): void {
    this.#isEnded = true;
    this.#deliverSoon();
  }

  /** Iterates over the groups until {@link end}. Only one reader may do so. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for the next group. Not a generator: that would make several promises for each group, which often has one commit. */
  next(): Promise<IteratorResult<CommitGroup<C>, undefined>> {
    return new Promise(resolve => {
      this.#deliver = resolve;
      this.#deliverSoon();
    });
  }

  #deliverSoon(): void {
    const deliver = this.#deliver;
    if (deliver === undefined || (this.#waiting.length === 0 && !this.#isEnded)) return;
    this.#deliver = undefined;
    // Requests that arrived in the same tick are still being read; let them join.
    setImmediate(() => deliver(this.#takeGroup()));
  }

  #takeGroup(): IteratorResult<CommitGroup<C>, undefined> {
    if (this.#waiting.length === 0) return {done: true, value: undefined};
    let sizeBytes = 0;
    const end = this.#waiting.findIndex(waiting => {
      sizeBytes += waiting.sizeBytes;
      return sizeBytes >= this.#groupBytesMax;
    });
    const group = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end + 1);
    return {done: false, value: new CommitGroup(group)};
  }
}
