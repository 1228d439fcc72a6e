import {join} from 'node:path';
import type {Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {Key} from '../domain/key.ts';
import {describeDataDirectory} from './disk/data-directory.ts';
import {decodeChangeLogKey, decodeChangeLogRecord} from './format/change-log-record.ts';
import {decodeEntryRecord} from './format/entry-record.ts';
import {decodeMetadata, type StoreMetadata} from './format/store-metadata.ts';
import {type FileTable, LmdbFile} from './lmdb/page-reader.ts';
import {sum} from './plan/prepared-commit.ts';
import {encodeExpiry} from './tree/expiry-index.ts';
import {readWriteAheadLog} from './wal/recovery.ts';

/** What a verification found. */
export interface Verification {
  /** How many entries could be read, good and corrupt. */
  readonly entries: number;
  /** The keys of the entries whose checksum fails, in their order. */
  readonly corruptKeys: readonly string[];
  /** How many entries should be there besides: their pages cannot be read, so nobody knows their keys. */
  readonly lostEntries: number;
  /** The pages that cannot be read, in words. */
  readonly damage: readonly string[];
  /** How many records of the change log are damaged or lost. They are no data: who follows changes starts over. */
  readonly damagedChanges: number;
  /**
   * How many rows of the table of expiries say something else than the entries, are damaged, or are missing. For readers
   * nothing is wrong then; of an entry whose row is missing nobody hears when it expires.
   */
  readonly wrongExpiries: number;
  /** How many changes are in the write-ahead log only, since the store was not closed; whoever opens it next has them. */
  readonly uncheckpointedChanges: number;
  /** Why not all of the write-ahead log can be read, in words; undefined when it can. */
  readonly walDamage: string | undefined;
  /** Whether the record of the id of the store is damaged; whoever opens it next gives it a new one. */
  readonly storeIdDamaged: boolean;
}

/** How {@link verifyStore} tells how far it is, and is told to end. */
export interface VerifyOptions {
  readonly onProgress?: ((checked: number, total: number | undefined) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads every record of the store in a data directory and verifies its checksum. Nothing is changed.
 * Only for a directory that no service uses, and a file that `assertUndamaged` let pass.
 *
 * @throws The reason of `signal` when it is aborted.
 */
export async function verifyStore(dataDir: string, options: VerifyOptions = {}): Promise<Verification> {
  const {storePath} = describeDataDirectory(dataDir);
  using file = new LmdbFile(join(storePath, 'data.mdb'));
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
    // Records come in their order; what a sound one says of itself is more than what its key says.
    checkpointed = last ?? named ?? checkpointed;
    return last !== undefined && last === named;
  };
  const changes = await verifyTable(file, pick('changes'), isSoundChange, {signal: options.signal});
  const expiries = await verifyTable(file, pick('expiries'), row => expected.meet(row), {signal: options.signal});
  let metadata: StoreMetadata | undefined;
  const isSoundMetadata = (_: Buffer, record: Buffer): boolean => {
    metadata = decodeMetadata(record);
    return metadata !== undefined;
  };
  const about = await verifyTable(file, pick('metadata'), isSoundMetadata, {signal: options.signal});
  const walId = metadata?.walId;
  const wal = await readWriteAheadLog(storePath, {checkpointed, walId});
  const isGone = walId !== undefined && !wal.isThere;
  return {
    entries: entries.records,
    corruptKeys: entries.corruptKeys,
    lostEntries: entries.lost,
    damage: [...damage, ...entries.damage, ...changes.damage, ...expiries.damage, ...about.damage],
    storeIdDamaged: about.corruptKeys.length + about.lost > 0,
    damagedChanges: changes.corruptKeys.length + changes.lost,
    wrongExpiries: expiries.corruptKeys.length + expected.missing,
    uncheckpointedChanges: sum(wal.records, record => record.changes.length),
    walDamage: isGone ? 'its write-ahead log is missing: what was only in it is lost' : wal.damage,
  };
}

interface TableVerification {
  records: number;
  readonly corruptKeys: string[];
  readonly damage: string[];
  lost: number;
}

async function verifyTable(
  file: LmdbFile,
  table: FileTable | undefined,
  isSound: (key: Buffer, value: Buffer) => boolean,
  {onProgress, signal}: VerifyOptions,
): Promise<TableVerification> {
  const found: TableVerification = {records: 0, corruptKeys: [], damage: [], lost: 0};
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
    const {expiresAtMs} = decodeEntryRecord(key.toString() as Key, record);
    if (expiresAtMs !== undefined) expected.add(encodeExpiry(expiresAtMs, key));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** The rows that the table of expiries should have, as the entries say. */
class ExpectedExpiries {
  readonly #rows = new Set<string>();

  add(row: Buffer): void {
    this.#rows.add(row.toString('base64'));
  }

  /** Whether a row that is there should be. */
  meet(row: Buffer): boolean {
    return this.#rows.delete(row.toString('base64'));
  }

  /** How many rows are not there. */
  get missing(): number {
    return this.#rows.size;
  }
}
