import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {put, write} from '../../../test/contracts/shared/assertions.ts';
import {countPromises} from '../../../test/support/count-promises.ts';
import {makeDirectory, openStore} from '../../../test/support/store-fixture.ts';

/** Maximum for one put: that of its caller, and those of a group. One more asynchronous function would make two. */
const ALONE_MAX = 23;

/** Maximum for each of many puts: that of its caller, one of `Promise.all`, and its part of those of the group. */
const SHARED_MAX = 2.5;
const PUTS = 100;

describe('a put', () => {
  test(`makes at most ${ALONE_MAX} promises if it is a group of its own`, async () => {
    const store = await openStore(await makeDirectory());
    const promises = await countPromises(() => write(store, put('a')));
    assert.ok(promises <= ALONE_MAX, `${promises} promises`);
  });

  test(`makes at most ${SHARED_MAX} promises if ${PUTS} puts are a group`, async () => {
    const store = await openStore(await makeDirectory());
    const promises = await countPromises(() =>
      Promise.all(Array.from({length: PUTS}, (_, index) => write(store, put(`key ${index}`)))),
    );
    assert.ok(promises / PUTS <= SHARED_MAX, `${promises} promises of ${PUTS} puts`);
  });
});
