import type {Entry} from '../../domain/entry.ts';
import {trustStoredJson} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import {beginEntryRecord, endEntryRecord} from '../format/entry-record.ts';
import type {PlannedWrite} from '../plan/group-plan.ts';
import type {PreparedPut} from '../plan/prepared-commit.ts';

/** The last write of a key that is not checkpointed yet; a removal has no `put`. */
export type MemtableWrite = PlannedWrite<PreparedPut>;

/** The last writes of some keys. */
export type MemtableWrites = ReadonlyMap<Key, MemtableWrite>;

/** Returns the record of a write for the tree; undefined if the entry is removed. Its bytes must not be changed. */
export function entryRecordOf(key: Key, {put, revision, updatedAtMs, expiresAtMs}: MemtableWrite): Buffer | undefined {
  if (put === undefined) return undefined;
  const record = 'record' in put ? put.record : beginEntryRecord(put.json);
  endEntryRecord(record, key, {revision, updatedAtMs, expiresAtMs});
  return record;
}

/** Returns the entry of a write with a copy of the value; undefined if the entry is removed. */
export function copyEntryOf(key: Key, write: MemtableWrite): Entry | undefined {
  const entry = entryOf(key, write);
  return entry === undefined ? undefined : {...entry, json: trustStoredJson(Buffer.from(entry.json))};
}

/** Returns the entry of a write; undefined if the entry is removed. Shares the bytes of the value, which must not be changed. */
export function entryOf(key: Key, {put, revision, updatedAtMs, expiresAtMs}: MemtableWrite): Entry | undefined {
  if (put === undefined) return undefined;
  const {json} = put;
  const entry = {key, revision, sizeBytes: json.length, updatedAtMs, json};
  return expiresAtMs === undefined ? entry : {...entry, expiresAtMs};
}
