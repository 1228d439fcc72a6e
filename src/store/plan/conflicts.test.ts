import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Expectation} from '../../core/domain/entries/entry.ts';
import {createStoreId, type Key, NO_REVISION, parseKey} from '../../core/domain/entries/identifiers.ts';
import {findConflicts} from './conflicts.ts';

const HERE = createStoreId(Uint8Array.of(1, 2, 3));
const ELSEWHERE = createStoreId(Uint8Array.of(4, 5, 6));
const REVISIONS: ReadonlyMap<Key, number> = new Map([[parseKey('a'), 7]]);

const CASES: readonly {readonly key: string; readonly expected: Expectation; readonly conflict?: [string, string]}[] = [
  {key: 'a', expected: 7},
  {key: 'a', expected: 6, conflict: ['6', '7']},
  {key: 'a', expected: [6, 7]},
  {key: 'a', expected: [6, 8], conflict: ['6 or 8', '7']},
  {key: 'a', expected: [], conflict: ['0', '7']},
  {key: 'a', expected: NO_REVISION, conflict: ['0', '7']},
  {key: 'a', expected: {storeId: HERE, revision: 7}},
  {key: 'a', expected: {storeId: HERE, revision: 6}, conflict: ['6', '7']},
  {key: 'a', expected: {storeId: ELSEWHERE, revision: 7}, conflict: ['040506-7', '7']},
  {key: 'a', expected: [{storeId: ELSEWHERE, revision: 7}, 7]},
  {key: 'a', expected: [{storeId: ELSEWHERE, revision: 7}, 6], conflict: ['040506-7 or 6', '7']},
  {key: 'a', expected: 'present'},
  {key: 'a', expected: 'absent', conflict: ['absent', '7']},
  {key: 'b', expected: 'absent'},
  {key: 'b', expected: 'present', conflict: ['present', 'absent']},
  {key: 'b', expected: 7, conflict: ['7', 'absent']},
  {key: 'b', expected: [], conflict: ['0', 'absent']},
  {key: 'b', expected: NO_REVISION, conflict: ['0', 'absent']},
];

describe('findConflicts()', () => {
  for (const {key, expected, conflict} of CASES) {
    const state = key === 'a' ? 'an entry of revision 7' : 'no entry';
    test(`${conflict === undefined ? 'accepts' : 'refuses'} ${JSON.stringify(expected)} for ${state}`, () => {
      const revisionOf = (each: Key): number | undefined => REVISIONS.get(each);
      const conflicts = findConflicts([{key: parseKey(key), expected}], {storeId: HERE, revisionOf});
      const [text, actual] = conflict ?? [];
      assert.deepEqual(
        conflicts,
        conflict === undefined ? [] : [{key, expected: text, actual, ...(key === 'a' && {etag: '"010203-7"'})}],
      );
    });
  }

  test('finds none without checks', () => {
    assert.deepEqual(findConflicts([], {storeId: HERE, revisionOf: () => undefined}), []);
  });
});
