import {crc32} from 'node:zlib';
import type {Change} from '../../domain/commits/change.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {decodeChanges, encodeChanges, encodedBytesMax} from '../format/change-encoding.ts';
import {matchesChecksum, NUMBER_BYTES, toStoredTime} from '../format/numbers.ts';

/**
 * A record of the write-ahead log holds the commits of one group; all numbers big-endian:
 *
 * | bytes | content |
 * |---|---|
 * | 0–3 | the letters `CRW2`, where a record may begin |
 * | 4–7 | CRC-32 of the rest of the header |
 * | 8–11 | size of the changes, in bytes |
 * | 12–15 | CRC-32 of the changes |
 * | 16–21 | revision of the first change |
 * | 22–27 | revision of the last change |
 * | 28–33 | time of the write by the clock of the machine, in milliseconds since the Unix epoch |
 * | 34–39 | time by the clock of the store, likewise |
 * | 40–71 | the id of the store, padded with zeros |
 * | 72– | the changes, as `change-encoding.ts` writes them, each put with its value |
 */
const MAGIC = Buffer.from('CRW2');
const ID_BYTES_MAX = 32;
const HEADER_BYTES = 72;
const AT = {
  headerChecksum: 4,
  changesBytes: 8,
  changesChecksum: 12,
  first: 16,
  last: 22,
  updatedAt: 28,
  now: 34,
  storeId: 40,
} as const;

/** Content of a record of the write-ahead log. */
export interface WalRecord {
  /** At least one change; each put has its value. */
  readonly changes: readonly Change[];
  /** Time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** Time by the clock of the store, likewise. */
  readonly nowMs: number;
  /** Id of the store that wrote the record. */
  readonly storeId: string;
}

/** The header of a record that was read from a file. */
export interface DecodedHeader extends Omit<WalRecord, 'changes'> {
  /** Revision of its first change. */
  readonly first: Revision;
  /** Revision of its last change. */
  readonly last: Revision;
  /** Position after the record in the content of the file, in bytes. */
  readonly end: number;
}

/** A record that was read from a file. */
export interface DecodedRecord extends DecodedHeader, WalRecord {}

/** Returns the maximum size of a record of some changes, in bytes. */
export function walRecordBytesMax(changes: readonly Change[]): number {
  return HEADER_BYTES + encodedBytesMax(changes);
}

/** Writes a record at the beginning of a buffer that is large enough. @returns The part that was written. */
export function encodeWalRecord({changes, updatedAtMs, nowMs, storeId}: WalRecord, buffer: Buffer): Buffer {
  const end = encodeChanges(changes, buffer, HEADER_BYTES);
  const record = buffer.subarray(0, end);
  record.set(MAGIC);
  record.writeUInt32BE(end - HEADER_BYTES, AT.changesBytes);
  record.writeUInt32BE(crc32(record.subarray(HEADER_BYTES)), AT.changesChecksum);
  record.writeUIntBE(changes[0]?.revision ?? 0, AT.first, NUMBER_BYTES);
  record.writeUIntBE(changes.at(-1)?.revision ?? 0, AT.last, NUMBER_BYTES);
  record.writeUIntBE(toStoredTime(updatedAtMs), AT.updatedAt, NUMBER_BYTES);
  record.writeUIntBE(toStoredTime(nowMs), AT.now, NUMBER_BYTES);
  record.fill(0, AT.storeId, HEADER_BYTES);
  record.write(storeId, AT.storeId, ID_BYTES_MAX, 'latin1');
  record.writeUInt32BE(crc32(record.subarray(AT.changesBytes, HEADER_BYTES)), AT.headerChecksum);
  return record;
}

/** Reads the changes of the record at a position, given its header; undefined if they are not sound. */
export function decodeWalChanges(file: Buffer, at: number, {end}: DecodedHeader): readonly Change[] | undefined {
  const start = at + HEADER_BYTES;
  if (end > file.length) return undefined;
  if (!matchesChecksum(file.subarray(at), AT.changesChecksum, file.subarray(start, end))) return undefined;
  return decodeChanges(file, start, end);
}

/** Reads the header of the record at a position; undefined if there is no sound one. */
export function decodeWalHeader(file: Buffer, at: number): DecodedHeader | undefined {
  const header = file.subarray(at, at + HEADER_BYTES);
  if (!isHeaderSound(header)) return undefined;
  return {
    first: header.readUIntBE(AT.first, NUMBER_BYTES),
    last: header.readUIntBE(AT.last, NUMBER_BYTES),
    updatedAtMs: header.readUIntBE(AT.updatedAt, NUMBER_BYTES),
    nowMs: header.readUIntBE(AT.now, NUMBER_BYTES),
    storeId: header.toString('latin1', AT.storeId).replace(/\0+$/, ''),
    end: at + HEADER_BYTES + header.readUInt32BE(AT.changesBytes),
  };
}

function isHeaderSound(header: Buffer): boolean {
  return (
    header.length === HEADER_BYTES &&
    header.subarray(0, MAGIC.length).equals(MAGIC) &&
    matchesChecksum(header, AT.headerChecksum, header.subarray(AT.changesBytes))
  );
}
