import {crc32} from 'node:zlib';
import {type Entry, type EntryInfo, NO_REVISION, type Revision} from '../../domain/entry.ts';
import {AppError} from '../../domain/failure.ts';
import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';

/**
 * A record is what the disk keeps of an entry, all numbers big-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 0 | version of this layout: 1 |
 * | 1 | zero |
 * | 2–5 | CRC-32 of bytes 6–27 and the key, so that a record under a wrong key is noticed |
 * | 6–11 | revision |
 * | 12–17 | time of the write, in milliseconds since the Unix epoch |
 * | 18–23 | time of expiry, likewise; 0 for never |
 * | 24–27 | CRC-32 of the value |
 * | 28– | the value |
 *
 * The header has a checksum of its own so that a listing can trust it without reading the value.
 */
const RECORD_VERSION = 1;
const HEADER_BYTES = 28;
const NUMBER_BYTES = 6;
const NEVER = 0;
const AT = {headerChecksum: 2, checked: 6, revision: 6, updatedAt: 12, expiresAt: 18, valueChecksum: 24} as const;

/**
 * Begins the record of a value: copies it next to the room for its header, as the engine needs it. That is
 * the only copy that is made of a value on its way to the disk.
 */
export function beginEntryRecord(json: JsonText): Buffer {
  const record = Buffer.allocUnsafe(HEADER_BYTES + json.length);
  record.set(json, HEADER_BYTES);
  record.writeUInt32BE(crc32(record.subarray(HEADER_BYTES)), AT.valueChecksum);
  return record;
}

/** The value in a record that was begun: a view of its bytes. */
export function jsonOf(record: Buffer): JsonText {
  return record.subarray(HEADER_BYTES) as Uint8Array as JsonText;
}

/** The revision and the expiry of a stored entry. */
export interface EntryState {
  readonly revision: Revision;
  readonly expiresAtMs?: number | undefined;
}

/** What a record says besides its value. */
export interface EntryHeader {
  readonly revision: Revision;
  readonly updatedAtMs: number;
  readonly expiresAtMs?: number | undefined;
}

/** Ends a record that was begun, once its revision is known. */
export function endEntryRecord(
  record: Buffer,
  key: Key,
  {revision, updatedAtMs, expiresAtMs = NEVER}: EntryHeader,
): void {
  record[0] = RECORD_VERSION;
  record[1] = 0;
  record.writeUIntBE(revision, AT.revision, NUMBER_BYTES);
  record.writeUIntBE(Math.max(0, Math.floor(updatedAtMs)), AT.updatedAt, NUMBER_BYTES);
  record.writeUIntBE(expiresAtMs, AT.expiresAt, NUMBER_BYTES);
  record.writeUInt32BE(headerChecksum(record, key), AT.headerChecksum);
}

/**
 * Reads a record whole.
 *
 * @throws {AppError} `entry-corrupt` when a checksum fails.
 */
export function decodeEntryRecord(key: Key, record: Buffer): Entry {
  const info = decodeEntryInfo(key, record);
  const json = jsonOf(record);
  if (crc32(json) !== record.readUInt32BE(AT.valueChecksum)) throw new AppError({code: 'entry-corrupt', key});
  return {...info, json};
}

/**
 * Reads what a record says of its entry, without looking at the value.
 *
 * @throws {AppError} `entry-corrupt` when the header's checksum fails.
 */
export function decodeEntryInfo(key: Key, record: Buffer): EntryInfo {
  if (!hasSoundHeader(key, record)) throw new AppError({code: 'entry-corrupt', key});
  return {
    key,
    revision: record.readUIntBE(AT.revision, NUMBER_BYTES),
    sizeBytes: record.length - HEADER_BYTES,
    updatedAtMs: record.readUIntBE(AT.updatedAt, NUMBER_BYTES),
    ...readExpiry(record),
  };
}

/**
 * The revision in a record, or one that no entry has when the header's checksum fails: it can be replaced, not compared.
 * With it comes when the entry expires.
 */
export function decodeEntryState(key: Key, record: Buffer): EntryState {
  if (!hasSoundHeader(key, record)) return {revision: NO_REVISION};
  return {revision: record.readUIntBE(AT.revision, NUMBER_BYTES), ...readExpiry(record)};
}

function readExpiry(record: Buffer): {readonly expiresAtMs?: number} {
  const expiresAtMs = record.readUIntBE(AT.expiresAt, NUMBER_BYTES);
  return expiresAtMs === NEVER ? {} : {expiresAtMs};
}

function hasSoundHeader(key: Key, record: Buffer): boolean {
  return (
    record.length >= HEADER_BYTES &&
    record[0] === RECORD_VERSION &&
    headerChecksum(record, key) === record.readUInt32BE(AT.headerChecksum)
  );
}

function headerChecksum(record: Buffer, key: Key): number {
  return crc32(key, crc32(record.subarray(AT.checked, HEADER_BYTES)));
}
