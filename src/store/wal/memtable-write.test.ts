import {describe, expect, test} from 'vitest';
import {type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {decodeEntryRecord} from '../format/entry-record.ts';
import type {PlannedWrite} from '../plan/plan.ts';
import {copyEntryOf, entryOf, entryRecordOf, FrozenWrites} from './memtable.ts';

const KEY = parseKey('a');
const JSON_TEXT = encodeJsonText('"value"');
const WRITE: PlannedWrite = {
  ...{revision: 3, updatedAtMs: 1001, expiresAtMs: 5000, writtenBy: 'token:alice', expiredAtMs: 4000},
  put: {kind: 'put', key: KEY, json: JSON_TEXT},
};
const REMOVAL: PlannedWrite = {...WRITE, put: undefined};
const ENTRY = {
  ...{key: KEY, revision: 3, sizeBytes: 7, updatedAtMs: 1001, expiresAtMs: 5000, writtenBy: 'token:alice'},
  json: JSON_TEXT,
};

describe('a write of the memtable', () => {
  const entries = [
    {name: 'an entry', make: entryOf},
    {name: 'an entry with a copy of its value', make: copyEntryOf},
    {
      name: 'an entry that its record gives back',
      make: (key: Key, write: PlannedWrite) => {
        const record = entryRecordOf(key, write);
        return record && decodeEntryRecord(key, record);
      },
    },
  ];
  for (const {name, make} of entries)
    test(`is ${name}, and none for a removal`, () => {
      const entry = make(KEY, WRITE);
      expect({...entry, json: Uint8Array.from(entry?.json ?? [])}).toEqual(ENTRY);
      expect(make(KEY, REMOVAL)).toBeUndefined();
    });

  test('shares its value with its entry, and not with a copy', () => {
    expect(entryOf(KEY, WRITE)?.json).toBe(JSON_TEXT);
    copyEntryOf(KEY, WRITE)?.json.fill(0);
    expect(Buffer.from(JSON_TEXT).toString()).toBe('"value"');
  });

  test('is found by its key, in the order of the bytes of all keys', () => {
    const keys = ['é', 'b', 'a', '\u{1f600}', '\uffee'].map(parseKey);
    const frozen = new FrozenWrites(new Map(keys.map((key, revision) => [key, {...WRITE, revision}])));
    expect(keys.map(key => frozen.find(key)?.revision)).toEqual([0, 1, 2, 3, 4]);
    expect(frozen.find(parseKey('c'))).toBeUndefined();
    const sorted = frozen.sortedKeys();
    expect(sorted).toEqual(['a', 'b', 'é', '\uffee', '\u{1f600}']);
    expect(frozen.sortedKeys()).toBe(sorted);
  });
});
