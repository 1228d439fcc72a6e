import fc from 'fast-check';
import {expect, test} from 'vitest';
import {formatTime} from './format-time.ts';

test('a time is written as a Date writes it, whatever was written before', () => {
  fc.assert(
    fc.property(fc.date({noInvalidDate: true}), date => {
      expect(formatTime(date.getTime())).toBe(date.toISOString());
    }),
  );
});

test('times of one day are written as a Date writes them', () => {
  const midnightMs = Date.UTC(2026, 1, 28);
  for (const restMs of [0, 1, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000])
    expect(formatTime(midnightMs + restMs)).toBe(new Date(midnightMs + restMs).toISOString());
});

test('what is no time is none', () => {
  for (const timeMs of [Number.NaN, Infinity, 8.65e15]) expect(() => formatTime(timeMs)).toThrow(RangeError);
});
