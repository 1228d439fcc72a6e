import type {ListOptions} from '../entries/entries.ts';
import type {GivenRevision, Revision, StoreRevision} from '../entries/identifiers.ts';
import type {Writer} from './commit.ts';

/**
 * Exports and imports entries as lines of text (NDJSON). `core/protocol/transfer/export-lines.ts` defines the lines.
 */
export interface Transfer {
  /**
   * Exports the entries of one revision, byte for byte, while writes continue. The caller must read to the end or call
   * `return()`: until then the store keeps overwritten values.
   *
   * @throws {AppError} `invalid-parameter`; `entry-corrupt`, also during the iteration: the lines then end without a
   * trailer; `store-closed`.
   */
  export(options?: Pick<ListOptions, 'prefix'>): Promise<Export>;

  /**
   * Stores the entries of an export, byte for byte and with their times of expiry, as new writes. Up to
   * `Limits.transactionOperationsMax` entries and 8 MiB of values are one atomic commit. A larger import is
   * stored in batches of that size; a failure reports how many entries were stored. Importing is idempotent.
   *
   * @param chunks The bytes of the export, split anywhere. They must not change until they are stored.
   * @throws {AppError} `invalid-parameter` for a `keepAfter` of another store, or without `replace`; `invalid-import` with the line; every error of `chunks`; `disk-full`, `store-read-only`,
   * `busy`, `store-closed`, with the number of entries stored before.
   */
  import(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options?: ImportOptions): Promise<Imported>;
}

/** Exports and imports for callers that are known, such as those of the HTTP routes. */
export interface CallerTransfer extends Transfer {
  /** See {@link Transfer.import}. All entries of an import are written by its caller, not by those in the export. */
  import(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options?: ImportOptions & Writer): Promise<Imported>;
}

/** Selects the entries to export. */
export type ExportOptions = NonNullable<Parameters<Transfer['export']>[0]>;

/** The bytes of an export, in chunks of about 256 KiB. */
export interface Export extends AsyncIterableIterator<Uint8Array> {
  readonly revision: Revision;
  /** Ends the export early. Idempotent. */
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** Options of an import. */
export interface ImportOptions {
  /**
   * `merge` keeps entries that the export does not have. `replace` deletes those whose keys begin with the prefix of the export, after
   * everything is stored, unless they were written since the import began.
   *
   * @default {'merge'}
   */
  readonly mode?: 'merge' | 'replace' | undefined;
  /** `replace` deletes no entry that was written after this revision, such as that of a snapshot; `merge` refuses it. @default {the revision at which the import begins} */
  readonly keepAfter?: GivenRevision | undefined;
  /** Reads and checks everything, and stores nothing. @default {false} */
  readonly dryRun?: boolean | undefined;
}

/** The mode of an import. */
export type ImportMode = NonNullable<ImportOptions['mode']>;

/** The result of an import; of a dry run, the result that it would have. */
export interface Imported {
  readonly dryRun: boolean;
  /** Number of entries in the export. */
  readonly entries: number;
  /** Number of new entries. If a key occurs on several lines, the last one counts. */
  readonly created: number;
  readonly replaced: number;
  /** Number of entries that were skipped because they had expired. */
  readonly expired: number;
  /** Number of entries that `replace` deleted. */
  readonly deleted: number;
  /** Number of commits. */
  readonly batches: number;
  /** The revision of the last commit. */
  readonly revision: Revision;
}

/** Maximum size of the values of a commit of an import, in bytes: half of what the store writes at once. A larger value is a commit of its own. */
export const IMPORT_BATCH_BYTES_MAX = 8 * 1024 * 1024;

/** A page of an export ends with the entry that reaches this many bytes, which bounds the memory of a slow reader. */
export const EXPORT_PAGE_BYTES_MAX = 256 * 1024;

/** Maximum number of entries in a page of an export: about two milliseconds of work. */
export const EXPORT_PAGE_ENTRIES_MAX = 500;

/** The snapshot of entries before a change, with the revision that they are of and the way to restore it. */
export interface SnapshotBefore extends StoreRevision {
  readonly name: string;
  /** Command line that restores it, for the shell of the user of the service; undefined if none passes on the paths of its directories. */
  readonly undo: string | undefined;
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
