import type {Writer} from '../domain/commits/commit.ts';
import type {CallerTransfer, Export, ExportOptions, Imported, ImportOptions} from '../domain/commits/transfer.ts';
import type {CommonDeps} from '../domain/common-deps.ts';
import {parsePrefix} from '../domain/entries/key.ts';
import {NO_FAULTS} from '../domain/faults/active-faults.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import type {EntryServiceDeps} from './entry-service.ts';
import {startExport} from './export-run.ts';
import {ImportRun} from './import-run.ts';
import {createImportTarget, type ImportTargetDeps} from './import-target.ts';

export interface TransferDeps
  extends Pick<ImportTargetDeps, 'store' | 'pause' | 'onExpiringEntries'>,
    Pick<EntryServiceDeps, 'faults' | 'limits'>,
    Pick<CommonDeps, 'nowMs'> {}

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
