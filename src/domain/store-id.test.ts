import assert from 'node:assert/strict';
import {test} from 'vitest';
import {createStoreId, parseStoreId} from './store-id.ts';

const ID = createStoreId(Uint8Array.of(0x3f, 0x9c, 0, 7, 0xff, 1, 2, 3));

test('createStoreId() writes every byte, in letters and digits that parseStoreId() takes', () => {
  assert.equal(ID, '3f9c0007ff010203');
  assert.equal(parseStoreId(ID), ID);
});
