import {describe, expect, test} from 'vitest';
import {readRange} from './file-answer.ts';

const TAG = '"a"';

describe('readRange() of 100 bytes', () => {
  const cases = [
    {range: 'bytes=0-9', expected: {first: 0, last: 9}},
    {range: 'bytes=90-', expected: {first: 90, last: 99}},
    {range: 'bytes=90-1000', expected: {first: 90, last: 99}},
    {range: 'bytes=-10', expected: {first: 90, last: 99}},
    {range: 'bytes=-1000', expected: {first: 0, last: 99}},
    {range: 'bytes=99-99', expected: {first: 99, last: 99}},
    {range: 'bytes=100-', expected: 'unsatisfiable'},
    {range: 'bytes=-0', expected: 'unsatisfiable'},
    {range: 'bytes=9-8', expected: undefined},
    {range: 'bytes=-', expected: undefined},
    {range: 'bytes=0-1,3-4', expected: undefined},
    {range: 'items=0-1', expected: undefined},
    {range: 'bytes=1e3-', expected: undefined},
    {range: `bytes=${'9'.repeat(400)}-`, expected: undefined},
  ];
  for (const {range, expected} of cases) {
    test(`${range.slice(0, 30)}: ${JSON.stringify(expected) ?? 'the whole'}`, () => {
      expect(readRange(['Range', range], 100, TAG)).toEqual(expected);
    });
  }

  test('is the whole without the header, and with two', () => {
    expect(readRange([], 100, TAG)).toBeUndefined();
    expect(readRange(['Range', 'bytes=0-1', 'range', 'bytes=2-3'], 100, TAG)).toBeUndefined();
  });

  test('is the whole if the part is of another version', () => {
    expect(readRange(['Range', 'bytes=0-1', 'If-Range', '"b"'], 100, TAG)).toBeUndefined();
    expect(readRange(['Range', 'bytes=0-1', 'If-Range', TAG], 100, TAG)).toEqual({first: 0, last: 1});
  });
});

test('no part of an empty file can be satisfied', () => {
  for (const range of ['bytes=0-', 'bytes=-1']) expect(readRange(['Range', range], 0, TAG)).toBe('unsatisfiable');
});
