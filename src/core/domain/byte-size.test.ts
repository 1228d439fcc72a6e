import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {formatBytes} from './byte-size.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const TIB = 1024 * GIB;

const BYTES_OF_UNIT: Readonly<Record<string, number>> = {B: 1, KiB: KIB, MiB: MIB, GiB: GIB, TiB: TIB};

const CASES: readonly (readonly [sizeBytes: number, text: string])[] = [
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [KIB, '1.0 KiB'],
  [KIB + 51, '1.0 KiB'],
  [KIB + 52, '1.1 KiB'],
  [1.5 * MIB, '1.5 MiB'],
  [MIB, '1.0 MiB'],
  [GIB, '1.0 GiB'],
  [TIB, '1.0 TiB'],
  [1023.94 * KIB, '1023.9 KiB'],
  [1023.96 * KIB, '1.0 MiB'],
  [1023.96 * TIB, '1024.0 TiB'],
  [5000 * TIB, '5000.0 TiB'],
];

describe('formatBytes()', () => {
  for (const [sizeBytes, text] of CASES) {
    test(`writes ${sizeBytes} bytes as ${text}`, () => {
      assert.equal(formatBytes(sizeBytes), text);
    });
  }

  for (const unit of [MIB, GIB, TIB]) {
    test(`writes a byte less than ${formatBytes(unit)} in the same unit, not as 1024 of the smaller one`, () => {
      assert.equal(formatBytes(unit - 1), formatBytes(unit));
    });
  }

  test('differs from the size by less than a digit, and has four digits before the point at most', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 1000 * TIB}), sizeBytes => {
        const [, number = '', unit = ''] =
          /^(\d{1,4}(?:\.\d)?) (B|KiB|MiB|GiB|TiB)$/.exec(formatBytes(sizeBytes)) ?? [];
        const bytes = BYTES_OF_UNIT[unit] ?? Number.NaN;
        assert.ok(Math.abs(Number(number) * bytes - sizeBytes) <= 0.0501 * bytes, `${number} ${unit}`);
        assert.ok(Number(number) < 1024);
      }),
      {numRuns: 300},
    );
  });

  test('never writes a larger size as a smaller number', () => {
    const anySize = fc.integer({min: 0, max: 1000 * TIB});
    const parse = (text: string): number => {
      const [number, unit = ''] = text.split(' ');
      return Number(number) * (BYTES_OF_UNIT[unit] ?? Number.NaN);
    };
    fc.assert(
      fc.property(anySize, anySize, (a, b) => {
        const [smaller, larger] = a < b ? [a, b] : [b, a];
        assert.ok(parse(formatBytes(smaller)) <= parse(formatBytes(larger)));
      }),
      {numRuns: 300},
    );
  });
});
