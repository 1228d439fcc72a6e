import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createTimeFormat, formatTime} from './format-time.ts';

test('a time is written as a Date writes it', () => {
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

test('a format that remembers the last date and minute writes all times as a Date writes them', () => {
  const midnightMs = Date.UTC(2026, 2, 1);
  const dayMs = 86_400_000;
  const times = fc.oneof(
    fc.integer({min: midnightMs - 90_000, max: midnightMs + 90_000}),
    fc.integer({min: midnightMs - dayMs, max: midnightMs + dayMs}),
    fc.integer({min: -dayMs, max: dayMs}),
    fc.double({min: -2000, max: 2000, noNaN: true}),
    fc.date({noInvalidDate: true}).map(date => date.getTime()),
  );
  fc.assert(
    fc.property(fc.array(times), listed => {
      const format = createTimeFormat();
      expect(listed.map(format)).toEqual(listed.map(timeMs => new Date(timeMs).toISOString()));
      expect(() => format(Number.NaN)).toThrow(RangeError);
    }),
  );
});

test('years before 0 and after 9999 are written with a sign', () => {
  for (const text of [
    '-000001-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
  ])
    expect(formatTime(Date.parse(text))).toBe(text);
});

test('an invalid time is not parsed', () => {
  for (const timeMs of [Number.NaN, Infinity, 8.65e15]) expect(() => formatTime(timeMs)).toThrow(RangeError);
});
