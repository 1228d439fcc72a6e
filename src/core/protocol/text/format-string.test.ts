import fc from 'fast-check';
import {expect, test} from 'vitest';
import {formatString} from './format-string.ts';

test('a string is written as JSON.stringify writes it', () => {
  const strings = fc.oneof(
    fc.string({unit: 'grapheme-ascii'}),
    fc.string({unit: 'binary'}),
    fc.string({unit: fc.constantFrom('a', ' ', '"', '\\', '~', '\u001f', '\u007f', 'é', '\u2028', '\ud83d')}),
  );
  fc.assert(
    fc.property(strings, text => {
      expect(formatString(text)).toBe(JSON.stringify(text));
    }),
  );
});
