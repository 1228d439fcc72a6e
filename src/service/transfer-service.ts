import {VALUE_BYTES_MAX} from '../domain/entries.ts';
import {JSON_DEPTH_MAX} from '../domain/json-text.ts';
import {parsePrefix} from '../domain/key.ts';
import type {Store} from '../domain/store.ts';
import type {Export, ExportOptions, Imported, ImportOptions, Transfer} from '../domain/transfer.ts';
import {startExport} from './export-run.ts';
import {ImportRun} from './import-run.ts';

/** What exports and imports need. */
export interface TransferDeps {
  readonly store: Store;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Lets others have their turn: what is read page by page may come from memory, and never wait. */
  readonly pause: () => Promise<void>;
  /** Told when entries that expire were stored. */
  readonly onExpiringEntries: () => void;
  /** Largest value, in bytes. @default {VALUE_BYTES_MAX} */
  readonly valueBytesMax?: number | undefined;
  /** Deepest nesting of a value, in levels. @default {JSON_DEPTH_MAX} */
  readonly valueDepthMax?: number | undefined;
}

/** Makes what takes entries out of a store and brings them in again. */
export function createTransferService(deps: TransferDeps): Transfer {
  const {store, pause, valueBytesMax = VALUE_BYTES_MAX, valueDepthMax = JSON_DEPTH_MAX} = deps;
  const limits = {valueBytesMax, valueDepthMax};
  return {
    export: async ({prefix = ''}: ExportOptions = {}): Promise<Export> =>
      startExport({store, pause, prefix: parsePrefix(prefix)}),
    import: async (chunks, options: ImportOptions = {}): Promise<Imported> =>
      new ImportRun({...deps, limits}, options).run(chunks),
  };
}
