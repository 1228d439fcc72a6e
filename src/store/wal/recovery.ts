import {join} from 'node:path';
import type {Revision} from '../../domain/revision.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {nextBeginning, type SectorContent, sealedPosition, unseal} from './sectors.ts';
import {type RecordPosition, WAL_FILE_BYTES, WAL_FILES} from './wal-files.ts';
import {type DecodedRecord, decodeWalRecord} from './wal-record.ts';

/** Content of a write-ahead log that is not checkpointed. */
export interface Recovery {
  /** Records without a gap, in their order: the first one follows the last revision of the tree. */
  readonly records: readonly RecoveredRecord[];
  /** The reason why acknowledged commits are missing; undefined if all are there. */
  readonly damage: string | undefined;
  /** True if one of the files exists. */
  readonly isThere: boolean;
}

/** A record with its position. */
export interface RecoveredRecord extends DecodedRecord {
  readonly position: RecordPosition;
}

/** State of the tree that a write-ahead log belongs to. */
export interface CheckpointedState {
  /** The last revision in the tree. */
  readonly checkpointed: Revision;
  /** `walId` in the metadata of the store. */
  readonly walId: string | undefined;
}

/** Content of a missing file. */
const NO_BYTES = Buffer.alloc(0);

/** Advice at the end of the messages about a damaged log. */
const ADVICE = `move ${WAL_FILES.join(' and ')} away to open the store without the commits in them`;

/**
 * Reads the write-ahead log of a store that was not closed. A record that was cut off at the end was never acknowledged: each
 * record is written only after the one before it is on disk, so there is at most one such record.
 */
export async function readWriteAheadLog(
  {files: disk, storePath}: DataDirectory,
  {checkpointed, walId}: CheckpointedState,
): Promise<Recovery> {
  const files = await Promise.all(WAL_FILES.map(name => disk.readFile(join(storePath, name), Infinity)));
  const contents = files.map((file, index) => unseal(file ?? NO_BYTES, index));
  const found = WAL_FILES.flatMap((name, index) =>
    findRecords(name, files[index] ?? NO_BYTES, {content: contents[index]?.content ?? NO_BYTES, checkpointed}),
  );
  found.sort((a, b) => a.first - b.first);
  const records = found.slice(0, countConnected(found, checkpointed));
  const damage =
    findForeign(found, walId) ?? findCut(files, walId) ?? findGap(found, checkpointed) ?? findUnsound(contents, walId);
  return {records, damage, isThere: files.some(file => file !== undefined)};
}

/** Counts the records at the beginning that follow the tree, and each other, without a gap. */
function countConnected(records: readonly DecodedRecord[], checkpointed: Revision): number {
  const end = records.findIndex(({first}, index) => first !== (records[index - 1]?.last ?? checkpointed) + 1);
  return end === -1 ? records.length : end;
}

/** Finds a record that another store wrote, or this store in another state: its revisions may fit all the same. */
function findForeign(records: readonly DecodedRecord[], walId: string | undefined): string | undefined {
  const foreign = records.find(({storeId}) => storeId !== walId);
  if (foreign === undefined) return undefined;
  return `its write-ahead log (${WAL_FILES.join(', ')}) has the commits ${foreign.first} to ${records.at(-1)?.last} of another data.mdb than the one beside it; put that data.mdb back, or move the log away and start once with --new-store-id`;
}

function findGap(records: readonly DecodedRecord[], checkpointed: Revision): string | undefined {
  const end = countConnected(records, checkpointed);
  if (end === records.length) return undefined;
  const missing = (records[end - 1]?.last ?? checkpointed) + 1;
  return `its write-ahead log lacks the commits ${missing} to ${(records[end]?.first ?? missing) - 1}; ${ADVICE}`;
}

/**
 * Finds every sound record of a file that is not checkpointed, also after a damaged one. No key and no value looks like a record:
 * they have no zero bytes, and every header has some.
 */
function findRecords(
  name: RecordPosition['file'],
  file: Buffer,
  {content, checkpointed}: {readonly content: Buffer; readonly checkpointed: Revision},
): readonly RecoveredRecord[] {
  const found: RecoveredRecord[] = [];
  for (let at = 0; at < content.length; ) {
    const record = decodeWalRecord(content, at);
    const end = nextBeginning(record?.end ?? at + 1);
    const bytes = file.subarray(sealedPosition(at), sealedPosition(end));
    if (record !== undefined && record.first > checkpointed)
      found.push({...record, position: {file: name, at: sealedPosition(at), bytes}});
    at = end;
  }
  return found;
}

/**
 * Finds a missing or shortened file. The tree names the log only after its files are complete, and not any more before they are
 * deleted.
 */
function findCut(files: readonly (Buffer | undefined)[], walId: string | undefined): string | undefined {
  if (walId === undefined || files.every(file => file === undefined)) return undefined;
  const index = files.findIndex(file => file?.length !== WAL_FILE_BYTES);
  if (index === -1) return undefined;
  const file = files[index];
  if (file === undefined) return `its file ${WAL_FILES[index]} is missing; ${ADVICE}`;
  return `its file ${WAL_FILES[index]} has ${file.length} bytes and should have ${WAL_FILE_BYTES}; ${ADVICE}`;
}

/** Finds a damaged sector, which may have held an acknowledged commit; an interrupted write leaves none. */
function findUnsound(contents: readonly SectorContent[], walId: string | undefined): string | undefined {
  if (walId === undefined) return undefined;
  const index = contents.findIndex(({damagedAt}) => damagedAt !== undefined);
  if (index === -1) return undefined;
  return `its file ${WAL_FILES[index]} is damaged at byte ${contents[index]?.damagedAt}, so that acknowledged commits may be missing; ${ADVICE}`;
}
