import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {GrowingBytes} from './growing-bytes.ts';

const KIB = 1024;

describe('bytes that arrive in chunks', () => {
  for (const {sizes, sizeBytesMax} of [
    {sizes: [], sizeBytesMax: 10},
    {sizes: [10], sizeBytesMax: 10},
    {sizes: [1, 1, 1], sizeBytesMax: 3},
    {sizes: [65_400, 136], sizeBytesMax: 64 * KIB},
    {sizes: [1, 2, 3], sizeBytesMax: 128 * KIB},
    {sizes: [64 * KIB, 64 * KIB, 1], sizeBytesMax: 128 * KIB + 1},
    {sizes: Array.from({length: 40}, (_, index) => 1000 * index + 1), sizeBytesMax: 10_000 * KIB},
  ]) {
    test(`are all there, and take no more memory than announced: ${sizes.length} chunks of at most ${sizeBytesMax} bytes`, () => {
      const bytes = new GrowingBytes(sizeBytesMax);
      const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 1));
      let memoryBytes = 0;
      for (const chunk of chunks) {
        memoryBytes += bytes.growthFor(chunk);
        bytes.add(chunk);
        assert.ok(bytes.sizeBytes <= memoryBytes && memoryBytes <= sizeBytesMax, `${memoryBytes} bytes announced`);
      }
      assert.deepEqual(Buffer.from(bytes.take()), Buffer.concat(chunks));
    });
  }
});
