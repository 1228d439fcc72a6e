import type {Writer} from '../../core/domain/commits/commit.ts';
import {assertNames, EXPORT_NAMES, IMPORT_NAMES} from '../../core/domain/commits/option-names.ts';
import type {Snapshot} from '../../core/domain/commits/store.ts';
import {
  type CallerTransfer,
  EXPORT_PAGE_BYTES_MAX,
  EXPORT_PAGE_ENTRIES_MAX,
  type Export,
  type ExportOptions,
  type Imported,
  type ImportOptions,
} from '../../core/domain/commits/transfer.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {type Key, type Prefix, parsePrefix} from '../../core/domain/entries/identifiers.ts';
import {NO_FAULTS} from '../../core/domain/faults/fault.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {formatEntryLines, formatHeaderLine, formatTrailerLine} from '../../core/protocol/transfer/export-lines.ts';
import type {EntryServiceDeps} from './entry-service.ts';
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
  return {
    export: async (options: ExportOptions = {}): Promise<Export> => {
      assertNames(options, EXPORT_NAMES);
      return startExport(parsePrefix(options.prefix ?? ''), deps);
    },
    import: async (chunks, options: ImportOptions & Writer = {}): Promise<Imported> => {
      assertNames(options, IMPORT_NAMES, ['writtenBy']);
      const target = await createImportTarget({...deps, faults, limits}, options);
      return new ImportRun({...deps, limits, target}, options).run(chunks);
    },
  };
}

/**
 * Starts an export: takes a snapshot and reads its first page, so that a failure there is thrown before the response begins.
 *
 * @throws {AppError} `entry-corrupt`, `store-closed`; then the snapshot is closed.
 */
async function startExport(prefix: Prefix, {store, pause}: Pick<ImportTargetDeps, 'store' | 'pause'>): Promise<Export> {
  const snapshot = await store.snapshot();
  const chunks = readChunks(snapshot, {prefix, pause});
  // If it throws, it has disposed of the snapshot.
  let first: IteratorResult<Uint8Array, undefined> | undefined = await chunks.next();
  const takeFirst = (): typeof first => {
    const taken = first;
    first = undefined;
    return taken;
  };
  const started: Export = {
    revision: snapshot.revision,
    next: async () => takeFirst() ?? chunks.next(),
    async return() {
      takeFirst();
      await chunks.return(undefined);
      return {done: true, value: undefined};
    },
    [Symbol.asyncIterator]: () => started,
  };
  return started;
}

async function* readChunks(
  opened: Snapshot,
  {prefix, pause}: Pick<ImportTargetDeps, 'pause'> & {readonly prefix: Prefix},
): AsyncGenerator<Uint8Array, undefined, undefined> {
  await using snapshot = opened;
  const {revision} = snapshot;
  let before = formatHeaderLine({revision, prefix});
  let count = 0;
  let after: Key | undefined;
  for (;;) {
    const entries = await snapshot.list({...PAGE, prefix, after});
    count += entries.length;
    after = entries.at(-1)?.key;
    if (after === undefined) break;
    yield formatEntryLines(entries, before);
    before = '';
    await pause();
  }
  yield new TextEncoder().encode(`${before}${formatTrailerLine(count)}`);
}

const PAGE = {limit: EXPORT_PAGE_ENTRIES_MAX, valuesBytesMax: EXPORT_PAGE_BYTES_MAX, values: true} as const;
