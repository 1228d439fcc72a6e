import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {cut} from '../../../../test/support/chunks.ts';
import {encodeFrame, FRAME_BODY_BYTES_MAX, FrameReader} from './frame.ts';

describe('FrameReader', () => {
  test('finds every frame, however the stream is cut', () => {
    const frames = fc.array(fc.record({message: fc.jsonValue(), body: fc.uint8Array({maxLength: 20})}), {maxLength: 5});
    fc.assert(
      fc.property(frames, fc.infiniteStream(fc.integer({min: 1, max: 30})), (sent, sizes) => {
        const stream = Buffer.concat(sent.flatMap(({message, body}) => [encodeFrame(message, body.length), body]));
        const reader = new FrameReader();
        const found = [...cut(stream, sizes)].flatMap(chunk => reader.read(chunk));
        assert.deepEqual(
          found.map(({message, body}) => ({message, body: [...body]})),
          sent.map(({message, body}) => ({message: JSON.parse(JSON.stringify(message)), body: [...body]})),
        );
      }),
    );
  });

  test('refuses a body that is too large by its length, before any of it arrives', () => {
    const reader = new FrameReader();
    assert.deepEqual(reader.read(encodeFrame({}, FRAME_BODY_BYTES_MAX)), []);
    assert.throws(() => new FrameReader().read(encodeFrame({}, FRAME_BODY_BYTES_MAX + 1)), RangeError);
  });

  test('refuses a message that is too large by its length', () => {
    assert.throws(() => new FrameReader().read(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])), RangeError);
  });
});
