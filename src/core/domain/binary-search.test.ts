import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {countBefore} from './binary-search.ts';

describe('countBefore()', () => {
  const cases = [
    {name: 'no elements', elements: [], limit: 5, count: 0},
    {name: 'one element before', elements: [1], limit: 5, count: 1},
    {name: 'one element that is not before', elements: [5], limit: 5, count: 0},
    {name: 'all elements before', elements: [1, 2, 3, 4], limit: 5, count: 4},
    {name: 'no element before', elements: [5, 6, 7], limit: 5, count: 0},
    {name: 'the first elements of an odd number', elements: [1, 5, 9], limit: 5, count: 1},
    {name: 'the first elements of an even number', elements: [1, 2, 5, 9], limit: 5, count: 2},
    {name: 'all but the last element', elements: [1, 2, 3, 9], limit: 5, count: 3},
    {name: 'elements that are equal', elements: [2, 2, 2, 5, 5], limit: 5, count: 3},
  ];
  for (const {name, elements, limit, count} of cases) {
    test(`counts ${name}`, () => {
      assert.equal(
        countBefore(elements, element => element < limit),
        count,
      );
    });
  }

  test('counts what a scan of the whole array counts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 0, max: 20})), fc.integer({min: -1, max: 21}), (numbers, limit) => {
        const sorted = numbers.toSorted((a, b) => a - b);
        assert.equal(
          countBefore(sorted, element => element < limit),
          sorted.filter(element => element < limit).length,
        );
      }),
    );
  });

  test('reads at most 21 of a million elements', () => {
    const elements = Array.from({length: 1_000_000}, (_, index) => index);
    for (const limit of [0, 1, 499_999, 500_000, 999_999, 1_000_000]) {
      let looks = 0;
      const count = countBefore(elements, element => {
        looks++;
        return element < limit;
      });
      assert.equal(count, limit);
      assert.ok(looks <= 21, `${looks} looks`);
    }
  });

  test('asks about elements of the array only', () => {
    countBefore([1, 2, 3], element => {
      assert.ok([1, 2, 3].includes(element));
      return true;
    });
  });
});
