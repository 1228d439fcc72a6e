import {expect, test} from 'vitest';
import {formatFlightTime, formatTimeLabel} from './flight-time.ts';

for (const [seconds, words, label] of [
  [0, '0 min', '0 min'],
  [30, '30 s', '30 s'],
  [90, '1 min 30 s', '1:30 min'],
  [605, '10 min 5 s', '10:05 min'],
  [1200, '20 min', '20 min'],
  [5400, '1 h 30 min', '1:30 h'],
  [7200, '2 h', '2 h'],
] as const)
  test(`${words} is ${label} on an axis`, () => {
    expect(formatFlightTime(seconds)).toBe(words);
    expect(formatTimeLabel(seconds)).toBe(label);
  });
