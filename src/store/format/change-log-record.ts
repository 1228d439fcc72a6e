import {crc32} from 'node:zlib';
import type {Revision} from '../../domain/entry.ts';
import type {Change} from '../../domain/store.ts';
import {encodeChanges, encodedBytesMax, readChanges} from './change-encoding.ts';

/**
 * A log record holds changes of commits that reached the disk together. Its key is the last of their revisions, eight
 * bytes big-endian, so that keys sort by revision. Its value, all numbers big-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 0 | version of this layout: 2 |
 * | 1 | zero |
 * | 2–5 | CRC-32 of bytes 6–33 |
 * | 6–11 | ordinal: how many changes were ever logged, with these |
 * | 12–17 | volume: how many bytes of keys and values were ever logged, with these |
 * | 18–23 | the highest time known to the store, in milliseconds since the Unix epoch |
 * | 24–29 | revision of the first change |
 * | 30–33 | CRC-32 of the rest |
 * | 34– | the changes, as `change-bytes.ts` writes them |
 *
 * The differences of two ordinals and two volumes tell how much lies between two records without reading them, and the
 * header has a checksum of its own so that it can be trusted without the rest.
 */
const CHANGE_LOG_RECORD_VERSION = 2;
const HEADER_BYTES = 34;
const AT = {
  headerChecksum: 2,
  ordinal: 6,
  volume: 12,
  highestTime: 18,
  first: 24,
  changesChecksum: 30,
  changes: HEADER_BYTES,
} as const;
const NUMBER_BYTES = 6;
const KEY_BYTES = 8;

/** Where a log is after a record. */
export interface ChangeLogPosition {
  /** How many changes were ever logged. */
  readonly ordinal: number;
  /** How many bytes of keys and values were ever logged. */
  readonly volumeBytes: number;
  /** The highest time known, in milliseconds since the Unix epoch. */
  readonly highestMs: number;
}

/** What the header of a record says. */
export interface ChangeLogHeader extends ChangeLogPosition {
  /** The revision of the first change. */
  readonly first: Revision;
}

/** The key of the record whose last change has this revision. */
export function encodeChangeLogKey(revision: Revision): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUIntBE(revision, KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return key;
}

/** The revision of a record's last change, from its key; undefined when no record has such a key: it is damaged. */
export function decodeChangeLogKey(key: Buffer): Revision | undefined {
  if (key.length !== KEY_BYTES || key.readUInt16BE(0) !== 0) return undefined;
  return key.readUIntBE(KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
}

/** Makes the record of some changes, at least one, in a buffer; the place is that of the log with them. */
export function encodeChangeLogRecord(
  changes: readonly Change[],
  {ordinal, volumeBytes, highestMs}: ChangeLogPosition,
  buffer: Buffer = Buffer.allocUnsafe(changeLogRecordBytesMax(changes)),
): Buffer {
  const record = buffer.subarray(0, encodeChanges(changes, buffer, AT.changes));
  record[0] = CHANGE_LOG_RECORD_VERSION;
  record[1] = 0;
  record.writeUIntBE(ordinal, AT.ordinal, NUMBER_BYTES);
  record.writeUIntBE(volumeBytes, AT.volume, NUMBER_BYTES);
  record.writeUIntBE(Math.max(0, Math.floor(highestMs)), AT.highestTime, NUMBER_BYTES);
  record.writeUIntBE(changes[0]?.revision ?? 0, AT.first, NUMBER_BYTES);
  record.writeUInt32BE(crc32(record.subarray(AT.changes)), AT.changesChecksum);
  record.writeUInt32BE(crc32(record.subarray(AT.ordinal, AT.changes)), AT.headerChecksum);
  return record;
}

/** How large the record of some changes is at most, in bytes. */
export function changeLogRecordBytesMax(changes: readonly Change[]): number {
  return HEADER_BYTES + encodedBytesMax(changes);
}

/** The header of a record, or undefined when it is damaged. */
export function decodeChangeLogHeader(record: Buffer): ChangeLogHeader | undefined {
  if (!hasSoundHeader(record)) return undefined;
  return {
    ordinal: record.readUIntBE(AT.ordinal, NUMBER_BYTES),
    volumeBytes: record.readUIntBE(AT.volume, NUMBER_BYTES),
    highestMs: record.readUIntBE(AT.highestTime, NUMBER_BYTES),
    first: record.readUIntBE(AT.first, NUMBER_BYTES),
  };
}

/** The changes of a record, or undefined when the record is damaged. Each value has bytes of its own: keeping one keeps no record. */
export function decodeChangeLogRecord(record: Buffer): readonly Change[] | undefined {
  if (!hasSoundHeader(record)) return undefined;
  if (crc32(record.subarray(AT.changes)) !== record.readUInt32BE(AT.changesChecksum)) return undefined;
  return readChanges(record, AT.changes, record.length);
}

function hasSoundHeader(record: Buffer): boolean {
  return (
    record.length > HEADER_BYTES &&
    record[0] === CHANGE_LOG_RECORD_VERSION &&
    crc32(record.subarray(AT.ordinal, AT.changes)) === record.readUInt32BE(AT.headerChecksum)
  );
}
