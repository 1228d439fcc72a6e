import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {beginsNumber, JsonNumber} from './json-number.ts';

/** Scans the number at the beginning of a text, with a stop at each of some positions. @returns The position after it. */
function scan(text: string, stops: readonly number[] = []): number {
  const bytes = Buffer.from(text);
  const number = new JsonNumber(bytes);
  const [first = bytes.length, ...others] = [...stops, bytes.length];
  let at = number.begin(0, first);
  for (const stop of others) if (number.isOpen) at = number.continue(at, stop);
  assert.equal(number.isOpen, false);
  return at;
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

describe('JsonNumber', () => {
  for (const text of NUMBERS) {
    test(`scans ${text.slice(0, 10)} up to its end, whatever follows`, () => {
      for (const after of ['', ',', ' ', ']', '}', 'x', '"']) assert.equal(scan(text + after), text.length);
    });

    test(`scans ${text.slice(0, 10)} with a stop anywhere`, () => {
      for (const after of ['', ',1'])
        for (let stop = 1; stop <= text.length; stop++) assert.equal(scan(text + after, [stop]), text.length);
    });
  }

  for (const [text, position] of REFUSED) {
    test(`refuses ${text}, with a stop anywhere`, () => {
      for (const stops of [[], ...Array.from(text, (_, at) => [at + 1])]) {
        assert.throws(
          () => scan(text, stops),
          (error: {failure?: unknown}) => {
            const found = text[position] === undefined ? 'the end of the text' : `"${text[position]}"`;
            assert.deepEqual(error.failure, {
              code: 'invalid-json',
              problem: `expected a digit, found ${found}`,
              position,
            });
            return true;
          },
        );
      }
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
      for (let stop = 1; stop <= text.length; stop++) assert.equal(scan(text, [stop]), end);
    });
  }

  test('scans any number as the grammar of JSON does, with any stops', () => {
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
      fc.property(
        anyNumber,
        fc.constantFrom('', ',', '\n'),
        fc.array(fc.integer({min: 1, max: 20})),
        (text, after, stops) => {
          const [match] = NUMBER.exec(text + after) ?? [];
          assert.equal(
            scan(
              text + after,
              stops.toSorted((a, b) => a - b),
            ),
            match?.length,
          );
        },
      ),
      {numRuns: 300},
    );
  });

  test('is open only while it has stopped within a number', () => {
    const number = new JsonNumber(Buffer.from('123,45'));
    assert.equal(number.isOpen, false);
    assert.equal(number.begin(0, 2), 2);
    assert.equal(number.isOpen, true);
    assert.equal(number.continue(2, 6), 3);
    assert.equal(number.isOpen, false);
    assert.equal(number.begin(4, 6), 6);
    assert.equal(number.isOpen, false);
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
