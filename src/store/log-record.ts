import {crc32} from 'node:zlib';
import type {Revision} from '../domain/entry.ts';
import type {JsonText} from '../domain/json-text.ts';
import type {Key} from '../domain/key.ts';
import type {Change, PutChange} from '../domain/store.ts';

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
 * | 34– | the changes |
 *
 * A change is its kind (1 put, 2 put with its value, 3 delete, 4 expire), six bytes of revision, two of the length of
 * the key, and the key; of a put then follow four bytes of the size of the value and six of the time of expiry (0 for
 * never), and the value where it is kept.
 *
 * The differences of two ordinals and two volumes tell how much lies between two records without reading them, and the
 * header has a checksum of its own so that it can be trusted without the rest.
 */
const LOG_RECORD_VERSION = 2;
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
const NEVER = 0;

const KINDS = {put: 1, putWithValue: 2, delete: 3, expire: 4} as const;

/** What every change has before its key, and what a put has after it, in bytes. */
const CHANGE_BYTES = 1 + NUMBER_BYTES + 2;
const PUT_BYTES = 4 + NUMBER_BYTES;

/** The version of records that data format 1 had: JSON, without values, times and volumes. They can still be read. */
const JSON_RECORD = {version: 1, checksum: 1, ordinal: 5, changes: 11} as const;

type JsonChange = readonly ['put', Revision, string, number] | readonly ['delete', Revision, string];

/** Where a log is after a record. */
export interface LogPlace {
  /** How many changes were ever logged. */
  readonly ordinal: number;
  /** How many bytes of keys and values were ever logged. */
  readonly volumeBytes: number;
  /** The highest time known, in milliseconds since the Unix epoch. */
  readonly highestMs: number;
}

/** What the header of a record says. */
export interface LogHeader extends LogPlace {
  /** The revision of the first change. */
  readonly first: Revision;
}

/** The key of the record whose last change has this revision. */
export function encodeLogKey(revision: Revision): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUIntBE(revision, KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return key;
}

