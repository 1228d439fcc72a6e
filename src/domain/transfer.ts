import type {Revision} from './entry.ts';
import {KEY_BYTES_MAX} from './key.ts';

/**
 * Takes entries out of the store and brings them in again, as lines of text: see `export-lines.ts` for the lines.
 */
export interface Transfer {
  /**
   * The entries as they are at one revision, byte for byte, while writes go on. Whoever asks reads it to its end, or
   * ends it with `return()`: until then the store keeps what is overwritten.
   *
   * @throws {AppError} `invalid-parameter`; `entry-corrupt`, also in the middle, where the lines then end without a
   * trailer; `store-closed`.
   */
  export(options?: ExportOptions): Promise<Export>;

  /**
   * Stores the entries of an export, each byte for byte and with its time of expiry, but as a new write of now. Up to
   * `TRANSACTION_OPERATIONS_MAX` entries and `TRANSACTION_BYTES_MAX` bytes are one commit: all or nothing. More are
   * stored in batches of that size, and a failure tells how many were. Importing again is always safe.
   *
   * @param chunks The bytes of the export, cut anywhere. They are not changed until they are stored.
   * @throws {AppError} `invalid-import` with the line; whatever `chunks` throws; `disk-full`, `store-read-only`,
   * `store-busy`, `store-closed`, with how many entries were stored before.
   */
  import(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options?: ImportOptions): Promise<Imported>;
}

/** Which entries are exported. */
export interface ExportOptions {
  /** Only keys that begin with it. @default {''} */
  readonly prefix?: string | undefined;
}

/** The bytes of an export, some 256 KiB at a time. */
export interface Export extends AsyncIterableIterator<Uint8Array> {
  readonly revision: Revision;
  /** Ends it early. Doing so twice, or after the end, is fine. */
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** How an export is imported. */
export interface ImportOptions {
  /** @default {'merge'} */
  readonly mode?: ImportMode | undefined;
  /** Whether everything is read and checked, and nothing stored. @default {false} */
  readonly dryRun?: boolean | undefined;
}

/**
 * `merge` leaves entries that the export does not have. `replace` deletes those among them whose keys begin with the
 * prefix of the export, after everything is stored, and only if they were not written since the import began.
 */
export type ImportMode = 'merge' | 'replace';

/** What became of an import; of a dry run, what would have. */
export interface Imported {
  readonly dryRun: boolean;
  /** How many entries the export has. */
  readonly entries: number;
  /** How many of them had no entry before. Of lines with the same key the last one counts. */
  readonly created: number;
  readonly replaced: number;
  /** How many of them were left out, since their time had come. */
  readonly expired: number;
  /** How many others were deleted, with `replace`. */
  readonly deleted: number;
  /** In how many commits they were stored. */
  readonly batches: number;
  /** The revision of the last commit. */
  readonly revision: Revision;
}

/** A page of an export ends with the entry that reaches this many bytes: a slow reader holds no more of it in memory. */
export const EXPORT_PAGE_BYTES_MAX = 256 * 1024;

/** How many entries a page of an export has at most: about two milliseconds of work. */
export const EXPORT_PAGE_ENTRIES_MAX = 500;

/** Room for the names and times on the line of an entry, in bytes. */
const LINE_OVERHEAD_BYTES = 1024;

/**
 * Longest line of an import, in bytes. Each character of a key may be escaped with six bytes. A value may be a text
 * in turn, and be escaped so that it has three times the bytes, as when `é` is written as `\u00e9`.
 */
export function importLineBytesMax(valueBytesMax: number): number {
  return valueBytesMax * 3 + KEY_BYTES_MAX * 6 + LINE_OVERHEAD_BYTES;
}
