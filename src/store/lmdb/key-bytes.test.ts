import fc from 'fast-check';
import {expect, test} from 'vitest';
import {decodeKeyBytes, encodeKeyBytes, KEY_ENCODER, keyBytesOf, toBuffer} from './key-bytes.ts';

const texts = fc.oneof(
  fc.string({unit: 'grapheme-ascii'}),
  fc.string({unit: 'binary'}),
  fc.string({unit: fc.constantFrom('a', '\u007f', '\u0080', 'ÿ', '€', '\uffff', '\u{1f6eb}')}),
);

test('bytes of keys are those of their texts, and in their order', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const bytes = encodeKeyBytes(a);
      expect(toBuffer(bytes)).toEqual(Buffer.from(a));
      expect(keyBytesOf(Buffer.from(a))).toBe(bytes);
      expect(decodeKeyBytes(bytes)).toBe(a);
      const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(bytes === encodeKeyBytes(b) ? 0 : bytes < encodeKeyBytes(b) ? -1 : 1).toBe(order);
    }),
  );
});

test('the encoder of keys writes what it has read', () => {
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 20}), key => {
      const target = Buffer.alloc(60);
      expect(KEY_ENCODER.writeKey(key, target, 3)).toBe(3 + key.length);
      const bytes = KEY_ENCODER.readKey(target, 3, 3 + key.length);
      expect(KEY_ENCODER.writeKey(bytes, target, 30)).toBe(30 + key.length);
      expect(target.subarray(30, 30 + key.length)).toEqual(Buffer.from(key));
    }),
  );
});
