import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {cut} from '../../../../test/support/chunks.ts';
import {encodeFrame, type FramedMessage, FrameReader, MESSAGE_BODY_BYTES_MAX} from './frame.ts';

describe('FrameReader', () => {
  test('finds every message, however they are framed and the stream is cut', () => {
    const body = fc.oneof(fc.uint8Array({maxLength: 20}), fc.string({unit: 'binary', maxLength: 10}));
    const frames = fc.array(fc.array(fc.record({message: fc.jsonValue(), body}), {maxLength: 3}), {maxLength: 4});
    fc.assert(
      fc.property(frames, fc.infiniteStream(fc.integer({min: 1, max: 30})), (sent, sizes) => {
        const stream = Buffer.concat(sent.map(messages => encodeFrame(messages.map(toFramed))));
        const reader = new FrameReader();
        const found = [...cut(stream, sizes)].flatMap(chunk => reader.read(chunk));
        assert.deepEqual(
          found.map(each => ({message: each.message, body: [...each.body]})),
          sent
            .flat()
            .map(each => ({message: JSON.parse(JSON.stringify(each.message)), body: [...Buffer.from(each.body)]})),
        );
      }),
    );
  });

  test('refuses a body that is too large by its length, before any of it arrives', () => {
    const frameOf = (sizeBytes: number): Uint8Array => encodeFrame([{json: '{}', sizeBytes, body: undefined}]);
    assert.deepEqual(new FrameReader().read(frameOf(MESSAGE_BODY_BYTES_MAX)), []);
    assert.throws(() => new FrameReader().read(frameOf(MESSAGE_BODY_BYTES_MAX + 1)), RangeError);
  });

  test('refuses a message that is too large by its length', () => {
    assert.throws(() => new FrameReader().read(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])), RangeError);
  });

  for (const listed of ['{},2', '{},4', '{},-1,{},4', '{},1.5,{},1.5', '{},"3"', '{}', '{},3,{}', '']) {
    test(`refuses a frame of three bytes that lists [${listed}]`, () => {
      const json = `[${listed}]`;
      const head = Buffer.from(Uint32Array.of(json.length, 3).buffer);
      assert.throws(() => new FrameReader().read(Buffer.concat([head, Buffer.from(`${json}abc`)])), {
        message: 'Cannot take a message: the sizes of its bodies are wrong',
      });
    });
  }
});

function toFramed({message, body}: {readonly message: unknown; readonly body: string | Uint8Array}): FramedMessage {
  return {json: JSON.stringify(message), sizeBytes: Buffer.byteLength(body), body};
}
