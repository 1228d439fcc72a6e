import {describe, expect, test} from 'vitest';
import {formatBytes, formatDuration, formatMs, formatShort} from './format-figures.ts';

describe('figures for people', () => {
  for (const [formatted, expected] of [
    [formatBytes(512), '512 B'],
    [formatBytes(1536), '1.5 KiB'],
    [formatBytes(64 * 1024 * 1024), '64 MiB'],
    [formatDuration(5.9), '5 s'],
    [formatDuration(125), '2 min'],
    [formatDuration(3 * 3600 + 1200), '3 h 20 min'],
    [formatDuration(5 * 86_400), '5 days'],
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
