import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {decodeBeginning, isTooLong} from './json-string.ts';

/** Characters of every length in UTF-8, as they are and escaped. */
const TOKENS = ['a', 'é', '€', '😀', '\\n', '\\\\', '\\"', '\\u0061', '\\ud83d\\ude00', '\\ud800'];

describe('decodeBeginning()', () => {
  test('returns a short string whole, and more than `lengthMax` of a long one', () => {
    const string = fc.array(fc.constantFrom(...TOKENS), {maxLength: 60}).map(tokens => tokens.join(''));
    fc.assert(
      fc.property(string, fc.nat(20), (content, lengthMax) => {
        const bytes = Buffer.from(`{"${content}":"${content}"}`);
        const whole: string = JSON.parse(`"${content}"`);
        const beginning = decodeBeginning(bytes, 1, lengthMax);
        assert.ok(whole.startsWith(beginning), `${beginning} of ${whole}`);
        assert.ok(beginning === whole || beginning.length > lengthMax, `${beginning} of ${whole}`);
        assert.ok(beginning.length > lengthMax || !isTooLong(Buffer.byteLength(content), lengthMax));
      }),
      {numRuns: 2000},
    );
  });

  test('decodes six bytes for each unit of the limit, however long the string is', () =>
    assert.equal(decodeBeginning(Buffer.from(`"${'x'.repeat(100_000)}"`), 0, 64).length, 6 * 65));

  for (const character of ['é', '€', '😀', '\\u00e9', '\\ud83d\\ude00', '\\\\']) {
    test(`does not cut ${character} in two, wherever it is`, () => {
      const content = character.repeat(100);
      const whole: string = JSON.parse(`"${content}"`);
      for (let before = 0; before < 8; before++) {
        for (let lengthMax = 0; lengthMax < 10; lengthMax++) {
          const bytes = Buffer.from(`"${'x'.repeat(before)}${content}"`);
          const beginning = decodeBeginning(bytes, 0, lengthMax);
          assert.ok(`${'x'.repeat(before)}${whole}`.startsWith(beginning), beginning);
        }
      }
    });
  }
});

describe('isTooLong()', () => {
  test('holds for more bytes than the longest escapes of that many units take', () => {
    assert.deepEqual(
      [0, 1, 6, 7, 12, 13].map(sizeBytes => isTooLong(sizeBytes, 1)),
      [false, false, false, true, true, true],
    );
    assert.equal(isTooLong(1, 0), true);
    assert.equal(isTooLong(Number.MAX_SAFE_INTEGER, Infinity), false);
  });
});
