import {describe, expect, test} from 'vitest';
import {compareKeys, lastKeyUnder} from './key-order.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('compareKeys()', () => {
  const keys = ['a', 'a/', 'a/b', 'a0', 'b', 'ä', '\uffff', '\u{1f600}', '\u{10ffff}', 'a\u{1f600}', 'a\uffff'];
  test('compares as the UTF-8 bytes do', () => {
    for (const one of keys)
      for (const other of keys)
        expect([one, other, Math.sign(compareKeys(one, other))]).toEqual([
          one,
          other,
          Math.sign(Buffer.compare(bytes(one), bytes(other))),
        ]);
  });
});

describe('lastKeyUnder()', () => {
  for (const prefix of ['', 'a', 'ab', 'abc', 'ä/', 'folder/']) {
    test(`returns a key of 512 bytes after every key under "${prefix}"`, () => {
      const last = lastKeyUnder(prefix);
      expect(bytes(last)).toHaveLength(512);
      for (const key of [prefix, `${prefix}~`, `${prefix}\u{10ffff}`, `${prefix}${'\u{10ffff}'.repeat(120)}z`])
        expect(compareKeys(key, last)).toBeLessThan(0);
    });
  }
});
