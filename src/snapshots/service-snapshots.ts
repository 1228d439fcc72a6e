import type {SnapshotBefore, Snapshots} from '../domain/commits/snapshots.ts';
import type {Transfer} from '../domain/commits/transfer.ts';
import {type SnapshotPlace, saveBefore} from './automatic-snapshots.ts';
import {formatUndo} from './undo-command.ts';

export interface SnapshotsDeps {
  readonly transfer: Pick<Transfer, 'export'>;
  /** The place of snapshots; undefined if the store is in memory. */
  readonly place: SnapshotPlace | undefined;
  /** Returns the flags that name this service and its directories to a command. */
  readonly flags: () => readonly string[];
  readonly platform: string;
}

/** Creates the snapshots that a service makes by itself: for pages, which cannot write files. */
export function createSnapshots({transfer, place, flags, platform}: SnapshotsDeps): Snapshots {
  return {
    saveBeforeImport: async (prefix): Promise<SnapshotBefore | undefined> => {
      if (place === undefined) return undefined;
      const exported = await transfer.export({prefix});
      try {
        const name = await saveBefore('import', exported, place);
        return {name, revision: exported.revision, undo: formatUndo(name, flags(), platform)};
      } finally {
        // Unread if the directory cannot be used.
        await exported.return();
      }
    },
  };
}
