import {crc32} from 'node:zlib';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {trustStoredKey} from '../../core/domain/entries/identifiers.ts';
import {headerChecksum} from './entry-record.ts';

test('the checksum of a header and its key is the CRC-32 of both, for keys of any characters', () => {
  const keys = fc.oneof(
    fc.string({unit: 'grapheme-ascii'}),
    fc.string({unit: 'binary'}),
    fc.string({unit: fc.constantFrom('a', '\u007f', '\u0080', 'ÿ', '€', '\u{1f6eb}')}),
  );
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 60}), fc.nat(30), fc.nat(60), keys, (record, from, length, key) => {
      const to = Math.min(from + length, record.length);
      const expected = crc32(key, crc32(record.subarray(Math.min(from, to), to)));
      expect(headerChecksum(record, {from: Math.min(from, to), to}, trustStoredKey(key))).toBe(expected);
    }),
  );
});
