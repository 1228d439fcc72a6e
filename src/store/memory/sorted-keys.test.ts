import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {compareKeys, type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {SortedKeys} from './sorted-entries.ts';

/** Enough for several blocks. */
const COUNT = 5000;

describe('SortedKeys', () => {
  test('keeps many keys in order, whatever is added and removed', () => {
    const anyOrder = fc.shuffledSubarray(
      Array.from({length: COUNT}, (_, index) => parseKey(`key ${index}`)),
      {minLength: COUNT},
    );
    fc.assert(
      fc.property(anyOrder, fc.nat(COUNT), fc.nat(COUNT), (keys, removed, place) => {
        const sorted = new SortedKeys<Key>();
        for (const key of keys) sorted.add(key);
        for (const key of keys.slice(0, removed)) sorted.remove(key);
        const expected = keys.slice(removed).sort(compareKeys);
        assert.deepEqual([...sorted.after(() => false)], expected);
        assert.deepEqual([...sorted.before(() => true)], expected.toReversed());
        const cursor = `key ${place}`;
        const isBefore = (key: Key): boolean => compareKeys(key, cursor) < 0;
        assert.deepEqual(
          [...sorted.after(isBefore)],
          expected.filter(key => !isBefore(key)),
        );
        assert.deepEqual([...sorted.before(isBefore)], expected.filter(isBefore).reverse());
      }),
      {numRuns: 10},
    );
  });

  test('can be emptied and filled again', () => {
    const sorted = new SortedKeys<Key>();
    const keys = Array.from({length: 3000}, (_, index) => parseKey(`key ${index}`));
    for (const key of keys) sorted.add(key);
    for (const key of keys) sorted.remove(key);
    assert.deepEqual([...sorted.after(() => false)], []);
    sorted.add(parseKey('a'));
    sorted.clear();
    sorted.add(parseKey('b'));
    assert.deepEqual([...sorted.before(() => true)], ['b']);
  });
});
