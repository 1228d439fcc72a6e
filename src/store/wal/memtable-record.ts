import type {Entry} from '../../domain/entry.ts';
import type {Key} from '../../domain/key.ts';
import {beginEntryRecord, endEntryRecord} from '../format/entry-record.ts';
import type {MemtableWrite} from './memtable.ts';

/** The record of a write, as the tree gets it; undefined where the entry is removed. Nobody may change its bytes. */
export function entryRecordOf(key: Key, {put, revision, updatedAtMs, expiresAtMs}: MemtableWrite): Buffer | undefined {
  if (put === undefined) return undefined;
  const record = 'record' in put ? put.record : beginEntryRecord(put.json);
  endEntryRecord(record, key, {revision, updatedAtMs, expiresAtMs});
  return record;
}

/** The entry of a write, with a value of its own; undefined where the entry is removed. */
export function entryOf(key: Key, write: MemtableWrite): Entry | undefined {
  const entry = viewOf(key, write);
  return entry === undefined ? undefined : {...entry, json: Buffer.from(entry.json) as Uint8Array as Entry['json']};
}

/** The entry of a write, with the value that is written: nobody may change its bytes. Undefined where the entry is removed. */
export function viewOf(key: Key, {put, revision, updatedAtMs, expiresAtMs}: MemtableWrite): Entry | undefined {
  if (put === undefined) return undefined;
  const {json} = put;
  const entry = {key, revision, sizeBytes: json.length, updatedAtMs, json};
  return expiresAtMs === undefined ? entry : {...entry, expiresAtMs};
}
