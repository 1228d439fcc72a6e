import {type Revision, trustStoredKey} from '../core/domain/entries/identifiers.ts';
import {AppError} from '../core/failures/app-error.ts';
import {describeDataDirectory, unusableDirectory} from './disk/data-directory.ts';
import {decodeChangeLogKey, decodeChangeLogRecord} from './format/change-log-record.ts';
import {decodeEntryRecord} from './format/entry-record.ts';
import {decodeMetadata} from './format/store-metadata.ts';
import {OpeningError} from './lmdb/opening-limits.ts';
import {readTables, type TableReader} from './lmdb/read-tables.ts';
import {sum} from './plan/prepare-commit.ts';
import {isSoundRow} from './tree/commit-rows.ts';
import {encodeExpiry} from './tree/expiry-index.ts';
import {readWriteAheadLog} from './wal/recovery.ts';

/** Result of a verification. */
export interface Verification {
  /** Number of entries that could be read, sound and corrupt. */
  readonly entries: number;
  /** Keys of the entries whose checksum fails, in their order. */
  readonly corruptKeys: readonly string[];
  /** Number of entries that cannot be read: their page is damaged, or one before it, behind which the engine does not read on. */
  readonly lostEntries: number;
  /** Messages about what the engine cannot read. */
  readonly damage: readonly string[];
  /** Number of records of the change log, and rows of ids of its commits, that are damaged or lost. No entry is lost; subscribers start over. */
  readonly damagedChanges: number;
  /**
   * Number of rows of the expiry index that do not match the entries, are damaged, or are missing. Reads are not affected; if a row
   * is missing, the expiry of its entry is never announced.
   */
  readonly wrongExpiries: number;
  /** Number of changes only in the write-ahead log, since the store was not closed; the next opening reads them. */
  readonly uncheckpointedChanges: number;
  /** True if the write-ahead log is missing: commits that were only in it are lost, and the next opening gives the store a new id. */
  readonly walMissing: boolean;
  /** The reason why a part of the write-ahead log cannot be read; undefined if all of it can. */
  readonly walDamage: string | undefined;
  /** A damaged part of the write-ahead log that holds no commit; undefined if there is none. */
  readonly harmlessWalDamage: string | undefined;
  /** True if the record with the id of the store is damaged; the next opening gives the store a new id. */
  readonly storeIdDamaged: boolean;
}

export interface VerifyOptions {
  /** Called with the number of entries that are checked, and the number of all entries if it is known. */
  readonly onProgress?: ((checked: number, total: number | undefined) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads every record of the store in a data directory and verifies its checksum, without changing anything. No service may be using
 * the directory, and `assertUndamaged` must have accepted its file.
 *
 * @throws {AppError} `data-directory-unusable` if the engine cannot open files there. The reason of `signal` if it is aborted.
 */
export async function verifyStore(dataDir: string, {onProgress, signal}: VerifyOptions = {}): Promise<Verification> {
  const directory = describeDataDirectory(dataDir);
  /** Rows that the expiry index should have, according to the entries. */
  const expected = new Set<string>();
  let checkpointed: Revision = 0;
  let walId: string | undefined;
  const tables = {
    entries: new TableFindings((key, record) => isSoundEntry(key, record, expected), onProgress),
    changes: new TableFindings((key, record) => {
      const last = decodeChangeLogRecord(record)?.at(-1)?.revision;
      const named = decodeChangeLogKey(key);
      // Records come in their order. The changes of a sound record are more reliable than its key.
      checkpointed = last ?? named ?? checkpointed;
      return last !== undefined && last === named;
    }),
    expiries: new TableFindings(row => expected.delete(row.toString('base64'))),
    commits: new TableFindings(isSoundRow),
    metadata: new TableFindings((_, record) => {
      const decoded = decodeMetadata(record);
      walId = decoded?.walId;
      return decoded !== undefined;
    }),
  };
  const damage = await readTables(directory.storePath, tables, signal).catch(error => {
    throw error instanceof OpeningError ? unusableDirectory(dataDir, error) : error;
  });
  const {entries, changes, expiries, commits, metadata} = tables;
  const wal = await readWriteAheadLog(directory, {checkpointed, walId});
  return {
    entries: entries.records,
    corruptKeys: entries.corruptKeys,
    lostEntries: entries.lost,
    damage: entries.surplus === 0 ? damage : [...damage, `${entries.surplus} entries are there that were deleted`],
    storeIdDamaged: metadata.corruptKeys.length + metadata.lost > 0,
    damagedChanges: sum([changes, commits], ({corruptKeys, lost}) => corruptKeys.length + lost),
    wrongExpiries: expiries.corruptKeys.length + expected.size,
    uncheckpointedChanges: sum(wal.records, record => record.changes.length),
    walMissing: walId !== undefined && !wal.isThere,
    walDamage: wal.damage,
    harmlessWalDamage: wal.damage === undefined ? wal.harmless : undefined,
  };
}

/** Records of a table, and those of them that are not sound. */
class TableFindings implements TableReader {
  readonly #isSound: (key: Buffer, record: Buffer) => boolean;
  readonly #onProgress: VerifyOptions['onProgress'];
  readonly corruptKeys: string[] = [];
  records = 0;
  #expected = 0;

  constructor(isSound: (key: Buffer, record: Buffer) => boolean, onProgress?: VerifyOptions['onProgress']) {
    this.#isSound = isSound;
    this.#onProgress = onProgress;
  }

  expect(records: number): void {
    this.#expected = records;
  }

  take(key: Buffer, record: Buffer): void {
    if (!this.#isSound(key, record)) this.corruptKeys.push(key.toString());
    this.records++;
    this.#onProgress?.(this.records, this.#expected);
  }

  /** Number of records that were not read. */
  get lost(): number {
    return Math.max(0, this.#expected - this.records);
  }

  /** Number of records beyond those of the table: an old page is in the place of a newer one. */
  get surplus(): number {
    return Math.max(0, this.records - this.#expected);
  }
}

function isSoundEntry(key: Buffer, record: Buffer, expected: Set<string>): boolean {
  try {
    const {expiresAtMs} = decodeEntryRecord(trustStoredKey(key.toString()), record);
    if (expiresAtMs !== undefined) expected.add(encodeExpiry(expiresAtMs, key).toString('base64'));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
