import {join} from 'node:path';
import {AppError} from '../domain/failure.ts';
import type {Key} from '../domain/key.ts';
import {describeDataDirectory} from './data-directory.ts';
import {type FileTable, LmdbFile} from './lmdb-file.ts';
import {decodeLogRecord} from './log-record.ts';
import {decodeRecord} from './record.ts';

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
  using file = new LmdbFile(join(describeDataDirectory(dataDir).storePath, 'data.mdb'));
  const {tables, damage} = file.tables();
  const pick = (name: string): FileTable | undefined => tables.find(table => table.name === name);
  const entries = await verifyTable(file, pick('entries'), isSoundEntry, options);
  const changes = await verifyTable(file, pick('changes'), isSoundChange, {signal: options.signal});
  return {
    entries: entries.records,
    corruptKeys: entries.corruptKeys,
    lostEntries: entries.lost,
    damage: [...damage, ...entries.damage, ...changes.damage],
    damagedChanges: changes.corruptKeys.length + changes.lost,
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
  isSound: (key: Key, value: Buffer) => boolean,
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
    const key = each.key.toString() as Key;
    if (each.value === undefined || !isSound(key, each.value)) found.corruptKeys.push(key);
    found.records++;
    onProgress?.(found.records, table.records);
  }
  found.lost = Math.max(0, table.records - found.records);
  return found;
}

function isSoundEntry(key: Key, record: Buffer): boolean {
  try {
    decodeRecord(key, record);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function isSoundChange(_key: Key, record: Buffer): boolean {
  return decodeLogRecord(record) !== undefined;
}
