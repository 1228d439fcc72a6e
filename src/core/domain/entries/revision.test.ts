import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {createStoreId, formatRevision, NO_REVISION, parseRevision, parseStoreId, revisionIn} from './identifiers.ts';

const ID = createStoreId(Uint8Array.of(0x3f, 0x9c, 0, 7, 0xff, 1, 2, 3));
const OTHER = createStoreId(Uint8Array.of(1));

describe('parseRevision()', () => {
  const taken = [
    {text: '0', revision: 0},
    {text: '12', revision: 12},
    {text: '999999999999999', revision: 999_999_999_999_999},
    {text: `${ID}-12`, revision: {storeId: ID, revision: 12}},
    {text: 'a-0', revision: {storeId: 'a', revision: 0}},
    {text: `${'z'.repeat(32)}-1`, revision: {storeId: 'z'.repeat(32), revision: 1}},
  ];
  for (const {text, revision} of taken) {
    test(`accepts ${text}`, () => {
      assert.deepEqual(parseRevision(text), revision);
    });
  }

  const refused = [
    '',
    '-',
    '-12',
    'a-',
    'a',
    '012',
    'a-012',
    '+1',
    '1.0',
    '1e3',
    '1000000000000000',
    'A-1',
    'ä-1',
    'a b-1',
    'a--1',
    'a-1-2',
    ' 1',
    `${'z'.repeat(33)}-1`,
  ];
  for (const text of refused) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseRevision(text), undefined);
    });
  }

  test('reads what formatRevision() writes', () => {
    const revision = {storeId: ID, revision: 12};
    assert.deepEqual(parseRevision(formatRevision(revision)), revision);
  });

  /** Ids of 1 to 32 letters and digits. */
  const anyId = fc
    .string({unit: fc.constantFrom(...'0123456789abcxyz'), minLength: 1, maxLength: 32})
    .map(text => parseStoreId(text) ?? assert.fail(text));
  const anyRevision = fc.nat({max: 999_999_999_999_999});

  test('reads every revision that is written, with a store id and bare', () => {
    fc.assert(
      fc.property(anyId, anyRevision, (storeId, revision) => {
        assert.deepEqual(parseRevision(formatRevision({storeId, revision})), {storeId, revision});
        assert.equal(parseRevision(String(revision)), revision);
      }),
    );
  });

  test('accepts exactly one text for each revision, so that texts can be compared', () => {
    const anyText = fc.string({unit: fc.constantFrom(...'0019a-+ '), maxLength: 6});
    fc.assert(
      fc.property(anyText, text => {
        const revision = parseRevision(text);
        fc.pre(revision !== undefined);
        assert.equal(typeof revision === 'number' ? String(revision) : formatRevision(revision), text);
      }),
      {numRuns: 1000},
    );
  });
});

test('revisionIn() takes a bare revision for one of the store, and finds none of another store in it', () => {
  assert.equal(revisionIn(ID, 12), 12);
  assert.equal(revisionIn(ID, {storeId: ID, revision: 12}), 12);
  assert.equal(revisionIn(ID, {storeId: OTHER, revision: 12}), undefined);
});

test('no commit has NO_REVISION, which can be written and read like every revision', () => {
  assert.equal(NO_REVISION, 0);
  assert.equal(parseRevision(String(NO_REVISION)), NO_REVISION);
});
