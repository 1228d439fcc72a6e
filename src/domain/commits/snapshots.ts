import type {StoreRevision} from '../entries/revision.ts';

/** The snapshot of entries before a change, with the revision that they are of and the way to restore it. */
export interface SnapshotBefore extends StoreRevision {
  readonly name: string;
  /** Command line that restores it, for the shell of the user of the service. */
  readonly undo: string;
}

/** Saves entries before a change that deletes many of them. */
export interface Snapshots {
  /**
   * Saves the entries under a prefix before an import that replaces them.
   *
   * @returns Undefined if the store is in memory: nothing is saved then.
   * @throws {AppError} `snapshot-failed`; what an export throws.
   */
  saveBeforeImport(prefix: string): Promise<SnapshotBefore | undefined>;
}
