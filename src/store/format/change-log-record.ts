import {crc32} from 'node:zlib';
import {CHANGES_BYTES_MAX} from '../../core/domain/commits/store.ts';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {
  decodeChanges,
  encodeChanges,
  encodedBytesMax,
  type LoggedChange,
  valueBytesOf,
  volumeOf,
} from './change-encoding.ts';
import {matchesChecksum, NUMBER_BYTES, toStoredTime} from './numbers.ts';
import {splitBySize} from './split-by-size.ts';

/**
 * A record of the change log holds changes of commits that reached the disk together. Its key is the last of their revisions,
 * eight bytes big-endian, so that keys sort by revision. Its value, all numbers big-endian:
 *
 * | bytes | content |
 * |---|---|
 * | 0 | version of this layout: 2 |
 * | 1 | zero |
 * | 2–5 | CRC-32 of bytes 6–33 |
 * | 6–11 | ordinal: number of changes that were ever logged, these included |
 * | 12–17 | volume: bytes of keys and values that were ever logged, these included |
 * | 18–23 | the highest time known to the store, in milliseconds since the Unix epoch |
 * | 24–29 | revision of the first change |
 * | 30–33 | CRC-32 of the rest |
 * | 34– | the changes, as `change-encoding.ts` writes them |
 *
 * The differences of two ordinals and of two volumes give the distance of two records without reading those between them. The
 * header has a checksum of its own, so that it can be trusted without reading the changes.
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
const KEY_BYTES = 8;

/** Position of the change log after a record. */
export interface ChangeLogPosition {
  /** Number of changes that were ever logged. */
  readonly ordinal: number;
  /** Bytes of keys and values that were ever logged. */
  readonly volumeBytes: number;
  /** The highest time known, in milliseconds since the Unix epoch. */
  readonly highestMs: number;
}

/** Header of a record of the change log. */
export interface ChangeLogHeader extends ChangeLogPosition {
  /** Revision of the first change. */
  readonly first: Revision;
}

/** Returns the key of the record whose last change has this revision. */
export function encodeChangeLogKey(revision: Revision): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUIntBE(revision, KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return key;
}

/** Returns the revision of a record's last change from its key; undefined if the key is damaged. */
export function decodeChangeLogKey(key: Buffer): Revision | undefined {
  if (key.length !== KEY_BYTES || key.readUInt16BE(0) !== 0) return undefined;
  return key.readUIntBE(KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
}

/**
 * Returns the record of some changes, at least one.
 *
 * @param position Position of the log after this record.
 */
export function encodeChangeLogRecord(
  changes: readonly LoggedChange[],
  {ordinal, volumeBytes, highestMs}: ChangeLogPosition,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + encodedBytesMax(changes));
  const record = buffer.subarray(0, encodeChanges(changes, buffer, AT.changes));
  record[0] = CHANGE_LOG_RECORD_VERSION;
  record[1] = 0;
  record.writeUIntBE(ordinal, AT.ordinal, NUMBER_BYTES);
  record.writeUIntBE(volumeBytes, AT.volume, NUMBER_BYTES);
  record.writeUIntBE(toStoredTime(highestMs), AT.highestTime, NUMBER_BYTES);
  record.writeUIntBE(changes[0]?.revision ?? 0, AT.first, NUMBER_BYTES);
  record.writeUInt32BE(crc32(record.subarray(AT.changes)), AT.changesChecksum);
  record.writeUInt32BE(crc32(record.subarray(AT.ordinal, AT.changes)), AT.headerChecksum);
  return record;
}

/** Reads the header of a record; undefined if it is damaged. */
export function decodeChangeLogHeader(record: Buffer): ChangeLogHeader | undefined {
  if (!isHeaderSound(record)) return undefined;
  return {
    ordinal: record.readUIntBE(AT.ordinal, NUMBER_BYTES),
    volumeBytes: record.readUIntBE(AT.volume, NUMBER_BYTES),
    highestMs: record.readUIntBE(AT.highestTime, NUMBER_BYTES),
    first: record.readUIntBE(AT.first, NUMBER_BYTES),
  };
}

/** Reads the changes of a record; undefined if it is damaged. Each value is a copy, so that keeping it does not keep the record. */
export function decodeChangeLogRecord(record: Buffer): readonly LoggedChange[] | undefined {
  if (!isHeaderSound(record)) return undefined;
  if (!matchesChecksum(record, AT.changesChecksum, record.subarray(AT.changes))) return undefined;
  return decodeChanges(record, AT.changes, record.length);
}

function isHeaderSound(record: Buffer): boolean {
  return (
    record.length > HEADER_BYTES &&
    record[0] === CHANGE_LOG_RECORD_VERSION &&
    matchesChecksum(record, AT.headerChecksum, record.subarray(AT.ordinal, AT.changes))
  );
}

/** Limits of a change log, or of one of its records. */
export interface ChangeLogLimits {
  /** Maximum number of changes; exceeded by less than a record, or a commit. */
  readonly changesMax: number;
  /** Maximum size of keys and values, in bytes; likewise. */
  readonly bytesMax: number;
}

/** Splits changes into parts that end at a limit, but never inside a commit. */
export function splitChanges(
  changes: readonly LoggedChange[],
  {changesMax, bytesMax}: ChangeLogLimits,
): readonly (readonly LoggedChange[])[] {
  const joins = (before: LoggedChange, change: LoggedChange): boolean => before.revision === change.revision;
  return splitBySize(changes, {sizeOf: volumeOf, sizeMax: bytesMax, countMax: changesMax, joins});
}

/** Changes that are read after a revision, up to the end of the commit that reaches a limit, or {@link CHANGES_BYTES_MAX}. */
export class ChangePage {
  readonly changes: LoggedChange[] = [];
  readonly #after: Revision;
  readonly #limit: number;
  #valuesBytes = 0;

  constructor(after: Revision, limit: number) {
    this.#after = after;
    this.#limit = limit;
  }

  /** Adds the next changes of the log, as far as they belong to it. @returns Whether it has ended. */
  add(logged: readonly LoggedChange[]): boolean {
    for (const change of logged) {
      if (change.revision <= this.#after) continue;
      const isFull = this.changes.length >= this.#limit || this.#valuesBytes >= CHANGES_BYTES_MAX;
      if (isFull && change.revision !== this.changes.at(-1)?.revision) return true;
      this.changes.push(change);
      this.#valuesBytes += valueBytesOf(change);
    }
    return false;
  }
}
