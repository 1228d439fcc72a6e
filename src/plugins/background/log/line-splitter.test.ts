import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {cut} from '../../../../test/support/chunks.ts';
import {KEPT_LENGTH_MAX} from '../channel/message.ts';
import {LogLineSplitter} from './log-reader.ts';

describe('LogLineSplitter', () => {
  test('finds whole lines, also if characters are split over chunks', () => {
    const text = fc.string({unit: fc.constantFrom('a', 'é', '✈', '🛫', '\n'), maxLength: 40});
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({min: 1, max: 7})), (written, sizes) => {
        const splitter = new LogLineSplitter();
        const lines = [...cut(Buffer.from(written), sizes)].flatMap(chunk => splitter.split(chunk));
        const expected = written.split('\n');
        if (expected.at(-1) === '') expected.pop();
        assert.deepEqual([...lines, ...splitter.end()], expected);
      }),
    );
  });

  test('removes the line breaks of Windows', () => {
    assert.deepEqual(new LogLineSplitter().split(Buffer.from('a\r\nb\rc\r\n')), ['a', 'b\rc']);
  });

  test('keeps the beginning of a line that is too long, and the next line', () => {
    const splitter = new LogLineSplitter();
    for (let megabytes = 0; megabytes < 10; megabytes++)
      assert.deepEqual(splitter.split(Buffer.alloc(1024 * 1024, 'x')), []);
    assert.deepEqual(splitter.split(Buffer.from('\nnext\n')), ['x'.repeat(KEPT_LENGTH_MAX), 'next']);
  });
});
