import assert from 'node:assert/strict';
import {test} from 'vitest';
import {put, range, read, textOf, write} from '../../test/contracts/shared/assertions.ts';
import {makeDirectory, openStore} from '../../test/support/store-fixture.ts';

/** Number of entries, each a quarter of the map with which the tree begins on Windows (128 KiB). */
const ENTRIES = 1000;
const VALUE = `"${'x'.repeat(32 * 1024)}"`;

const textFor = (index: number): string => VALUE.replace('x', String(index));

test('a store that outgrows its map again and again has every entry, and its snapshots what was there before', async () => {
  const directory = await makeDirectory();
  const store = await openStore(directory);
  await write(store, put('first', textFor(0)));
  await using snapshot = await store.snapshot();
  for (let index = 0; index < ENTRIES; index += 10) {
    const puts = Array.from({length: 10}, (_, of) => put(`k${index + of}`, textFor(index + of)));
    await write(store, ...puts);
    assert.equal(textOf(await read(store, `k${index}`)), textFor(index));
    assert.equal(textOf(await read(store, 'first')), textFor(0));
  }
  const [first, ...others] = await snapshot.list({...range(), values: true});
  assert.deepEqual([textOf(first), others.length], [textFor(0), 0]);
  await store[Symbol.asyncDispose]();
  const again = await openStore(directory);
  for (let index = 0; index < ENTRIES; index++) assert.equal(textOf(await read(again, `k${index}`)), textFor(index));
});
