import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Revision} from '../../domain/entry.ts';
import {type DecodedRecord, decodeWalRecord, findMagic} from './wal-record.ts';
import {type RecordPosition, WAL_FILE_BYTES, WAL_FILES} from './write-ahead-log.ts';

/** What a write-ahead log holds that the tree has not. */
export interface Recovery {
  /** Commits without a gap, in their order: the first one follows the last that the tree has. */
  readonly records: readonly RecoveredRecord[];
  /** Why commits that were acknowledged are not among them; undefined when all are. */
  readonly damage: string | undefined;
  /** Whether there is any file of it. */
  readonly isThere: boolean;
}

/** A record, and where it stands. */
export interface RecoveredRecord extends DecodedRecord {
  readonly place: RecordPosition;
}

/** What of a write-ahead log belongs to a tree. */
export interface CheckpointedState {
  /** The last revision that the tree has. */
  readonly checkpointed: Revision;
  /** As `walId` of the metadata of the store. */
  readonly walId: string | undefined;
}

/** What the failures for a write-ahead log that cannot be used end with. */
const WITHOUT = `${WAL_FILES.join(' and ')} the store is as it was before them`;

/**
 * Reads what a store that was not closed left in its write-ahead log. A record that was cut off at the end was never
 * acknowledged: each is written only once the one before it is on disk, so there is at most one.
 */
export async function readWriteAheadLog(
  storePath: string,
  {checkpointed, walId}: CheckpointedState,
): Promise<Recovery> {
  const files = await Promise.all(WAL_FILES.map(name => readIfThere(join(storePath, name))));
  const found = WAL_FILES.flatMap((name, index) => findRecords(name, files[index] ?? Buffer.alloc(0), checkpointed));
  found.sort((a, b) => a.first - b.first);
  const records = found.slice(0, countConnected(found, checkpointed));
  const damage = findForeign(found, walId) ?? findCut(files, walId) ?? findGap(found, checkpointed);
  return {records, damage, isThere: files.some(file => file !== undefined)};
}

/** How many records follow each other, and the tree, without a gap. */
function countConnected(records: readonly DecodedRecord[], checkpointed: Revision): number {
  const end = records.findIndex(({first}, index) => first !== (records[index - 1]?.last ?? checkpointed) + 1);
  return end === -1 ? records.length : end;
}

/** A write-ahead log of another store, or of another state of this one, is none of this tree, however well its revisions fit. */
function findForeign(records: readonly DecodedRecord[], walId: string | undefined): string | undefined {
  const foreign = records.find(({storeId}) => storeId !== walId);
  if (foreign === undefined) return undefined;
  return `its write-ahead log (${WAL_FILES.join(', ')}) was written for other files than data.mdb beside it, with the commits ${foreign.first} to ${records.at(-1)?.last}; put those files back, or move the log away and start once with --new-store-id`;
}

function findGap(records: readonly DecodedRecord[], checkpointed: Revision): string | undefined {
  const end = countConnected(records, checkpointed);
  if (end === records.length) return undefined;
  const missing = (records[end - 1]?.last ?? checkpointed) + 1;
  return `its write-ahead log lacks the commits ${missing} to ${(records[end]?.first ?? missing) - 1}; without its files ${WITHOUT}`;
}

/**
 * Every sound record of a file that the tree has not, also behind a damaged one. No key and no value can be taken for a record:
 * they have no zero bytes, and every header has some.
 */
function findRecords(name: RecordPosition['file'], file: Buffer, checkpointed: Revision): readonly RecoveredRecord[] {
  const found: RecoveredRecord[] = [];
  for (let at = findMagic(file, 0); at !== -1; ) {
    const record = decodeWalRecord(file, at);
    if (record !== undefined && record.first > checkpointed)
      found.push({...record, place: {file: name, at, bytes: file.subarray(at, record.end)}});
    at = findMagic(file, record?.end ?? at + 1);
  }
  return found;
}

/** Files are made one after the other, each as large as it will ever be, and of zeros; the tree names a write-ahead log once both are there. */
function findCut(files: readonly (Buffer | undefined)[], walId: string | undefined): string | undefined {
  const [first, second] = files;
  if (first === undefined && second === undefined) return undefined;
  if (first === undefined || second === undefined) {
    const index = first === undefined ? 0 : 1;
    return walId !== undefined ? `its file ${WAL_FILES[index]} is missing; without ${WITHOUT}` : undefined;
  }
  const isBeingMade = walId === undefined && first.length === WAL_FILE_BYTES && first.every(byte => byte === 0);
  const index = isBeingMade ? -1 : files.findIndex(file => file !== undefined && file.length < WAL_FILE_BYTES);
  if (index === -1) return undefined;
  return `its file ${WAL_FILES[index]} has ${files[index]?.length} bytes and should have ${WAL_FILE_BYTES}; without ${WITHOUT}`;
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
