import type {Writer} from '../domain/commits/commit.ts';
import type {Store} from '../domain/commits/store.ts';
import type {CallerTransfer, Export, ExportOptions, Imported, ImportOptions} from '../domain/commits/transfer.ts';
import {parsePrefix} from '../domain/entries/key.ts';
import {NO_FAULTS, type StoreFaults} from '../domain/faults/active-faults.ts';
import {DEFAULT_LIMITS, type Limits} from '../domain/limits.ts';
import {startExport} from './export-run.ts';
import {ImportRun} from './import-run.ts';
import {createImportTarget} from './import-target.ts';

export interface TransferDeps {
  readonly store: Store;
  /** @default {NO_FAULTS} */
  readonly faults?: StoreFaults | undefined;
  /** @default {DEFAULT_LIMITS} */
  readonly limits?: Limits | undefined;
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Waits for the next tick of the event loop. Called after each page, since reading a page from memory does not wait. */
  readonly pause: () => Promise<void>;
  /** Called after entries with a time of expiry were stored. */
  readonly onExpiringEntries: () => void;
}

/** Creates the service that exports and imports the entries of a store. */
export function createTransferService({
  faults = NO_FAULTS,
  limits = DEFAULT_LIMITS,
  ...deps
}: TransferDeps): CallerTransfer {
  const {store, pause} = deps;
  return {
    export: async ({prefix = ''}: ExportOptions = {}): Promise<Export> =>
      startExport({store, pause, prefix: parsePrefix(prefix)}),
    import: async (chunks, options: ImportOptions & Writer = {}): Promise<Imported> => {
      const target = await createImportTarget({...deps, faults, limits}, options);
      return new ImportRun({...deps, limits, target}, options).run(chunks);
    },
  };
}
