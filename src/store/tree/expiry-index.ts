import type {Key} from '../../domain/key.ts';
import type {Table} from '../lmdb/environment.ts';
import type {ExpireOperation} from '../plan/plan-commits.ts';

/**
 * The table of what expires, soonest first. The key of a row is the time of expiry, eight bytes big-endian, and the key
 * of the entry; its value says nothing. It is changed together with the entries, and follows from them.
 */
const TIME_BYTES = 8;
const NUMBER_BYTES = 6;

/** The value of each row. */
export const EXPIRY_VALUE: Uint8Array = Uint8Array.of(1);

/** The row of an entry that expires. */
export function encodeExpiry(expiresAtMs: number, key: Uint8Array): Buffer {
  const row = Buffer.alloc(TIME_BYTES + key.length);
  row.writeUIntBE(expiresAtMs, TIME_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  row.set(key, TIME_BYTES);
  return row;
}

/** What a row says is to expire, and when. */
export function decodeExpiry(row: Buffer): ExpireOperation {
  const expiresAtMs = row.readUIntBE(TIME_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return {kind: 'expire', key: row.toString('utf8', TIME_BYTES) as Key, expiresAtMs};
}

/** What has expired by now, soonest first, and how long it is until the next does. */
export interface DueExpiries {
  readonly due: readonly ExpireOperation[];
  /** In milliseconds; undefined when nothing else will ever expire. */
  readonly nextMs: number | undefined;
}

/** Reads what has expired by now, at most so many. */
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
