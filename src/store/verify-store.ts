import {join} from 'node:path';
import {trustStoredKey} from '../domain/entries/key.ts';
import type {Revision} from '../domain/entries/revision.ts';
import {AppError} from '../failures/app-error.ts';
import {describeDataDirectory} from './disk/data-directory.ts';
import {decodeChangeLogKey, decodeChangeLogRecord} from './format/change-log-record.ts';
import {decodeEntryRecord} from './format/entry-record.ts';
import {decodeMetadata, type StoreMetadata} from './format/store-metadata.ts';
import {type FileTable, LmdbFile} from './lmdb/page-reader.ts';
import {sum} from './plan/prepare-commit.ts';
import {encodeExpiry} from './tree/expiry-index.ts';
import {readWriteAheadLog} from './wal/recovery.ts';

/** Result of a verification. */
export interface Verification {
  /** Number of entries that could be read, sound and corrupt. */
  readonly entries: number;
  /** Keys of the entries whose checksum fails, in their order. */
  readonly corruptKeys: readonly string[];
  /** Number of missing entries: their pages cannot be read, so their keys are unknown. */
  readonly lostEntries: number;
  /** Messages about the pages that cannot be read. */
  readonly damage: readonly string[];
  /** Number of records of the change log that are damaged or lost. No entry is lost; subscribers start over. */
  readonly damagedChanges: number;
  /**
   * Number of rows of the expiry index that do not match the entries, are damaged, or are missing. Reads are not affected; if a row
   * is missing, the expiry of its entry is never announced.
   */
  readonly wrongExpiries: number;
  /** Number of changes that are only in the write-ahead log, since the store was not closed; the next opening reads them. */
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
 * @throws The reason of `signal` if it is aborted.
 */
export async function verifyStore(dataDir: string, options: VerifyOptions = {}): Promise<Verification> {
  const directory = describeDataDirectory(dataDir);
  using file = new LmdbFile(join(directory.storePath, 'data.mdb'));
  const {tables, damage} = file.tables();
  const pick = (name: string): FileTable | undefined => tables.find(table => table.name === name);
  const expected = new ExpectedExpiries();
  const entries = await verifyTable(
    file,
    pick('entries'),
    (key, record) => isSoundEntry(key, record, expected),
    options,
  );
  let checkpointed: Revision = 0;
  const isSoundChange = (key: Buffer, record: Buffer): boolean => {
    const last = decodeChangeLogRecord(record)?.at(-1)?.revision;
    const named = decodeChangeLogKey(key);
    // Records come in their order. The changes of a sound record are more reliable than its key.
    checkpointed = last ?? named ?? checkpointed;
    return last !== undefined && last === named;
  };
  const changes = await verifyTable(file, pick('changes'), isSoundChange, {signal: options.signal});
  const expiries = await verifyTable(file, pick('expiries'), row => expected.find(row), {signal: options.signal});
  let metadata: StoreMetadata | undefined;
  const isSoundMetadata = (_: Buffer, record: Buffer): boolean => {
    metadata = decodeMetadata(record);
    return metadata !== undefined;
  };
  const about = await verifyTable(file, pick('metadata'), isSoundMetadata, {signal: options.signal});
  const walId = metadata?.walId;
  const wal = await readWriteAheadLog(directory, {checkpointed, walId});
  return {
    entries: entries.records,
    corruptKeys: entries.corruptKeys,
    lostEntries: entries.lost,
    damage: [...damage, ...entries.damage, ...changes.damage, ...expiries.damage, ...about.damage],
    storeIdDamaged: about.corruptKeys.length + about.lost > 0,
    damagedChanges: changes.corruptKeys.length + changes.lost,
    wrongExpiries: expiries.corruptKeys.length + expected.missing,
    uncheckpointedChanges: sum(wal.records, record => record.changes.length),
    walMissing: walId !== undefined && !wal.isThere,
    walDamage: wal.damage,
    harmlessWalDamage: wal.damage === undefined ? wal.harmless : undefined,
  };
}

async function verifyTable(
  file: LmdbFile,
  table: FileTable | undefined,
  isSound: (key: Buffer, value: Buffer) => boolean,
  {onProgress, signal}: VerifyOptions,
) {
  const found = {records: 0, corruptKeys: [] as string[], damage: [] as string[], lost: 0};
  if (table === undefined) return found;
  for await (const each of file.records(table)) {
    signal?.throwIfAborted();
    if (each.kind === 'damage') {
      found.damage.push(each.problem);
      continue;
    }
    if (each.value === undefined || !isSound(each.key, each.value)) found.corruptKeys.push(each.key.toString());
    found.records++;
    onProgress?.(found.records, table.records);
  }
  found.lost = Math.max(0, table.records - found.records);
  return found;
}

function isSoundEntry(key: Buffer, record: Buffer, expected: ExpectedExpiries): boolean {
  try {
    const {expiresAtMs} = decodeEntryRecord(trustStoredKey(key.toString()), record);
    if (expiresAtMs !== undefined) expected.add(encodeExpiry(expiresAtMs, key));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Rows that the expiry index should have, according to the entries. */
class ExpectedExpiries {
  readonly #rows = new Set<string>();

  add(row: Buffer): void {
    this.#rows.add(row.toString('base64'));
  }

  /** Removes a row that was found. @returns False if it should not be there. */
  find(row: Buffer): boolean {
    return this.#rows.delete(row.toString('base64'));
  }

  /** Number of rows that were not found. */
  get missing(): number {
    return this.#rows.size;
  }
}
