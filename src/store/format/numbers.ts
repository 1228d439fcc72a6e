import {crc32} from 'node:zlib';

/** Size of a revision or a time in a record, in bytes: enough for every safe integer that occurs. Big-endian, like all numbers. */
export const NUMBER_BYTES = 6;

/** Returns a time as a record stores it: whole milliseconds since the Unix epoch, never below zero. */
export function toStoredTime(ms: number): number {
  return Math.max(0, Math.floor(ms));
}

/** Returns whether the CRC-32 of some bytes is the checksum that is stored at a position of their record. */
export function matchesChecksum(record: Buffer, checksumAt: number, bytes: Uint8Array): boolean {
  return crc32(bytes) === record.readUInt32BE(checksumAt);
}
