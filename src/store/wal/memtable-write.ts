import {createEntry, createEntryInfo, type Entry} from '../../domain/entries/entry.ts';
import {compareKeys, type Key} from '../../domain/entries/key.ts';
import {trustStoredJson} from '../../json/json-text.ts';
import {endEntryRecord} from '../format/entry-record.ts';
import type {PlannedWrite} from '../plan/plan.ts';
import {recordOf} from '../plan/prepare-commit.ts';

/** The last writes of some keys, which do not change any more. */
export class FrozenWrites {
  readonly #writes: ReadonlyMap<Key, PlannedWrite>;
  #sortedKeys: readonly Key[] | undefined;

  constructor(writes: ReadonlyMap<Key, PlannedWrite>) {
    this.#writes = writes;
  }

  /** Finds the last write of a key; undefined if there is none. */
  find(key: Key): PlannedWrite | undefined {
    return this.#writes.get(key);
  }

  /** Returns the written keys in the order of their UTF-8 bytes. */
  sortedKeys(): readonly Key[] {
    this.#sortedKeys ??= [...this.#writes.keys()].sort(compareKeys);
    return this.#sortedKeys;
  }
}

/** Returns the record of a write for the tree; undefined if the entry is removed. Its bytes must not be changed. */
export function entryRecordOf(
  key: Key,
  {put, revision, updatedAtMs, expiresAtMs, writtenBy}: PlannedWrite,
): Buffer | undefined {
  if (put === undefined) return undefined;
  const record = recordOf(put, writtenBy);
  endEntryRecord(record, key, {revision, updatedAtMs, expiresAtMs});
  return record;
}

/** Returns the entry of a write with a copy of the value; undefined if the entry is removed. */
export function copyEntryOf(key: Key, write: PlannedWrite): Entry | undefined {
  const entry = entryOf(key, write);
  return entry === undefined ? undefined : createEntry(entry, trustStoredJson(Buffer.from(entry.json)));
}

/** Returns the entry of a write; undefined if the entry is removed. Shares the bytes of the value, which must not be changed. */
export function entryOf(
  key: Key,
  {put, revision, updatedAtMs, expiresAtMs, writtenBy}: PlannedWrite,
): Entry | undefined {
  if (put === undefined) return undefined;
  const {json} = put;
  return createEntry(
    createEntryInfo({key, revision, sizeBytes: json.length, updatedAtMs, expiresAtMs, writtenBy}),
    json,
  );
}
