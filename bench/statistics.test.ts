import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {medianOf, quantileOf, ratioOf, spreadOf} from './statistics.ts';

describe('quantileOf()', () => {
  const examples = [
    {name: 'the middle of an odd number of figures', figures: [9, 1, 5], share: 0.5, quantile: 5},
    {name: 'half way between the two middle figures', figures: [4, 1, 3, 2], share: 0.5, quantile: 2.5},
    {name: 'the largest', figures: [3, 10, 2], share: 1, quantile: 10},
    {name: 'a figure of two digits above one of one digit', figures: [9, 10, 8], share: 0.5, quantile: 9},
    {name: 'the only one', figures: [7], share: 0.99, quantile: 7},
  ];
  for (const {name, figures, share, quantile} of examples) {
    test(`finds ${name}`, () => assert.equal(quantileOf(figures, share), quantile));
  }

  test('is NaN without figures', () => assert.ok(Number.isNaN(medianOf([]))));

  test('keeps the order of the figures', () => {
    const figures = [3, 1, 2];
    medianOf(figures);
    assert.deepEqual(figures, [3, 1, 2]);
  });
});

test('spreadOf() returns the quartiles beside the median', () => {
  assert.deepEqual(spreadOf([1, 2, 3, 4, 5]), {median: 3, lowerQuartile: 2, upperQuartile: 4});
});

describe('ratioOf()', () => {
  test('compares neighbours in time: a moment that is slow for both changes nothing', () => {
    assert.equal(ratioOf([100, 10, 100], [200, 20, 200]).median, 0.5);
    assert.equal(ratioOf([10, 100, 100], [20, 20, 200]).median, 0.5);
  });

  test('leaves out rounds in which only one of them was measured', () => {
    assert.deepEqual(ratioOf([1, 3, 100], [1, 1]), {median: 2, lowerQuartile: 1.5, upperQuartile: 2.5});
  });
});
