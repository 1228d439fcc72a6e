import type {EntryInfo} from '../../domain/entry.ts';
import {AppError} from '../../domain/failure.ts';
import type {Key} from '../../domain/key.ts';
import type {Range} from '../../domain/store.ts';
import {hasExpired} from '../../domain/time-to-live.ts';
import {decodeEntryInfo, decodeEntryRecord} from '../format/entry-record.ts';
import {isRangeDamage} from '../lmdb/engine-errors.ts';
import type {Table} from '../lmdb/environment.ts';
import type {ExpireOperation} from '../plan/plan-commits.ts';

/** The table of entries, or what looks like it. */
export type ScannedTable = Pick<Table, 'get' | 'peek' | 'keys'>;

/** A part of the entries, with keys as bytes. */
export interface Scan {
  readonly prefix: Buffer;
  readonly after: Buffer | undefined;
  readonly limit: number;
  readonly reverse: boolean;
  readonly values: boolean;
  readonly valuesBytesMax: number;
  /** What has expired by then is left out. */
  readonly nowMs: number;
}

/** An entry that has expired. */
export type ExpiredEntry = Pick<ExpireOperation, 'key' | 'expiresAtMs'>;

/** What a scan found, and what is left of it where it stopped early. */
export interface ScanPart {
  readonly entries: readonly EntryInfo[];
  /** What is to be read besides, of the same state. */
  readonly rest: Scan | undefined;
  /** Of the entries that were left out the one that expired last. */
  readonly expired: ExpiredEntry | undefined;
}

/**
 * A scan stops once it has passed over so many entries that have expired: about four milliseconds. There may be a hundred
 * thousand of them, when they expire at once or while no process runs, until they are swept.
 */
const EXPIRED_MAX = 500;

/** The part of the entries that a range means. */
export function scanOf(range: Range, nowMs: number): Scan {
  const {prefix, after, limit, reverse = false, values = false, valuesBytesMax = Infinity} = range;
  return {
    prefix: Buffer.from(prefix),
    after: after === undefined ? undefined : Buffer.from(after),
    ...{limit, reverse, values, valuesBytesMax, nowMs},
  };
}

/** Sorts after every key that begins with the same bytes: UTF-8 has no byte 0xFF. */
const AFTER_ALL = Buffer.of(0xff);

/**
 * Reads the entries of a range in one go, which makes them one state of the store; it stops early only where many have
 * expired. A thousand values of 200 bytes take about two milliseconds, of 1 MiB and without `values` some 50.
 *
 * @throws {AppError} `entry-corrupt`; `store-corrupt` where it meets a damaged page.
 */
export function scanEntries(table: ScannedTable, scan: Scan): ScanPart {
  const {prefix, after, limit, reverse, values, valuesBytesMax, nowMs} = scan;
  const entries: EntryInfo[] = [];
  let expiredCount = 0;
  let expired: ExpiredEntry | undefined;
  let valuesBytes = 0;
  let last: Buffer | undefined;
  for (const bytes of namingDamage(table.keys({start: startOf(prefix, after, reverse), reverse}))) {
    last = bytes;
    const order = comparePrefix(bytes, prefix);
    // A range may begin just outside of what was asked for, never end there.
    if (isBeforeStart(bytes, order, after, reverse)) continue;
    if (order !== 0 || entries.length === limit || valuesBytes >= valuesBytesMax)
      return {entries, rest: undefined, expired};
    const entry = readEntry(table, bytes, values);
    if (!hasExpired(entry, nowMs)) {
      entries.push(entry);
      if (values) valuesBytes += entry.sizeBytes;
      continue;
    }
    if (expired === undefined || entry.expiresAtMs > expired.expiresAtMs) expired = entry;
    if (++expiredCount === EXPIRED_MAX) {
      const left = {limit: limit - entries.length, valuesBytesMax: valuesBytesMax - valuesBytes};
      return {entries, rest: {...scan, ...left, after: bytes}, expired};
    }
  }
  assertEnd(table, last ?? startOf(prefix, after, reverse), reverse);
  return {entries, rest: undefined, expired};
}

function readEntry(table: ScannedTable, bytes: Buffer, values: boolean): EntryInfo {
  const key = bytes.toString() as Key;
  // A key without a record is no record at all: its checksum fails too.
  if (values) return decodeEntryRecord(key, table.get(bytes) ?? Buffer.alloc(0));
  return decodeEntryInfo(key, table.peek(bytes) ?? Buffer.alloc(0));
}

/** Keys, and where the engine meets a damaged page among them the failure for it, with the last key before that. */
function* namingDamage(keys: Iterable<Buffer>, before?: Buffer): Iterable<Buffer> {
  let last = before;
  try {
    for (const key of keys) {
      last = key;
      yield key;
    }
  } catch (error) {
    throw isRangeDamage(error) ? storeCorrupt(last, error) : error;
  }
}

function storeCorrupt(last: Buffer | undefined, cause?: unknown): AppError {
  return new AppError({code: 'store-corrupt', ...(last === undefined ? {} : {after: last.toString()})}, {cause});
}

/**
 * The engine takes a damaged page for the end; whoever comes from the other side sees that it is not.
 *
 * @throws {AppError} `store-corrupt`.
 */
export function assertEnd(table: ScannedTable, last: Buffer, reverse: boolean): void {
  // From there the damaged page may be met as one.
  const [end] = namingDamage(table.keys({reverse: !reverse, limit: 1}), last);
  if (end === undefined) return;
  const beyond = Buffer.compare(end, last);
  if (reverse ? beyond < 0 : beyond > 0) throw storeCorrupt(last);
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
