import type {EntryInfo} from '../domain/entry.ts';
import type {Key} from '../domain/key.ts';
import type {Table} from './lmdb-environment.ts';
import {decodeRecord, decodeRecordInfo} from './record.ts';

/** A part of the entries, with keys as bytes. */
export interface Scan {
  readonly prefix: Buffer;
  readonly after: Buffer | undefined;
  readonly limit: number;
  readonly reverse: boolean;
  readonly values: boolean;
  readonly valuesBytesMax: number;
}

/** How many bytes of records one turn of the event loop passes over at most: about two milliseconds. */
const SCAN_BYTES_MAX = 4 * 1024 * 1024;

/** Sorts after every key that begins with the same bytes: UTF-8 has no byte 0xFF. */
const AFTER_ALL = Buffer.of(0xff);

/**
 * Adds entries of a range to those found already.
 *
 * @returns Whether that was all, or only as much as one turn may take.
 * @throws {AppError} `entry-corrupt`.
 */
export function scanEntries(
  table: Table,
  {prefix, after, limit, reverse, values, valuesBytesMax}: Scan,
  found: EntryInfo[],
): boolean {
  let scannedBytes = 0;
  let valuesBytes = values ? found.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0) : 0;
  for (const record of table.range({start: startOf(prefix, after, reverse), reverse})) {
    const order = comparePrefix(record.key, prefix);
    // A range may begin just outside of what was asked for, never end there.
    if (isBeforeStart(record.key, order, after, reverse)) continue;
    if (order !== 0 || found.length === limit || valuesBytes >= valuesBytesMax) return true;
    const key = record.key.toString() as Key;
    const entry = values ? decodeRecord(key, record.value) : decodeRecordInfo(key, record.value);
    found.push(entry);
    if (values) valuesBytes += entry.sizeBytes;
    scannedBytes += record.value.length;
    if (scannedBytes >= SCAN_BYTES_MAX) return false;
  }
  return true;
}

function startOf(prefix: Buffer, after: Buffer | undefined, reverse: boolean): Buffer {
  if (!reverse) return after !== undefined && Buffer.compare(after, prefix) > 0 ? after : prefix;
  const last = Buffer.concat([prefix, AFTER_ALL]);
  return after !== undefined && Buffer.compare(after, last) < 0 ? after : last;
}

/** Below zero for keys before those with the prefix, zero for them, above zero for keys after them. */
function comparePrefix(key: Buffer, prefix: Buffer): number {
  return Buffer.compare(key.subarray(0, prefix.length), prefix);
}

function isBeforeStart(key: Buffer, order: number, after: Buffer | undefined, reverse: boolean): boolean {
  if (reverse ? order > 0 : order < 0) return true;
  if (after === undefined) return false;
  const beyond = Buffer.compare(key, after);
  return reverse ? beyond >= 0 : beyond <= 0;
}
