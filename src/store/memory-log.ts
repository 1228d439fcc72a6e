import type {Revision} from '../domain/entry.ts';
import type {Change} from '../domain/store.ts';

/** Forgotten commits are dropped so many at a time: dropping them one by one would move all others each time. */
const DROPPED_TOGETHER = 1024;

/** The newest changes of a memory store: at least so many, in whole commits. */
export class MemoryLog {
  readonly #changesMax: number;
  /** The changes of each commit, oldest first; those before `#start` are forgotten. */
  #commits: (readonly Change[])[] = [];
  #start = 0;
  #changes = 0;
  /** The last revision that is forgotten. */
  #forgotten: Revision = 0;

  constructor(changesMax: number) {
    this.#changesMax = changesMax;
  }

  /** Adds the changes of the next commit. */
  add(changes: readonly Change[]): void {
    this.#commits.push(changes);
    this.#changes += changes.length;
    for (;;) {
      const rest = this.#changes - (this.#commits[this.#start]?.length ?? 0);
      if (rest < this.#changesMax || this.#start === this.#commits.length - 1) break;
      this.#changes = rest;
      this.#start++;
      this.#forgotten++;
    }
    if (this.#start < DROPPED_TOGETHER) return;
    this.#commits = this.#commits.slice(this.#start);
    this.#start = 0;
  }

  /**
   * The changes after a revision, up to the end of the commit that reaches the limit.
   *
   * @returns Undefined when some of them are forgotten.
   */
  read(since: Revision, limit: number): readonly Change[] | undefined {
    if (since < this.#forgotten) return undefined;
    const changes: Change[] = [];
    // Revisions have no gaps, so they count the commits.
    for (let index = this.#start + since - this.#forgotten; index < this.#commits.length; index++) {
      if (changes.length >= limit) break;
      for (const change of this.#commits[index] ?? []) changes.push(change);
    }
    return changes;
  }
}
