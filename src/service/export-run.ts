import type {Snapshot} from '../domain/commits/snapshot.ts';
import type {Store} from '../domain/commits/store.ts';
import {EXPORT_PAGE_BYTES_MAX, EXPORT_PAGE_ENTRIES_MAX, type Export} from '../domain/commits/transfer.ts';
import type {Entry} from '../domain/entries/entry.ts';
import type {Key, Prefix} from '../domain/entries/key.ts';
import type {Range} from '../domain/entries/range.ts';
import type {Revision} from '../domain/entries/revision.ts';
import {formatEntryLines, formatHeaderLine, formatTrailerLine} from '../protocol/transfer/export-lines.ts';

/** Dependencies of {@link startExport}, and the entries to export. */
export interface ExportRunDeps {
  readonly store: Pick<Store, 'snapshot'>;
  readonly pause: () => Promise<void>;
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
  const first = await chunks.next();
  return new OpenExport({revision: snapshot.revision, chunks, first});
}

interface OpenExportParts {
  readonly revision: Revision;
  readonly chunks: AsyncGenerator<Uint8Array, undefined, undefined>;
  readonly first: IteratorResult<Uint8Array, undefined>;
}

/** The chunks of an export. The first was read at the start. */
class OpenExport implements Export {
  readonly revision: Revision;
  readonly #chunks: AsyncGenerator<Uint8Array, undefined, undefined>;
  #first: IteratorResult<Uint8Array, undefined> | undefined;

  constructor({revision, chunks, first}: OpenExportParts) {
    this.revision = revision;
    this.#chunks = chunks;
    this.#first = first;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#chunks.next();
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#first = undefined;
    await this.#chunks.return(undefined);
    return {done: true, value: undefined};
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
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
