import {describe, expect, test} from 'vitest';
import {formatBytes, formatDuration, formatMs, formatShort} from './format-figures.ts';

describe('figures for people', () => {
  for (const [formatted, expected] of [
    [formatBytes(512), '512 B'],
    [formatBytes(1536), '1.5 KiB'],
    [formatBytes(64 * 1024 * 1024), '64 MiB'],
    [formatBytes(0), '0 B'],
    [formatBytes(1023), '1023 B'],
    [formatBytes(1024 * 1024), '1 MiB'],
    [formatDuration(-5), '0 s'],
    [formatDuration(5.1), '6 s'],
    [formatDuration(59), '59 s'],
    [formatDuration(250), '4 min 10 s'],
    [formatDuration(3600), '1 h'],
    [formatDuration(3601), '1 h'],
    [formatDuration(190_900), '2 d 5 h'],
    [formatMs(0.234), '0.23 ms'],
    [formatMs(1500), '1.5 s'],
    [formatShort(0), '0'],
    [formatShort(12.34), '12.3'],
    [formatShort(1234.5), '1,235'],
  ]) {
    test(`${expected}`, () => {
      expect(formatted).toBe(expected);
    });
  }
});
