import {join} from 'node:path';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {
  type DecodedHeader,
  type DecodedRecord,
  decodeWalChanges,
  decodeWalHeader,
  nextBeginning,
  SECTOR_BYTES,
  type SectorContent,
  sealedBytes,
  sealedPosition,
  unseal,
} from './wal-format.ts';
import {type RecordPosition, WAL_FILE_BYTES, WAL_FILES, WAL_RECORD_BYTES_MAX} from './write-ahead-log.ts';

/** Content of a write-ahead log that is not checkpointed. */
export interface Recovery {
  /** Records without a gap, in their order: the first one follows the last revision of the tree. */
  readonly records: readonly RecoveredRecord[];
  /** Other sound records, in their order: commits before them are missing, or they are of another store. */
  readonly behind: readonly RecoveredRecord[];
  /** The reason why acknowledged commits may be missing; undefined if all are there. */
  readonly damage: string | undefined;
  /** A damaged part that holds no commit which the tree lacks; undefined if there is none. */
  readonly harmless: string | undefined;
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

/** A log whose files are missing. */
const NONE: Recovery = {records: [], behind: [], damage: undefined, harmless: undefined, isThere: false};

/** A file of the log as it was read. */
interface ReadFile extends SectorContent {
  readonly name: RecordPosition['file'];
  /** Undefined if it is missing. */
  readonly bytes: Buffer | undefined;
}

/** The header of a record, and its file. */
interface FoundHeader extends DecodedHeader {
  readonly file: ReadFile;
  /** True if its sector is damaged: it may be a copy that a disk wrote to a wrong place. */
  readonly isDoubtful: boolean;
  /** Undefined if its changes are not sound. */
  readonly record: RecoveredRecord | undefined;
}

/**
 * Reads the write-ahead log of a store that was not closed. A record that was cut off at the end was never acknowledged: each
 * record is written only after the one before it is on disk, so there is at most one such record.
 */
export async function readWriteAheadLog(
  {files: disk, storePath}: DataDirectory,
  {checkpointed, walId}: CheckpointedState,
): Promise<Recovery> {
  const bytesOf = await Promise.all(WAL_FILES.map(name => disk.readFile(join(storePath, name), Infinity)));
  if (bytesOf.every(bytes => bytes === undefined)) return NONE;
  const files = WAL_FILES.map((name, index): ReadFile => {
    const bytes = bytesOf[index];
    return {name, bytes, ...unseal(bytes ?? Buffer.alloc(0), index, WAL_FILE_BYTES)};
  });
  // Of equal ones the first counts.
  const headers = files.flatMap(findHeaders).sort((a, b) => Number(a.isDoubtful) - Number(b.isDoubtful));
  const found = headers
    .flatMap(({record}) => (record !== undefined && record.first > checkpointed ? [record] : []))
    .sort((a, b) => a.first - b.first)
    .filter(({first, storeId}, index, all) => first !== all[index - 1]?.first || storeId !== all[index - 1]?.storeId);
  const own = found.filter(({storeId}) => storeId === walId);
  const records = own.slice(0, countConnected(own, checkpointed));
  // Without a name in the tree the creation of the files may have been interrupted.
  const lost = walId === undefined ? undefined : findLost(files, {headers, checkpointed});
  const damaged = walId === undefined ? undefined : files.find(({damagedAt}) => damagedAt.length > 0);
  return {
    records,
    behind: found.filter(record => !records.includes(record)),
    damage: findForeign(found, walId) ?? findGap(found, checkpointed) ?? lost,
    harmless: damaged && describeDamage(damaged, damaged.damagedAt[0] ?? 0),
    isThere: true,
  };
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
  return `its write-ahead log (${WAL_FILES.join(', ')}) has the commits ${foreign.first} to ${records.at(-1)?.last} of another data.mdb than the one beside it; put that data.mdb back`;
}

function findGap(records: readonly DecodedRecord[], checkpointed: Revision): string | undefined {
  const end = countConnected(records, checkpointed);
  if (end === records.length) return undefined;
  const missing = (records[end - 1]?.last ?? checkpointed) + 1;
  return `its write-ahead log lacks the commits ${missing} to ${(records[end]?.first ?? missing) - 1}`;
}

/**
 * Finds every sound header in a file, also after a damaged record. No key and no value looks like a header: they have no zero bytes, and
 * every header has some.
 */
function findHeaders(file: ReadFile): readonly FoundHeader[] {
  const {name, bytes, content} = file;
  const found: FoundHeader[] = [];
  for (let at = 0; at < content.length; ) {
    const header = decodeWalHeader(content, at);
    const changes = header && decodeWalChanges(content, at, header);
    const end = nextBeginning(header === undefined || changes === undefined ? at + 1 : header.end);
    if (header !== undefined) {
      const sealed = bytes?.subarray(sealedPosition(at), sealedPosition(end)) ?? Buffer.alloc(0);
      const position = {file: name, at: sealedPosition(at), bytes: sealed};
      const isDoubtful = file.damagedAt.includes(position.at);
      found.push({...header, file, isDoubtful, record: changes && {...header, changes, position}});
    }
    at = end;
  }
  return found;
}

/**
 * Finds damage where the record after the newest one may be, which was acknowledged if all of it was written: its header cannot be read,
 * or a sector behind that. A record without damage that is not whole was interrupted. Anywhere else there is no commit that the tree or a
 * found record does not have: the log is written in one order, and what is missing before a sound record is a gap.
 */
function findLost(
  files: readonly ReadFile[],
  {headers, checkpointed}: {readonly headers: readonly FoundHeader[]; readonly checkpointed: Revision},
): string | undefined {
  // The changes of a checkpointed record do not matter; it shows where the next one begins.
  const written = headers.filter(({record, last}) => record !== undefined || last <= checkpointed);
  const newest = written.reduce<FoundHeader | undefined>(
    (a, b) => (a !== undefined && a.last >= b.last ? a : b),
    undefined,
  );
  const known = Math.max(checkpointed, newest?.last ?? 0);
  for (const {file, at} of placesAfter(newest, {files, checkpointed})) {
    const header = decodeWalHeader(file.content, at);
    const start = sealedPosition(at);
    // An older record is there if nothing was written over it; but one in a damaged sector may have been written over the next one.
    const isNext = header !== undefined && header.first > known;
    const end = isNext ? sealedPosition(nextBeginning(header.end)) : start + SECTOR_BYTES;
    const damagedAt = file.damagedAt.find(each => each >= start && each < end);
    if (damagedAt !== undefined)
      return `${describeDamage(file, damagedAt)}, where commits after ${known} that were acknowledged may have been`;
  }
  return undefined;
}

interface Place {
  readonly file: ReadFile;
  /** Position in the content of the file. */
  readonly at: number;
}

/** Returns the places where the record after the newest one may begin. */
function placesAfter(
  newest: FoundHeader | undefined,
  {files, checkpointed}: {readonly files: readonly ReadFile[]; readonly checkpointed: Revision},
): readonly Place[] {
  if (newest === undefined) return files.slice(0, 1).map(file => ({file, at: 0}));
  const {file, last} = newest;
  const at = nextBeginning(newest.end);
  if (sealedPosition(at) + sealedBytes(WAL_RECORD_BYTES_MAX) <= WAL_FILE_BYTES) return [{file, at}];
  // One that did not fit there is at the beginning of a file of which everything was checkpointed.
  const free = files.filter(each => each !== file || last <= checkpointed);
  return [{file, at}, ...free.map(each => ({file: each, at: 0}))];
}

function describeDamage({name, bytes}: ReadFile, at: number): string {
  if (bytes === undefined) return `its file ${name} is missing`;
  if (at + SECTOR_BYTES > bytes.length)
    return `its file ${name} has ${bytes.length} bytes and should have ${WAL_FILE_BYTES}`;
  return `its file ${name} is damaged at byte ${at}`;
}
