import type {Entry, EntryInfo} from '../entries/entry.ts';
import type {Range} from '../entries/range.ts';
import type {Revision} from '../entries/revision.ts';

/** The entries at one revision. */
export interface Snapshot extends AsyncDisposable {
  readonly revision: Revision;
  /**
   * Lists entries like `list` of the store.
   *
   * @throws {AppError} `reader-too-slow` after the engine closed the snapshot; `entry-corrupt`; `store-corrupt`; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  /** Releases the snapshot. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Longest time that a snapshot is kept without being read, in milliseconds: the time that a part of a request may take. A
 * longer pause blocks other readers and lets the files of the store grow.
 */
export const SNAPSHOT_IDLE_MS = 15_000;

/**
 * Time for which a snapshot can be read if it is never idle that long, in milliseconds. Engines on the network drop old states
 * at about this age.
 */
export const SNAPSHOT_AGE_MAX_MS = 600_000;
