import {describe, expect, test} from 'vitest';
import type {Expectation} from '../../domain/entries/entry.ts';
import {createStoreId, formatEntityTag, formatRevision, type GivenRevision} from '../../domain/entries/identifiers.ts';
import {formatExpectation, isAlreadyRead, readExpectation} from './preconditions.ts';
import {readRequestHeaders} from './request-headers.ts';

const HERE = createStoreId(Uint8Array.of(0xa));
const at = (revision: number) => ({storeId: HERE, revision});

describe('readExpectation()', () => {
  const understood = [
    {name: 'nothing', headers: [], expected: undefined},
    {name: 'one ETag', headers: ['If-Match', '"0a-12"'], expected: at(12)},
    {name: 'a list', headers: ['If-Match', '"0a-12", "0a-13"'], expected: [at(12), at(13)]},
    {
      name: 'a list over two lines',
      headers: ['If-Match', '"0a-12"', 'if-match', '"0a-13","0a-14"'],
      expected: [at(12), at(13), at(14)],
    },
    {name: 'a list with empty elements', headers: ['If-Match', ' ,"0a-12",\t, "0a-13" ,'], expected: [at(12), at(13)]},
    {
      name: 'an ETag of another store',
      headers: ['If-Match', '"zz9-12"'],
      expected: {storeId: 'zz9', revision: 12},
    },
    {name: 'a bare revision, which matches in no store', headers: ['If-Match', '"12"'], expected: 0},
    {name: 'any entry', headers: ['If-Match', '*'], expected: 'present'},
    {name: 'no entry', headers: ['If-None-Match', ' * '], expected: 'absent'},
    {name: 'a weak ETag, which never matches strongly', headers: ['If-Match', 'W/"0a-12"'], expected: 0},
    {name: 'an ETag of another service', headers: ['If-Match', '"abc"'], expected: 0},
    {name: 'one with a comma in it', headers: ['If-Match', '"a,b", "0a-12"'], expected: [0, at(12)]},
    {name: 'one beyond ASCII', headers: ['If-Match', '"\u00e9"'], expected: 0},
    {name: 'an empty one', headers: ['If-Match', '""'], expected: 0},
    {name: 'a revision that is not written as ours', headers: ['If-Match', '"0a-012"'], expected: 0},
    {name: 'a revision beyond all', headers: ['If-Match', '"0a-99999999999999999999"'], expected: 0},
  ];
  for (const {name, headers, expected} of understood) {
    test(`understands ${name}`, () => {
      expect(readExpectation(readRequestHeaders(headers))).toEqual(expected);
    });
  }

  const refused = [
    ['If-Match', '12'],
    ['If-Match', ''],
    ['If-Match', ','],
    ['If-Match', '"12'],
    ['If-Match', '12"'],
    ['If-Match', '"12" "13"'],
    ['If-Match', '"12", x'],
    ['If-Match', '"12", *'],
    ['If-Match', '*, *'],
    ['If-Match', 'w/"12"'],
    ['If-Match', '"1 2"'],
    ['If-Match', '"1"2"'],
    ['If-None-Match', '"12"'],
    ['If-None-Match', ''],
    ['If-None-Match', '*', 'If-None-Match', '*'],
    ['If-Match', '"12"', 'If-None-Match', '*'],
    ['If-Unmodified-Since', 'Sat, 21 Nov 2026 18:35:22 GMT'],
  ];
  for (const headers of refused) {
    test(`refuses ${headers.join(' ')}`, () => {
      expect(() => readExpectation(readRequestHeaders(headers))).toThrow(
        expect.objectContaining({failure: expect.objectContaining({code: 'invalid-header'})}),
      );
    });
  }

  test('is done in no time with a header of any length', () => {
    for (const header of [
      `${'"",'.repeat(5000)}x`,
      `${' ,'.repeat(8000)}"`,
      '\t'.repeat(16_000),
      `"${'x'.repeat(16_000)}`,
    ])
      expect(() => readExpectation(readRequestHeaders(['If-Match', header]))).toThrow();
  });
});

describe('isAlreadyRead()', () => {
  const cases = [
    {headers: [], read: false},
    {headers: ['If-None-Match', '"0a-7"'], read: true},
    {headers: ['If-None-Match', 'W/"0a-7"'], read: true},
    {headers: ['If-None-Match', '"0a-6", W/"0a-7"'], read: true},
    {headers: ['If-None-Match', '*'], read: true},
    {headers: ['If-None-Match', '"0a-8"'], read: false},
    {headers: ['If-None-Match', '"7"'], read: false},
    {headers: ['If-None-Match', '"0b-7"'], read: false},
    {headers: ['If-None-Match', '"7,7"'], read: false},
    {headers: ['If-None-Match', '"x"'], read: false},
    {headers: ['If-Modified-Since', 'Sat, 21 Nov 2026 18:35:22 GMT'], read: false},
  ];
  for (const {headers, read} of cases) {
    test(`${headers.join(' ') || 'no header'}: ${read}`, () => {
      expect(isAlreadyRead(readRequestHeaders(headers), formatEntityTag(at(7)))).toBe(read);
    });
  }

  for (const headers of [
    ['If-None-Match', '7'],
    ['If-Match', '"0a-7"'],
    ['If-Unmodified-Since', 'x'],
  ]) {
    test(`refuses ${headers.join(' ')}`, () => {
      expect(() => isAlreadyRead(readRequestHeaders(headers), formatEntityTag(at(7)))).toThrow(
        expect.objectContaining({failure: expect.objectContaining({code: 'invalid-header'})}),
      );
    });
  }
});

test('an ETag that was sent comes back as the revision it stands for', () => {
  for (const revision of [1, 12, 999_999_999_999_999])
    expect(readExpectation(readRequestHeaders(['If-Match', formatEntityTag(at(revision))]))).toEqual(at(revision));
});

describe('formatExpectation()', () => {
  const format = (given: GivenRevision): string => formatRevision(typeof given === 'object' ? given : at(given));
  const read = (expected: Expectation): Expectation | undefined =>
    readExpectation(readRequestHeaders(Object.entries(formatExpectation(expected, format)).flat()));

  for (const expected of ['absent', 'present', at(12), [at(1), at(2)]] as const)
    test(`writes what readExpectation() reads: ${JSON.stringify(expected)}`, () =>
      expect(read(expected)).toEqual(expected));

  test('adds the store to a bare revision', () => expect(read(12)).toEqual(at(12)));
});
