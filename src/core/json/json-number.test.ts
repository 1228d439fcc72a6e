import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {beginsNumber, scanNumber} from './json-number.ts';

/** Scans the number at the beginning of a text. @returns The position after it. */
function scan(text: string): number {
  return scanNumber(Buffer.from(text), 0);
}

/** The form of a number, RFC 8259 section 6. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/;

const NUMBERS = [
  '0',
  '-0',
  '7',
  '-12',
  '1.5',
  '0.0',
  '-1.05',
  '1e5',
  '1E5',
  '1e+5',
  '1e-5',
  '0e0',
  '1.5e-10',
  '9'.repeat(50),
];

/** Texts that are no number, with the position of the byte that has to be a digit. */
const REFUSED: readonly (readonly [text: string, position: number])[] = [
  ['-', 1],
  ['--1', 1],
  ['-a', 1],
  ['1.', 2],
  ['1.e5', 2],
  ['1.-5', 2],
  ['1e', 2],
  ['1e+', 3],
  ['1e-', 3],
  ['1e+-5', 3],
  ['1ee5', 2],
  ['1.5e', 4],
  ['-0.', 3],
];

describe('scanNumber()', () => {
  for (const text of NUMBERS) {
    test(`scans ${text.slice(0, 10)} up to its end, whatever follows`, () => {
      for (const after of ['', ',', ' ', ']', '}', 'x', '"']) assert.equal(scan(text + after), text.length);
    });
  }

  for (const [text, position] of REFUSED) {
    test(`refuses ${text}`, () => {
      const found = text[position] === undefined ? 'the end of the text' : `"${text[position]}"`;
      const failure = {code: 'invalid-json', problem: `expected a digit, found ${found}`, position};
      assert.throws(() => scan(text), {failure});
    });
  }

  for (const [text, end] of [
    ['01', 1],
    ['-01', 2],
    ['00', 1],
    ['1.5.5', 3],
    ['1e5e5', 3],
    ['1e5.5', 3],
    ['1-1', 1],
    ['1+1', 1],
  ] as const) {
    test(`ends before the part of ${text} that does not belong to the number`, () => {
      assert.equal(scan(text), end);
    });
  }

  test('scans any number as the grammar of JSON does', () => {
    const anyDigits = fc.string({unit: fc.constantFrom(...'0159'), minLength: 1, maxLength: 4});
    const anyNumber = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(fc.constant('0'), fc.integer({min: 1, max: 99_999}).map(String)),
        fc.option(anyDigits, {nil: undefined}),
        fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), anyDigits), {nil: undefined}),
      )
      .map(
        ([sign, integer, fraction, exponent]) =>
          sign + integer + (fraction === undefined ? '' : `.${fraction}`) + (exponent?.join('') ?? ''),
      );
    fc.assert(
      fc.property(anyNumber, fc.constantFrom('', ',', '\n'), (text, after) => {
        const [match] = NUMBER.exec(text + after) ?? [];
        assert.equal(scan(text + after), match?.length);
      }),
      {numRuns: 300},
    );
  });
});

test('beginsNumber() holds for digits and a minus, and for no other byte', () => {
  const beginning = Array.from({length: 256}, (_, byte) => byte).filter(beginsNumber);
  assert.deepEqual(
    beginning.map(byte => String.fromCharCode(byte)),
    [...'-0123456789'],
  );
  assert.equal(beginsNumber(undefined), false);
});