/** The revision of a record's last change, from its key. */
export function decodeLogKey(key: Buffer): Revision {
  return key.readUIntBE(KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
}

/** Makes the record of some changes, at least one, in a buffer; the place is that of the log with them. */
export function encodeLogRecord(
  changes: readonly Change[],
  {ordinal, volumeBytes, highestMs}: LogPlace,
  buffer: Buffer = Buffer.allocUnsafe(logRecordBytesMax(changes)),
): Buffer {
  const writer = new ChangeWriter(buffer);
  for (const change of changes) writer.write(change);
  const record = writer.end();
  record[0] = LOG_RECORD_VERSION;
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
export function logRecordBytesMax(changes: readonly Change[]): number {
  // A character has at most three bytes for each of its units.
  return changes.reduce(
    (sum, change) => sum + CHANGE_BYTES + PUT_BYTES + 3 * change.key.length + valueBytesOf(change),
    HEADER_BYTES,
  );
}

/** The header of a record, or undefined when it is damaged. */
export function decodeLogHeader(record: Buffer): LogHeader | undefined {
  if (record[0] === JSON_RECORD.version) return decodeJsonHeader(record);
  if (!hasSoundHeader(record)) return undefined;
  return {
    ordinal: record.readUIntBE(AT.ordinal, NUMBER_BYTES),
    volumeBytes: record.readUIntBE(AT.volume, NUMBER_BYTES),
    highestMs: record.readUIntBE(AT.highestTime, NUMBER_BYTES),
    first: record.readUIntBE(AT.first, NUMBER_BYTES),
  };
}

/** The changes of a record, or undefined when the record is damaged. Each value has bytes of its own: keeping one keeps no record. */
export function decodeLogRecord(record: Buffer): readonly Change[] | undefined {
  if (record[0] === JSON_RECORD.version) return decodeJsonRecord(record);
  if (!hasSoundHeader(record)) return undefined;
  if (crc32(record.subarray(AT.changes)) !== record.readUInt32BE(AT.changesChecksum)) return undefined;
  const changes: Change[] = [];
  for (let at: number = AT.changes; at < record.length; ) {
    const {change, end} = readChange(record, at);
    changes.push(change);
    at = end;
  }
  return changes;
}

/** How many bytes of a value a change carries. */
export function valueBytesOf(change: Change): number {
  return change.kind === 'put' ? (change.json?.length ?? 0) : 0;
}

/** Writes changes one behind the other. */
class ChangeWriter {
  readonly record: Buffer;
  #at: number = AT.changes;

  constructor(record: Buffer) {
    this.record = record;
  }

  /** The part that was written. */
  end(): Buffer {
    return this.record.subarray(0, this.#at);
  }

  write(change: Change): void {
    const {record} = this;
    record[this.#at] = kindOf(change);
    record.writeUIntBE(change.revision, this.#at + 1, NUMBER_BYTES);
    const keyBytes = record.write(change.key, this.#at + CHANGE_BYTES);
    record.writeUInt16BE(keyBytes, this.#at + 1 + NUMBER_BYTES);
    this.#at += CHANGE_BYTES + keyBytes;
    if (change.kind === 'put') this.#writePut(change);
  }

  #writePut({sizeBytes, expiresAtMs = NEVER, json}: PutChange): void {
    this.record.writeUInt32BE(sizeBytes, this.#at);
    this.record.writeUIntBE(expiresAtMs, this.#at + 4, NUMBER_BYTES);
    this.#at += PUT_BYTES;
    if (json === undefined) return;
    this.record.set(json, this.#at);
    this.#at += json.length;
  }
}

function kindOf(change: Change): number {
  return change.kind === 'put' && change.json !== undefined ? KINDS.putWithValue : KINDS[change.kind];
}

function readChange(record: Buffer, at: number): {readonly change: Change; readonly end: number} {
  const kind = record[at];
  const revision = record.readUIntBE(at + 1, NUMBER_BYTES);
  const keyAt = at + CHANGE_BYTES;
  const end = keyAt + record.readUInt16BE(at + 1 + NUMBER_BYTES);
  // The key was checked when it was written, and the checksum says that it is the same.
  const key = record.toString('utf8', keyAt, end) as Key;
  if (kind === KINDS.delete || kind === KINDS.expire)
    return {change: {kind: kind === KINDS.delete ? 'delete' : 'expire', key, revision}, end};
  const sizeBytes = record.readUInt32BE(end);
  const expiresAtMs = record.readUIntBE(end + 4, NUMBER_BYTES);
  const valueAt = end + PUT_BYTES;
  const valueEnd = kind === KINDS.putWithValue ? valueAt + sizeBytes : valueAt;
  const change: PutChange = {
    ...{kind: 'put', key, revision, sizeBytes},
    ...(expiresAtMs === NEVER ? {} : {expiresAtMs}),
    ...(kind === KINDS.putWithValue
      ? {json: new Uint8Array(record.subarray(valueAt, valueEnd)) as Uint8Array as JsonText}
      : {}),
  };
  return {change, end: valueEnd};
}

function hasSoundHeader(record: Buffer): boolean {
  return (
    record.length > HEADER_BYTES &&
    record[0] === LOG_RECORD_VERSION &&
    crc32(record.subarray(AT.ordinal, AT.changes)) === record.readUInt32BE(AT.headerChecksum)
  );
}

function decodeJsonHeader(record: Buffer): LogHeader | undefined {
  const first = decodeJsonRecord(record)?.[0]?.revision;
  if (first === undefined) return undefined;
  return {ordinal: record.readUIntBE(JSON_RECORD.ordinal, NUMBER_BYTES), volumeBytes: 0, highestMs: 0, first};
}

function decodeJsonRecord(record: Buffer): readonly Change[] | undefined {
  const {checksum, ordinal, changes} = JSON_RECORD;
  if (record.length <= changes || crc32(record.subarray(ordinal)) !== record.readUInt32BE(checksum)) return undefined;
  const logged = JSON.parse(record.toString('utf8', changes)) as readonly JsonChange[];
  return logged.map(([kind, revision, key, sizeBytes]) =>
    kind === 'put' ? {kind, revision, key: key as Key, sizeBytes} : {kind, revision, key: key as Key},
  );
}
