import {crc32} from 'node:zlib';
import {parseStoreId, type StoreId} from '../../core/domain/entries/identifiers.ts';
import {matchesChecksum, NUMBER_BYTES, toStoredTime} from './numbers.ts';

/** Metadata of a store: one record in a table of its own. */
export interface StoreMetadata {
  readonly id: StoreId;
  /** Store id in the records of the write-ahead log that belongs to the tree; undefined if the tree needs no log. */
  readonly walId: string | undefined;
  /** The highest time known to the clock of the store when this was written, in milliseconds since the Unix epoch. */
  readonly highestMs: number;
}

/**
 * Layout of the record, all numbers big-endian:
 *
 * | bytes | content |
 * |---|---|
 * | 0 | version of this layout: 1 |
 * | 1 | zero |
 * | 2–5 | CRC-32 of the rest |
 * | 6–11 | the highest time known to the store, in milliseconds since the Unix epoch |
 * | 12 | length of the store id |
 * | 13 | length of the id in the write-ahead log; 255 for no log |
 * | 14– | the store id, then the id in the log |
 */
const METADATA_VERSION = 1;
const HEADER_BYTES = 14;
const AT = {checksum: 2, highestTime: 6, idBytes: 12, walIdBytes: 13} as const;
const NO_LOG = 255;

/** Key of the only record. */
export const METADATA_KEY = Buffer.from('store');

/** Returns the record of some metadata. */
export function encodeMetadata({id, walId, highestMs}: StoreMetadata): Buffer {
  const record = Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.from(id), Buffer.from(walId ?? '')]);
  record[0] = METADATA_VERSION;
  record.writeUIntBE(toStoredTime(highestMs), AT.highestTime, NUMBER_BYTES);
  record[AT.idBytes] = id.length;
  record[AT.walIdBytes] = walId === undefined ? NO_LOG : walId.length;
  record.writeUInt32BE(crc32(record.subarray(AT.highestTime)), AT.checksum);
  return record;
}

/** Reads metadata from their record; undefined if it is damaged. */
export function decodeMetadata(record: Buffer): StoreMetadata | undefined {
  if (record.length <= HEADER_BYTES || record[0] !== METADATA_VERSION) return undefined;
  if (!matchesChecksum(record, AT.checksum, record.subarray(AT.highestTime))) return undefined;
  const idEnd = HEADER_BYTES + record.readUInt8(AT.idBytes);
  const id = parseStoreId(record.toString('latin1', HEADER_BYTES, idEnd));
  if (id === undefined) return undefined;
  const walId = record[AT.walIdBytes] === NO_LOG ? undefined : record.toString('latin1', idEnd);
  return {id, walId, highestMs: record.readUIntBE(AT.highestTime, NUMBER_BYTES)};
}
