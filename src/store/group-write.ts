import type {ChangeLog} from './change-log.ts';
import type {GroupPlan} from './commit-group.ts';
import {EXPIRY_VALUE, encodeExpiry} from './expiries.ts';
import type {StoreTables} from './lmdb-opening.ts';
import type {PreparedPut} from './prepared-commit.ts';
import {beginRecord, endRecord} from './record.ts';

/** What a group writes, ready to be written. */
export interface GroupWrite {
  /** Writes all of it; inside of a transaction, where nothing must throw. */
  apply(): void;
  /** Says that the transaction is on disk. */
  done(): void;
}

/** What {@link prepareWrite} needs to know besides the plan. */
export interface WriteContext {
  readonly tables: StoreTables;
  readonly log: ChangeLog;
  /** The time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** The highest time known. */
  readonly highestMs: number;
}

/** What becomes of one key. */
interface KeyWrite {
  readonly key: Buffer;
  /** Undefined where the entry is removed. */
  readonly record: Buffer | undefined;
  readonly expiryBefore: Buffer | undefined;
  readonly expiry: Buffer | undefined;
}

/** Makes the records of a plan, outside of its transaction: what throws here leaves no half of it behind. */
export function prepareWrite(plan: GroupPlan<PreparedPut>, context: WriteContext): GroupWrite {
  const {tables, log, highestMs} = context;
  const writes = prepareRecords(plan, context);
  const stale = plan.stale.map(({key, expiresAtMs}) => encodeExpiry(expiresAtMs, Buffer.from(key)));
  const addition = plan.changes.length === 0 ? undefined : log.prepare(plan.changes, highestMs);
  return {
    apply() {
      // First what nothing else knows of: the same row may be right again after a write of the same group.
      for (const row of stale) tables.expiries.remove(row);
      for (const write of writes) applyWrite(tables, write);
      addition?.apply();
    },
    done: () => addition?.done(),
  };
}

function prepareRecords({writes}: GroupPlan<PreparedPut>, {updatedAtMs}: WriteContext): readonly KeyWrite[] {
  return Array.from(writes, ([name, {put, revision, expiresAtMs, expiredAtMs}]): KeyWrite => {
    const key = Buffer.from(name);
    const expiryBefore = expiredAtMs === undefined ? undefined : encodeExpiry(expiredAtMs, key);
    if (put === undefined) return {key, record: undefined, expiryBefore, expiry: undefined};
    const record = 'record' in put ? put.record : beginRecord(put.json);
    endRecord(record, name, {revision, updatedAtMs, expiresAtMs});
    return {key, record, expiryBefore, expiry: expiresAtMs === undefined ? undefined : encodeExpiry(expiresAtMs, key)};
  });
}

function applyWrite({entries, expiries}: StoreTables, {key, record, expiryBefore, expiry}: KeyWrite): void {
  if (record === undefined) entries.remove(key);
  else entries.put(key, record);
  if (expiryBefore !== undefined) expiries.remove(expiryBefore);
  if (expiry !== undefined) expiries.put(expiry, EXPIRY_VALUE);
}
