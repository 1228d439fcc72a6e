import {setFlagsFromString} from 'node:v8';
import {describe, expect, test} from 'vitest';
import {createEntry, createEntryInfo, type Entry} from '../core/domain/entries/entry.ts';
import {type Key, parseKey} from '../core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../core/json/json-text.ts';
import {decodeChanges, encodeChanges, encodedBytesMax} from './format/change-encoding.ts';
import {
  beginEntryRecord,
  decodeEntryInfo,
  decodeEntryRecord,
  decodeEntryState,
  endEntryRecord,
} from './format/entry-record.ts';
import {EntryCache} from './tree/current-entries.ts';
import {copyEntryOf, entryOf} from './wal/memtable.ts';

setFlagsFromString('--allow-natives-syntax');
const haveSameShape = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: unknown,
  other: unknown,
) => boolean;

const KEYS = [parseKey('a'), parseKey('b/c')] as const;
const JSON_TEXT = encodeJsonText('{"a": 1}');

/** Makes an entry or a change; what it makes for two keys has to have one shape. */
type Make = (key: Key, expiresAtMs: number | undefined) => unknown;

/** V8 decides about the classes of objects only after some have been made at one place. */
function makeOften<T>(make: (key: Key) => T): readonly [T, T] {
  for (let count = 0; count < 100; count++) for (const key of KEYS) make(key);
  const [one, other] = KEYS;
  return [make(one), make(other)];
}

function recordOf(key: Key, expiresAtMs: number | undefined): Buffer {
  const record = beginEntryRecord(JSON_TEXT);
  endEntryRecord(record, key, {revision: 7, updatedAtMs: 1000, expiresAtMs});
  return record;
}

function entryFor(key: Key, expiresAtMs: number | undefined): Entry {
  return createEntry(createEntryInfo({key, revision: 7, sizeBytes: 8, updatedAtMs: 1000, expiresAtMs}), JSON_TEXT);
}

function writeOf(expiresAtMs: number | undefined, key: Key) {
  const put = {kind: 'put', key, json: JSON_TEXT} as const;
  return {revision: 7, updatedAtMs: 1000, put, expiresAtMs, expiredAtMs: undefined};
}

function changeFor(key: Key, expiresAtMs: number | undefined): unknown {
  const expiry = expiresAtMs === undefined ? {} : {expiresAtMs};
  const change = {kind: 'put', key, revision: 7, sizeBytes: 8, json: JSON_TEXT, ...expiry} as const;
  const buffer = Buffer.alloc(encodedBytesMax([change]));
  return decodeChanges(buffer, 0, encodeChanges([change], buffer, 0))[0];
}

function cachedFor(key: Key, expiresAtMs: number | undefined): EntryCache {
  const cache = new EntryCache();
  // A key is admitted on its second use.
  for (const entry of [1, 2].map(() => entryFor(key, expiresAtMs))) cache.add(entry);
  return cache;
}

const MADE: readonly {readonly name: string; readonly make: Make}[] = [
  {name: 'entries of the tree', make: (key, expiresAtMs) => decodeEntryRecord(key, recordOf(key, expiresAtMs))},
  {name: 'the information about them', make: (key, expiresAtMs) => decodeEntryInfo(key, recordOf(key, expiresAtMs))},
  {name: 'their state', make: (key, expiresAtMs) => decodeEntryState(key, recordOf(key, expiresAtMs))},
  {name: 'entries of the cache', make: (key, expiresAtMs) => cachedFor(key, expiresAtMs).find(key)},
  {name: 'their information', make: (key, expiresAtMs) => cachedFor(key, expiresAtMs).findInfo(key)},
  {name: 'entries of the memtable', make: (key, expiresAtMs) => entryOf(key, writeOf(expiresAtMs, key))},
  {name: 'copies of them', make: (key, expiresAtMs) => copyEntryOf(key, writeOf(expiresAtMs, key))},
  {name: 'changes of the change log', make: changeFor},
];

describe('objects that are made for each entry', () => {
  for (const {name, make} of MADE)
    for (const expiresAtMs of [undefined, 2000])
      test(`have one hidden class: ${name}, ${expiresAtMs === undefined ? 'without' : 'with'} a time of expiry`, () => {
        const [one, other] = makeOften(key => make(key, expiresAtMs));
        expect(one).toMatchObject({revision: 7});
        expect(haveSameShape(one, other)).toBe(true);
      });

  // Newer versions of V8 give them one.
  test.runIf(process.version.startsWith('v20.'))('would have two if they were made by spreads', () => {
    const info = createEntryInfo(entryFor(KEYS[0], undefined));
    const [one, other] = makeOften(() => ({...info, json: JSON_TEXT}));
    expect(haveSameShape(one, other)).toBe(false);
  });
});
