import type {Snapshot} from '../domain/commits/snapshot.ts';
import {EXPORT_PAGE_BYTES_MAX, EXPORT_PAGE_ENTRIES_MAX, type Export} from '../domain/commits/transfer.ts';
import type {Entry} from '../domain/entries/entry.ts';
import type {Key, Prefix} from '../domain/entries/key.ts';
import type {Range} from '../domain/entries/range.ts';
import {formatEntryLines, formatHeaderLine, formatTrailerLine} from '../protocol/transfer/export-lines.ts';
import type {ImportTargetDeps} from './import-target.ts';

export interface ExportRunDeps extends Pick<ImportTargetDeps, 'store' | 'pause'> {
  /** The entries to export. */
  readonly prefix: Prefix;
}

/**
 * Starts an export: takes a snapshot and reads its first page, so that a failure there is thrown before the response begins.
 *
 * @throws {AppError} `entry-corrupt`, `store-closed`; then the snapshot is closed.
 */
export async function startExport({store, pause, prefix}: ExportRunDeps): Promise<Export> {
  const snapshot = await store.snapshot();
  const chunks = readChunks(snapshot, {pause, prefix});
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
  snapshot: Snapshot,
  {prefix, pause}: Pick<ExportRunDeps, 'prefix' | 'pause'>,
): AsyncGenerator<Uint8Array, undefined, undefined> {
  try {
    const {revision} = snapshot;
    let before = formatHeaderLine({revision, prefix});
    let count = 0;
    let after: Key | undefined;
    for (;;) {
      const entries = await readPage(snapshot, {prefix, after});
      count += entries.length;
      after = entries.at(-1)?.key;
      if (after === undefined) break;
      yield formatEntryLines(entries, before);
      before = '';
      await pause();
    }
    yield new TextEncoder().encode(`${before}${formatTrailerLine(count)}`);
  } finally {
    await snapshot[Symbol.asyncDispose]();
  }
}

function readPage(snapshot: Snapshot, range: Pick<Range, 'prefix' | 'after'>): Promise<readonly Entry[]> {
  const page = {limit: EXPORT_PAGE_ENTRIES_MAX, valuesBytesMax: EXPORT_PAGE_BYTES_MAX};
  return snapshot.list({...range, ...page, values: true});
}
