import {crc32} from 'node:zlib';
import {parseStoreId, type StoreId} from '../../domain/store-id.ts';

/** Facts about a store that are no entries: one record in a table of its own. */
export interface StoreMetadata {
  readonly id: StoreId;
  /** Store id in the records of the write-ahead log that belongs to the tree; undefined if the tree needs no log. */
  readonly walId: string | undefined;
  /** The highest time known to the clock of the store when this was written, in milliseconds since the Unix epoch. */
  readonly highestMs: number;
}

/**
 * The record, all numbers big-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 0 | version of this layout: 1 |
 * | 1 | zero |
 * | 2–5 | CRC-32 of the rest |
 * | 6–11 | the highest time known to the store, in milliseconds since the Unix epoch |
 * | 12 | length of the store id |
 * | 13 | length of the id in the write-ahead log; 255 for no log |
 * | 14– | the store id, then that in the log |
 */
const VERSION = 1;
const HEADER_BYTES = 14;
const AT = {checksum: 2, highestTime: 6, idBytes: 12, logIdBytes: 13} as const;
const NUMBER_BYTES = 6;
const NO_LOG = 255;

/** The key of the only record. */
export const METADATA_KEY = Buffer.from('store');

/** Writes the record. */
export function encodeMetadata({id, walId, highestMs}: StoreMetadata): Buffer {
  const record = Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.from(id), Buffer.from(walId ?? '')]);
  record[0] = VERSION;
  record.writeUIntBE(Math.max(0, Math.floor(highestMs)), AT.highestTime, NUMBER_BYTES);
  record[AT.idBytes] = id.length;
  record[AT.logIdBytes] = walId === undefined ? NO_LOG : walId.length;
  record.writeUInt32BE(crc32(record.subarray(AT.highestTime)), AT.checksum);
  return record;
}

/** Reads the record. @returns Undefined when it is damaged. */
export function decodeMetadata(record: Buffer): StoreMetadata | undefined {
  if (record.length <= HEADER_BYTES || record[0] !== VERSION) return undefined;
  if (crc32(record.subarray(AT.highestTime)) !== record.readUInt32BE(AT.checksum)) return undefined;
  const idEnd = HEADER_BYTES + record.readUInt8(AT.idBytes);
  const id = parseStoreId(record.toString('latin1', HEADER_BYTES, idEnd));
  if (id === undefined) return undefined;
  const walId = record[AT.logIdBytes] === NO_LOG ? undefined : record.toString('latin1', idEnd);
  return {id, walId, highestMs: record.readUIntBE(AT.highestTime, NUMBER_BYTES)};
}
