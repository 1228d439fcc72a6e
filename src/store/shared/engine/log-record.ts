import {crc32} from 'node:zlib';
import type {Change} from '../../../domain/commits/change.ts';
import {decodeChanges, encodeChanges, encodedBytesMax, volumeOfAll} from '../../format/change-encoding.ts';
import {matchesChecksum, NUMBER_BYTES, toStoredTime} from '../../format/numbers.ts';
import {type LogPosition, logKey} from './engine-keys.ts';
import {type LogLimits, splitLog} from './log-limits.ts';

/**
 * A part of the change log holds changes of commits that were written together. If a request has no space for it, its key has the key of
 * another one as its value, which was written before. Its value, all numbers big-endian:
 *
 * | bytes | content |
 * |---|---|
 * | 0 | version of this layout: 1 |
 * | 1–4 | CRC-32 of the rest |
 * | 5–10 | time of the writes by the clock of the machine, in milliseconds since the Unix epoch |
 * | 11– | the changes, as `change-encoding.ts` writes them |
 */
const LOG_RECORD_VERSION = 1;
/** First byte of the key of a large part. */
const LARGE = 'd'.charCodeAt(0);
const AT = {checksum: 1, updatedAt: 5, changes: 5 + NUMBER_BYTES} as const;

/** A part of the change log. */
export interface LogPart {
  /** Time of the writes by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  readonly changes: readonly Change[];
}

/** Parts to be written, with their keys, and the position of the log after them. */
export interface EncodedLog {
  readonly puts: readonly (readonly [key: string, value: Buffer])[];
  readonly end: LogPosition;
}

/** Returns the parts of the log for the changes of a group. */
export function encodeLog(
  {updatedAtMs, changes}: LogPart,
  {start, group, limits}: {readonly start: LogPosition; readonly group: string; readonly limits: LogLimits},
): EncodedLog {
  let end = start;
  const puts = splitLog(changes, limits).map(part => {
    end = {
      revision: part.at(-1)?.revision ?? end.revision,
      ordinal: end.ordinal + part.length,
      volumeBytes: end.volumeBytes + volumeOfAll(part),
      group,
    };
    return [logKey(end), encodePart(part, updatedAtMs)] as const;
  });
  return {puts, end};
}

/** Returns the key of a large part of the log from the value that refers to it; undefined if the value is a part itself. */
export function keyOfLargePart(record: Buffer): string | undefined {
  return record[0] === LARGE ? record.toString('latin1') : undefined;
}

/** Reads a part of the log; undefined if it is damaged. Values are copies. */
export function decodeLogPart(record: Buffer): LogPart | undefined {
  if (record.length < AT.changes || record[0] !== LOG_RECORD_VERSION) return undefined;
  if (!matchesChecksum(record, AT.checksum, record.subarray(AT.updatedAt))) return undefined;
  const updatedAtMs = record.readUIntBE(AT.updatedAt, NUMBER_BYTES);
  return {updatedAtMs, changes: decodeChanges(record, AT.changes, record.length)};
}

function encodePart(changes: readonly Change[], updatedAtMs: number): Buffer {
  const buffer = Buffer.allocUnsafe(AT.changes + encodedBytesMax(changes));
  const record = buffer.subarray(0, encodeChanges(changes, buffer, AT.changes));
  record[0] = LOG_RECORD_VERSION;
  record.writeUIntBE(toStoredTime(updatedAtMs), AT.updatedAt, NUMBER_BYTES);
  record.writeUInt32BE(crc32(record.subarray(AT.updatedAt)), AT.checksum);
  return record;
}
