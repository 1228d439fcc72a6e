import type {Key} from '../../core/domain/entries/identifiers.ts';
import type {LoggedChange} from '../format/change-encoding.ts';
import type {Plan, PlannedWrite} from '../plan/plan.ts';
import {entryRecordOf} from '../wal/memtable.ts';
import type {ChangeLog, PreparedWrite} from './change-log.ts';
import {EXPIRY_VALUE, encodeExpiry} from './expiry-index.ts';
import type {StoreTables} from './store-tables.ts';

/** Write of one key. */
interface KeyWrite {
  readonly key: Buffer;
  /** True if no later group of the transaction writes the entry again; otherwise only its index rows are written. */
  readonly isLast: boolean;
  /** Undefined if the entry is removed, or is not written. */
  readonly record: Buffer | undefined;
  readonly expiryBefore: Buffer | undefined;
  readonly expiry: Buffer | undefined;
}

/** Prepares the records of some groups before their transaction, so that an error here cannot leave half of it. */
export function prepareWrite(
  plans: readonly Plan[],
  {tables, log}: {readonly tables: StoreTables; readonly log: ChangeLog},
): PreparedWrite {
  const groups = prepareGroups(plans);
  // Not `flatMap`, which takes forty times as long.
  const changes = ([] as readonly LoggedChange[]).concat(...plans.map(plan => plan.changes));
  const addition = changes.length === 0 ? undefined : log.prepare(changes, plans.at(-1)?.nowMs ?? 0);
  return {
    apply() {
      for (const {stale, writes} of groups) {
        // Remove stale rows first: a later write of this group may create the same row again.
        for (const row of stale) tables.expiries.remove(row);
        for (const write of writes) applyWrite(tables, write);
      }
      addition?.apply();
    },
    done: () => addition?.done(),
  };
}

interface GroupWrite {
  /** Rows of the expiry index that no longer match an entry. */
  readonly stale: readonly Buffer[];
  readonly writes: readonly KeyWrite[];
}

function prepareGroups(plans: readonly Plan[]): readonly GroupWrite[] {
  const groups: GroupWrite[] = [];
  const written = new Set<Key>();
  // Newest first: if the key was seen already, this write is superseded.
  for (const {stale, writes} of plans.toReversed()) {
    const prepared: KeyWrite[] = [];
    // Not `for`: it would make an array for each key.
    writes.forEach((write, key) => {
      const isLast = !written.has(key);
      if (isLast) written.add(key);
      if (isLast || write.expiresAtMs !== undefined || write.expiredAtMs !== undefined)
        prepared.push(prepareKey(key, write, isLast));
    });
    const rows = stale.map(({key, expiresAtMs}) => encodeExpiry(expiresAtMs, Buffer.from(key)));
    groups.push({stale: rows, writes: prepared});
  }
  return groups.reverse();
}

function prepareKey(name: Key, write: PlannedWrite, isLast: boolean): KeyWrite {
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
