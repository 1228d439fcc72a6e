import fc from 'fast-check';
import {expect, test} from 'vitest';
import {axisRange, roundEnd} from './round-steps.ts';
import {TIME_STEPS} from './time-steps.ts';

for (const [value, end] of [
  [0, 1],
  [0.07, 0.08],
  [1, 1],
  [3.2, 4],
  [38_000, 40_000],
  [41_000, 60_000],
  [452, 600],
  [20, 20],
])
  test(`roundEnd() of ${value} is ${end}`, () => {
    expect(roundEnd(value ?? 0)).toBeCloseTo(end ?? 0, 9);
  });

test('roundEnd() is at least the value, and less than twice as much', () => {
  fc.assert(
    fc.property(fc.double({min: 1e-6, max: 1e12, noNaN: true}), value => {
      expect(roundEnd(value)).toBeGreaterThanOrEqual(value * (1 - 1e-8));
      expect(roundEnd(value)).toBeLessThan(value * 2);
    }),
  );
});

test('an axis begins at 0, or at the lowest value below it', () => {
  expect(axisRange(5, 38_000)).toEqual([0, 40_000]);
  expect(axisRange(-11, 20)).toEqual([-11, 20]);
  expect(axisRange(-11, -3)).toEqual([-11, 1]);
  expect(axisRange(null, null)).toEqual([0, 1]);
  expect(axisRange(0, 0, 1000)).toEqual([0, 1000]);
  expect(axisRange(0, 1300, 1000)).toEqual([0, 1500]);
});

test('time counts in parts of minutes and hours', () => {
  expect(TIME_STEPS.slice(0, 14)).toEqual([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200]);
});
