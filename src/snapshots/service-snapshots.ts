import type {SnapshotBefore, Snapshots} from '../domain/commits/snapshots.ts';
import type {Store} from '../domain/commits/store.ts';
import type {Transfer} from '../domain/commits/transfer.ts';
import {type SnapshotPlace, saveBefore} from './automatic-snapshots.ts';
import {formatUndo} from './undo-command.ts';

export interface SnapshotsDeps {
  readonly store: Pick<Store, 'id'>;
  readonly transfer: Pick<Transfer, 'export'>;
  /** The place of snapshots; undefined if the store is in memory. */
  readonly place: SnapshotPlace | undefined;
  /** Returns the flags that name this service and its directories to a command. */
  readonly flags: () => readonly string[];
  readonly platform: string;
}

/** Creates the snapshots that a service makes by itself: for pages, which cannot write files. */
export function createSnapshots({store, transfer, place, flags, platform}: SnapshotsDeps): Snapshots {
  return {
    saveBeforeImport: async (prefix): Promise<SnapshotBefore | undefined> => {
      if (place === undefined) return undefined;
      // Before the export: of a store that takes the place of this one meanwhile, the revision is refused later.
      const {id: storeId} = store;
      const exported = await transfer.export({prefix});
      try {
        const name = await saveBefore('import', exported, place);
        return {name, storeId, revision: exported.revision, undo: formatUndo(name, flags(), platform)};
      } finally {
        // Unread if the directory cannot be used.
        await exported.return();
      }
    },
  };
}
