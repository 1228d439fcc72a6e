import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {createStoreId, parseStoreId, STORE_ID_BYTES} from './identifiers.ts';

const ID = createStoreId(Uint8Array.of(0x3f, 0x9c, 0, 7, 0xff, 1, 2, 3));

test('createStoreId() writes every byte, in letters and digits that parseStoreId() takes', () => {
  assert.equal(ID, '3f9c0007ff010203');
  assert.equal(parseStoreId(ID), ID);
});

describe('createStoreId()', () => {
  const random = fc.uint8Array({minLength: STORE_ID_BYTES, maxLength: STORE_ID_BYTES});

  test('makes an id of 16 characters from 8 bytes, whatever they are', () => {
    assert.equal(STORE_ID_BYTES, 8);
    assert.equal(createStoreId(new Uint8Array(STORE_ID_BYTES)), '0000000000000000');
    assert.equal(createStoreId(new Uint8Array(STORE_ID_BYTES).fill(0xff)), 'ffffffffffffffff');
  });

  test('makes different ids from different bytes, and the same id from the same bytes', () => {
    fc.assert(
      fc.property(random, random, (a, b) => {
        assert.equal(createStoreId(a) === createStoreId(b), Buffer.from(a).equals(b));
      }),
    );
  });

  test('makes ids that parseStoreId() takes as they are', () => {
    fc.assert(
      fc.property(random, bytes => {
        const id = createStoreId(bytes);
        assert.equal(parseStoreId(id), id);
      }),
    );
  });
});

describe('parseStoreId()', () => {
  for (const text of ['0', 'z', '3f9c2a7b01d4e856', 'z'.repeat(32), 'etcd0cluster']) {
    test(`accepts ${text}`, () => {
      assert.equal(parseStoreId(text), text);
    });
  }

  for (const {name, text} of [
    {name: 'the empty text', text: ''},
    {name: '33 characters', text: 'z'.repeat(33)},
    {name: 'a capital letter', text: '3F9C2A7B'},
    {name: 'a dash, which separates it from a revision', text: 'a-b'},
    {name: 'a dash at its end', text: 'a-'},
    {name: 'a dot', text: 'a.b'},
    {name: 'white space before it', text: ' a'},
    {name: 'a line break after it', text: 'a\n'},
    {name: 'a quote, which would end an ETag', text: 'a"'},
    {name: 'a letter beyond ASCII', text: 'é'},
    {name: 'a digit beyond ASCII', text: '٣'},
  ]) {
    test(`returns undefined for ${name}`, () => {
      assert.equal(parseStoreId(text), undefined);
    });
  }
});
