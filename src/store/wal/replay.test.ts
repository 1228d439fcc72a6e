import {describe, expect, test} from 'vitest';
import {putOf} from '../../../test/support/store-fixture.ts';
import type {Change} from '../../core/domain/commits/store.ts';
import {type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import type {EntryState} from '../format/entry-record.ts';
import type {Plan, PlannedWrite} from '../plan/plan.ts';
import {replayRecord} from './replay.ts';

const ALICE = 'token:alice';

/** Replays changes after entries with these times of expiry. */
function replay(changes: readonly Change[], expiries: Readonly<Record<string, number>> = {}): Plan {
  const stateOf = (key: Key): EntryState => ({revision: 1, expiresAtMs: expiries[key]});
  return replayRecord({changes, updatedAtMs: 1001, nowMs: 1002, storeId: 'store'}, stateOf);
}

function writeOf(changes: readonly Change[], expiries?: Readonly<Record<string, number>>): PlannedWrite | undefined {
  return replay(changes, expiries).writes.get(parseKey('a'));
}

describe('a record of the write-ahead log that is replayed', () => {
  test('is a group with its changes, its times and its last revision, and asks for nothing else', () => {
    const changes = [putOf(3, 'a', '1'), putOf(4, 'b', '2'), putOf(5, 'b', '3')];
    const {writes, ...plan} = replay(changes);
    expect([...writes.keys()]).toEqual(['a', 'b']);
    expect(plan).toEqual({
      ...{changes, revision: 5, updatedAtMs: 1001, nowMs: 1002},
      ...{stale: [], seenExpiryMs: 0, results: []},
    });
  });

  const put = putOf(3, 'a', '"value"');
  const removal = {key: parseKey('a'), revision: 4} as const;
  const WRITTEN = {updatedAtMs: 1001, writtenBy: undefined, expiresAtMs: undefined, expiredAtMs: undefined};
  const PUT = {kind: 'put', key: 'a', json: put.json};
  const cases = [
    {name: 'writes its value', changes: [put], write: {...WRITTEN, revision: 3, put: PUT}},
    {
      name: 'writes its time of expiry',
      changes: [{...put, expiresAtMs: 5000}],
      write: {...WRITTEN, revision: 3, put: PUT, expiresAtMs: 5000},
    },
    {
      name: 'names its caller',
      changes: [{...put, writtenBy: ALICE}],
      write: {...WRITTEN, revision: 3, put: PUT, writtenBy: ALICE},
    },
    {
      name: 'removes an entry that was deleted',
      changes: [{...removal, kind: 'delete', writtenBy: ALICE}],
      write: {...WRITTEN, revision: 4, put: undefined, writtenBy: ALICE},
    },
    {
      name: 'removes an entry that expired',
      changes: [{...removal, kind: 'expire'}],
      write: {...WRITTEN, revision: 4, put: undefined},
    },
    {
      name: 'has the last one of several writes of a key',
      changes: [{...removal, kind: 'delete', revision: 2}, put],
      write: {...WRITTEN, revision: 3, put: PUT},
    },
  ] as const;
  for (const {name, changes, write} of cases)
    test(name, () => {
      expect(writeOf(changes)).toEqual(write);
    });

  test('ends the time of expiry that an entry had before', () => {
    expect(writeOf([put], {a: 4000})?.expiredAtMs).toBe(4000);
    expect(writeOf([{...removal, kind: 'delete'}], {a: 4000})?.expiredAtMs).toBe(4000);
    expect(writeOf([put], {b: 4000})?.expiredAtMs).toBeUndefined();
  });

  const unknown = [
    {name: 'is missing', stateOf: () => undefined},
    {
      name: 'cannot be read',
      stateOf: () => {
        throw new Error('damaged');
      },
    },
  ];
  for (const {name, stateOf} of unknown)
    test(`ends no time of expiry of an entry that ${name}`, () => {
      const {writes} = replayRecord({changes: [put], updatedAtMs: 1001, nowMs: 1002, storeId: 'store'}, stateOf);
      expect(writes.get(parseKey('a'))).toEqual({...WRITTEN, revision: 3, put: PUT});
    });

  test('is refused if a put has no value', () => {
    const {json, ...rest} = put;
    expect(json).toBeDefined();
    expect(() => replay([rest])).toThrow('The write-ahead log has no value for "a"');
  });
});
