import type {Key} from '../../domain/key.ts';
import type {MemtableWrite, PreparedPlan} from '../wal/memtable.ts';
import {entryRecordOf} from '../wal/memtable-record.ts';
import type {ChangeLog} from './change-log.ts';
import {EXPIRY_VALUE, encodeExpiry} from './expiry-index.ts';
import type {StoreTables} from './tables.ts';

/** What groups write into the tree, ready to be written. */
export interface TreeWrite {
  /** Writes all of it; inside of a transaction, where nothing must throw. */
  apply(): void;
  /** Says that the transaction is on disk. */
  done(): void;
}

/** What becomes of one key. */
interface KeyWrite {
  readonly key: Buffer;
  /** Whether the entry is written; not where a later group of the same transaction writes it again. */
  readonly isLast: boolean;
  /** Undefined where the entry is removed. */
  readonly record: Buffer | undefined;
  readonly expiryBefore: Buffer | undefined;
  readonly expiry: Buffer | undefined;
}

/**
 * Makes the records of groups that one transaction writes, outside of it: what throws here leaves no half of it behind.
 */
export function prepareWrite(
  plans: readonly PreparedPlan[],
  {tables, log}: {readonly tables: StoreTables; readonly log: ChangeLog},
): TreeWrite {
  const groups = prepareGroups(plans);
  const changes = plans.flatMap(plan => plan.changes);
  const addition = changes.length === 0 ? undefined : log.prepare(changes, plans.at(-1)?.nowMs ?? 0);
  return {
    apply() {
      for (const {stale, writes} of groups) {
        // First what nothing else knows of: the same row may be right again after a write of the same group.
        for (const row of stale) tables.expiries.remove(row);
        for (const write of writes) applyWrite(tables, write);
      }
      addition?.apply();
    },
    done: () => addition?.done(),
  };
}

interface GroupWrite {
  /** What is said to expire and does not. */
  readonly stale: readonly Buffer[];
  readonly writes: readonly KeyWrite[];
}

function prepareGroups(plans: readonly PreparedPlan[]): readonly GroupWrite[] {
  const groups: GroupWrite[] = [];
  const written = new Set<Key>();
  // From the last to the first: whose key comes up again is not the last write of it.
  for (const {stale, writes} of plans.toReversed()) {
    const prepared: KeyWrite[] = [];
    for (const [key, write] of writes) {
      const isLast = !written.has(key);
      if (isLast) written.add(key);
      if (isLast || write.expiresAtMs !== undefined || write.expiredAtMs !== undefined)
        prepared.push(prepareKey(key, write, isLast));
    }
    const rows = stale.map(({key, expiresAtMs}) => encodeExpiry(expiresAtMs, Buffer.from(key)));
    groups.push({stale: rows, writes: prepared});
  }
  return groups.reverse();
}

function prepareKey(name: Key, write: MemtableWrite, isLast: boolean): KeyWrite {
  const {expiresAtMs, expiredAtMs} = write;
  const key = Buffer.from(name);
  return {
    key,
    isLast,
    record: isLast ? entryRecordOf(name, write) : undefined,
    expiryBefore: expiredAtMs === undefined ? undefined : encodeExpiry(expiredAtMs, key),
    expiry: expiresAtMs === undefined ? undefined : encodeExpiry(expiresAtMs, key),
  };
}

function applyWrite({entries, expiries}: StoreTables, {key, isLast, record, expiryBefore, expiry}: KeyWrite): void {
  if (isLast && record === undefined) entries.remove(key);
  if (record !== undefined) entries.put(key, record);
  if (expiryBefore !== undefined) expiries.remove(expiryBefore);
  if (expiry !== undefined) expiries.put(expiry, EXPIRY_VALUE);
}
