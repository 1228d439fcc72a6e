import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {
  type AppliedCommit,
  appliedOf,
  type CommitMark,
  idOfMark,
  type LoggedChange,
  marksOf,
  volumeOfAll,
} from '../format/change-encoding.ts';
import {type ChangeLogLimits, ChangePage} from '../format/change-log-record.ts';

/** Number of trimmed commits that are dropped together: dropping them one by one would move all others each time. */
const DROPPED_TOGETHER = 1024;

/** The newest changes of a memory store, in whole commits. */
export class MemoryLog {
  readonly #limits: ChangeLogLimits;
  /** The changes of each commit, oldest first; those before `#start` are trimmed. */
  #commits: (readonly LoggedChange[])[] = [];
  #start = 0;
  /** The marks of these commits, by their bound ids. */
  readonly #marks = new Map<string, CommitMark>();
  #changes = 0;
  #bytes = 0;
  /** The last revision that was trimmed. */
  #trimmed: Revision = 0;

  constructor(limits: ChangeLogLimits) {
    this.#limits = limits;
  }

  /** The last revision that was trimmed; 0 for none. */
  get trimmed(): Revision {
    return this.#trimmed;
  }

  /** Adds the changes of the next commit. */
  add(changes: readonly LoggedChange[]): void {
    this.#commits.push(changes);
    for (const mark of marksOf(changes)) this.#marks.set(idOfMark(mark), mark);
    this.#changes += changes.length;
    this.#bytes += volumeOfAll(changes);
    while (this.#start < this.#commits.length - 1 && this.#isOldestSurplus()) {
      const oldest = this.#commits[this.#start] ?? [];
      this.#commits[this.#start] = [];
      for (const mark of marksOf(oldest)) this.#marks.delete(idOfMark(mark));
      this.#changes -= oldest.length;
      this.#bytes -= volumeOfAll(oldest);
      this.#start++;
      this.#trimmed++;
    }
    if (this.#start < DROPPED_TOGETHER) return;
    this.#commits = this.#commits.slice(this.#start);
    this.#start = 0;
  }

  /** Finds a commit of the log by its bound id. */
  appliedOf(id: string): AppliedCommit | undefined {
    const mark = this.#marks.get(id);
    return mark && appliedOf(mark);
  }

  /**
   * Reads the changes after a revision, up to the end of the commit that reaches a limit.
   *
   * @returns Undefined if some of them are trimmed.
   */
  read(after: Revision, limit: number): readonly LoggedChange[] | undefined {
    if (after < this.#trimmed) return undefined;
    const page = new ChangePage(after, limit);
    // Revisions have no gaps, so they count the commits.
    for (let index = this.#start + after - this.#trimmed; index < this.#commits.length; index++)
      if (page.add(this.#commits[index] ?? [])) break;
    return page.changes;
  }

  #isOldestSurplus(): boolean {
    const oldest = this.#commits[this.#start] ?? [];
    return this.#changes - oldest.length >= this.#limits.changesMax || this.#bytes > this.#limits.bytesMax;
  }
}
