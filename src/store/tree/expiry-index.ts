import {trustStoredKey} from '../../core/domain/entries/identifiers.ts';
import {NUMBER_BYTES} from '../format/numbers.ts';
import type {Table} from '../lmdb/table.ts';
import type {ExpireOperation} from '../plan/plan.ts';

/**
 * Index of the entries that expire, soonest first. The key of a row is the time of expiry, eight bytes big-endian, and the key of
 * the entry; its value has no meaning. The index is written together with the entries, and can be derived from them.
 */
const TIME_BYTES = 8;

/** Value of each row. */
export const EXPIRY_VALUE: Uint8Array = Uint8Array.of(1);

/** Returns the row of an entry that expires. */
export function encodeExpiry(expiresAtMs: number, key: Uint8Array): Buffer {
  const row = Buffer.alloc(TIME_BYTES + key.length);
  row.writeUIntBE(expiresAtMs, TIME_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  row.set(key, TIME_BYTES);
  return row;
}

/** Returns the expiry of a row. */
export function decodeExpiry(row: Buffer): ExpireOperation {
  const expiresAtMs = row.readUIntBE(TIME_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return {kind: 'expire', key: trustStoredKey(row.toString('utf8', TIME_BYTES)), expiresAtMs};
}

/** Expiries that are due, soonest first. */
export interface DueExpiries {
  readonly due: readonly ExpireOperation[];
  /** Time until the next expiry that is not in `due`, in milliseconds; undefined if there is none. */
  readonly nextMs: number | undefined;
}

/** Reads the expiries that are due, at most `limit`. */
export function readDue(table: Table, nowMs: number, limit: number): DueExpiries {
  const due: ExpireOperation[] = [];
  for (const row of table.keys({limit: limit + 1})) {
    const expiry = decodeExpiry(row);
    const isDue = expiry.expiresAtMs <= nowMs;
    if (!isDue || due.length === limit) return {due, nextMs: isDue ? 0 : expiry.expiresAtMs - nowMs};
    due.push(expiry);
  }
  return {due, nextMs: undefined};
}
