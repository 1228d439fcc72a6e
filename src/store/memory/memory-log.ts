import type {Revision} from '../../domain/entry.ts';
import {CHANGES_BYTES_MAX, type Change} from '../../domain/store.ts';
import {valueBytesOf} from '../format/change-encoding.ts';

/** Forgotten commits are dropped so many at a time: dropping them one by one would move all others each time. */
const DROPPED_TOGETHER = 1024;

/** What a memory log keeps of changes. */
export interface MemoryLogLimits {
  /** How many of them at least. */
  readonly changesMax: number;
  /** How many bytes of keys and values at most. */
  readonly bytesMax: number;
}

/** The newest changes of a memory store: at least so many, in whole commits, unless their values are too large. */
export class MemoryLog {
  readonly #limits: MemoryLogLimits;
  /** The changes of each commit, oldest first; those before `#start` are forgotten. */
  #commits: (readonly Change[])[] = [];
  #start = 0;
  #changes = 0;
  #bytes = 0;
  /** The last revision that is forgotten. */
  #forgotten: Revision = 0;

  constructor(limits: MemoryLogLimits) {
    this.#limits = limits;
  }

  /** Adds the changes of the next commit. */
  add(changes: readonly Change[]): void {
    this.#commits.push(changes);
    this.#changes += changes.length;
    this.#bytes += loggedBytes(changes);
    while (this.#start < this.#commits.length - 1 && this.#isOldestSurplus()) {
      const oldest = this.#commits[this.#start] ?? [];
      this.#commits[this.#start] = [];
      this.#changes -= oldest.length;
      this.#bytes -= loggedBytes(oldest);
      this.#start++;
      this.#forgotten++;
    }
    if (this.#start < DROPPED_TOGETHER) return;
    this.#commits = this.#commits.slice(this.#start);
    this.#start = 0;
  }

  /**
   * The changes after a revision, up to the end of the commit that reaches a limit.
   *
   * @returns Undefined when some of them are forgotten.
   */
  read(since: Revision, limit: number): readonly Change[] | undefined {
    if (since < this.#forgotten) return undefined;
    const changes: Change[] = [];
    let valuesBytes = 0;
    // Revisions have no gaps, so they count the commits.
    for (let index = this.#start + since - this.#forgotten; index < this.#commits.length; index++) {
      if (changes.length >= limit || valuesBytes >= CHANGES_BYTES_MAX) break;
      for (const change of this.#commits[index] ?? []) {
        changes.push(change);
        valuesBytes += valueBytesOf(change);
      }
    }
    return changes;
  }

  #isOldestSurplus(): boolean {
    const oldest = this.#commits[this.#start] ?? [];
    return this.#changes - oldest.length >= this.#limits.changesMax || this.#bytes > this.#limits.bytesMax;
  }
}

function loggedBytes(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + change.key.length + valueBytesOf(change), 0);
}
