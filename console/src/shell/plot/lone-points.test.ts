import {expect, test} from 'vitest';
import {lonePoints} from './lone-points.ts';

const cases = [
  {name: 'the only value', values: [5], lone: [0]},
  {name: 'no value with a neighbour', values: [1, 2, null, 3, 4], lone: []},
  {name: 'values between gaps and at both ends', values: [0, null, 2, null, null, 5], lone: [0, 2, 5]},
  {name: 'nothing without values', values: [null, null], lone: []},
];
for (const {name, values, lone} of cases)
  test(`lonePoints() finds ${name}`, () => {
    expect(lonePoints(values)).toEqual(lone);
  });
