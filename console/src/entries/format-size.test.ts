import {describe, expect, test} from 'vitest';
import {formatDuration, formatSize} from './format-size.ts';

describe('formatSize()', () => {
  for (const [size, text] of [
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [1024 * 1024, '1 MiB'],
  ] as const)
    test(`${size} is ${text}`, () => expect(formatSize(size)).toBe(text));
});

describe('formatDuration()', () => {
  for (const [seconds, text] of [
    [-5, '0 s'],
    [59, '59 s'],
    [250, '4 min 10 s'],
    [3600, '1 h'],
    [3601, '1 h'],
    [190_900, '2 d 5 h'],
  ] as const)
    test(`${seconds} seconds are ${text}`, () => expect(formatDuration(seconds * 1000)).toBe(text));
});
