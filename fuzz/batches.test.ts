import fc from 'fast-check';
import {expect, test} from 'vitest';
import {makeBatches} from './batches.ts';

test('every property has a batch in each round, at first a small one, each round with a seed of its own', () => {
  const properties = ['a', 'b'].map(name => ({name, cases: fc.constant([]), weight: 1}));
  const ended: number[] = [];
  const batches: unknown[] = [];
  for (const {property, seed, cases} of makeBatches(properties, {seed: 7, rounds: 4, onRound: () => ended.push(7)}))
    batches.push([property.name, seed, cases]);
  expect(batches).toEqual([
    ...[
      ['a', 7, 5],
      ['b', 7, 5],
    ],
    ...[
      ['a', 8, 10],
      ['b', 8, 10],
    ],
    ...[
      ['a', 9, 20],
      ['b', 9, 20],
    ],
    ...[
      ['a', 10, 20],
      ['b', 10, 20],
    ],
  ]);
  expect(ended).toHaveLength(4);
});
