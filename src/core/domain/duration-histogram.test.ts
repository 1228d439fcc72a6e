import {describe, expect, test} from 'vitest';
import {DURATION_BOUNDS_SECONDS, DurationHistogram} from './duration-histogram.ts';

describe('DurationHistogram', () => {
  const cases = [
    {durationMs: 0, bound: 0.0001},
    {durationMs: 0.1, bound: 0.0001},
    {durationMs: 0.11, bound: 0.00025},
    {durationMs: 10, bound: 0.01},
    {durationMs: 10_000, bound: 10},
    {durationMs: 10_001, bound: undefined},
  ];
  for (const {durationMs, bound} of cases) {
    test(`counts ${durationMs} ms ${bound === undefined ? 'above all bounds' : `up to ${bound} s`}`, () => {
      const histogram = new DurationHistogram();
      histogram.observe(durationMs);
      const {counts, sumSeconds} = histogram.durations();
      expect(
        counts.map((count, index) => [DURATION_BOUNDS_SECONDS[index], count]).filter(([, count]) => count),
      ).toEqual([[bound, 1]]);
      expect(sumSeconds).toBe(durationMs / 1000);
    });
  }

  test('adds durations up, and returns a copy', () => {
    const histogram = new DurationHistogram();
    histogram.observe(1);
    const before = histogram.durations();
    histogram.observe(1);
    histogram.observe(2000);
    expect(histogram.durations().counts.reduce((sum, count) => sum + count)).toBe(3);
    expect(histogram.durations().sumSeconds).toBeCloseTo(2.002);
    expect(before.counts.reduce((sum, count) => sum + count)).toBe(1);
  });

  test('has bounds that rise', () => {
    expect(DURATION_BOUNDS_SECONDS).toEqual([...new Set(DURATION_BOUNDS_SECONDS)].sort((one, other) => one - other));
  });
});
