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
        if (isTooLong(Buffer.byteLength(content), lengthMax)) assert.ok(beginning.length > lengthMax);
      }),
      {numRuns: 2000},
    );
  });

  test('decodes six bytes for each unit of the limit, however long the string is', () =>
    assert.equal(decodeBeginning(Buffer.from(`"${'x'.repeat(100_000)}"`), 0, 64).length, 6 * 65));
});
