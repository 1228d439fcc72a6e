import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {unexpected} from './json-problem.ts';

const FOUND: readonly (readonly [bytes: readonly number[], at: number, found: string])[] = [
  [[], 0, 'the end of the text'],
  [[0x31], 1, 'the end of the text'],
  [[0x00], 0, 'the byte 0x00'],
  [[0x0a], 0, 'the byte 0x0a'],
  [[0x20], 0, 'the byte 0x20'],
  [[0x21], 0, '"!"'],
  [[0x22], 0, 'a quote'],
  [[0x5c], 0, '"\\"'],
  [[0x7e], 0, '"~"'],
  [[0x7f], 0, 'the byte 0x7f'],
  [[0x80], 0, 'the byte 0x80'],
  [[0xff], 0, 'the byte 0xff'],
  [[0xef, 0xbb, 0xbf], 0, 'a byte order mark'],
  [[0xef, 0xbb, 0xbe], 0, 'the byte 0xef'],
  [[0xef, 0xba, 0xbf], 0, 'the byte 0xef'],
  [[0xee, 0xbb, 0xbf], 0, 'the byte 0xee'],
  [[0xef, 0xbb], 0, 'the byte 0xef'],
  [[0x31, 0xef, 0xbb, 0xbf], 1, 'the byte 0xef'],
];

describe('unexpected()', () => {
  for (const [bytes, at, found] of FOUND) {
    test(`finds ${found} at ${at} of ${Buffer.from(bytes).toString('hex') || 'nothing'}`, () => {
      assert.deepEqual(unexpected(Uint8Array.from(bytes), at, 'a digit').failure, {
        code: 'invalid-json',
        problem: `expected a digit, found ${found}`,
        position: at,
      });
    });
  }
});
