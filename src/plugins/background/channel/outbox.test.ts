import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {FrameReader, MESSAGE_BODY_BYTES_MAX, MESSAGE_JSON_BYTES_MAX} from './frame.ts';
import {Outbox} from './outbox.ts';

/** An outbox with what it has written. */
function openOutbox(): {readonly outbox: Outbox; readonly written: Uint8Array[]} {
  const written: Uint8Array[] = [];
  const outbox = new Outbox({write: bytes => written.push(bytes) > 0, writableLength: 0});
  return {outbox, written};
}

/** Sizes around those at which an outbox decides. */
const SIZES = [0, 100, 30_000, 64 * 1024 - 40, 64 * 1024, 400_000, MESSAGE_JSON_BYTES_MAX - 2];

describe('Outbox', () => {
  test('writes frames that a reader takes, whatever messages share a tick', () => {
    const size = fc.constantFrom(...SIZES);
    const message = fc.record({letter: fc.constantFrom('x', 'é', '✈'), sizeBytes: size, bodyBytes: size});
    fc.assert(
      fc.property(fc.array(message, {maxLength: 8}), sent => {
        const {outbox, written} = openOutbox();
        const texts = sent.map(({letter, sizeBytes}) => letter.repeat(sizeBytes / Buffer.byteLength(letter)));
        for (const [at, {bodyBytes}] of sent.entries())
          assert.equal(outbox.send(texts[at], new Uint8Array(bodyBytes)), true);
        outbox.flush();
        const reader = new FrameReader();
        const found = written.flatMap(bytes => reader.read(bytes));
        assert.deepEqual(
          found.map(({message, body}) => [String(message).length, body.length]),
          sent.map(({bodyBytes}, at) => [texts[at]?.length, bodyBytes]),
        );
      }),
      {numRuns: 30},
    );
  });

  test('sends nothing of a message that is too large for a frame, and all others', () => {
    const {outbox, written} = openOutbox();
    assert.equal(outbox.send('before'), true);
    assert.equal(outbox.send('x'.repeat(MESSAGE_JSON_BYTES_MAX - 1)), false);
    assert.equal(outbox.send('é'.repeat(MESSAGE_JSON_BYTES_MAX / 2)), false);
    assert.equal(outbox.send('body', new Uint8Array(MESSAGE_BODY_BYTES_MAX + 1)), false);
    assert.equal(outbox.send('largest', new Uint8Array(MESSAGE_BODY_BYTES_MAX)), true);
    assert.equal(outbox.send('after'), true);
    outbox.flush();
    const reader = new FrameReader();
    const found = written.flatMap(bytes => reader.read(bytes));
    assert.deepEqual(
      found.map(({message}) => message),
      ['before', 'largest', 'after'],
    );
  });
});
