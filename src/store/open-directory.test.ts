import assert from 'node:assert/strict';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {put, write} from '../../test/contracts/shared/assertions.ts';
import {makeDirectory, openStore} from '../../test/support/store-fixture.ts';
import {lockDataDirectory} from './open-directory.ts';

describe('lockDataDirectory()', () => {
  test('keeps stores out of a directory until it is released, and leaves what is stored there', async () => {
    const directory = join(await makeDirectory(), 'data');
    const store = await openStore(directory);
    await write(store, put('a', '1.0'));
    await store[Symbol.asyncDispose]();
    const lock = await lockDataDirectory(directory);
    const failure = {code: 'data-directory-in-use', directory, processId: process.pid};
    await assert.rejects(openStore(directory), {failure});
    await assert.rejects(lockDataDirectory(directory), {failure});
    await lock[Symbol.asyncDispose]();
    const again = await openStore(directory);
    assert.equal(again.id, store.id);
    assert.equal(again.revision, 1);
  });

  test('creates no store in a new directory, in which one can be created later', async () => {
    const directory = join(await makeDirectory(), 'data');
    const lock = await lockDataDirectory(directory);
    assert.ok(!readdirSync(directory).includes('format.json'));
    await lock[Symbol.asyncDispose]();
    const store = await openStore(directory);
    assert.equal((await write(store, put('a'))).revision, 1);
  });

  test('takes the directory again with the files that a service without a store there left in it', async () => {
    const directory = join(await makeDirectory(), 'data');
    const lock = await lockDataDirectory(directory);
    writeFileSync(join(directory, 'owner-token'), 'crewroom_o_left');
    await lock[Symbol.asyncDispose]();
    const again = await lockDataDirectory(directory);
    await again[Symbol.asyncDispose]();
  });
});
