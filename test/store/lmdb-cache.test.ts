import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import type {Store} from '../../src/domain/store.ts';
import {keysOf, put, range, read, remove, textOf, write} from '../../src/testing/assertions.ts';
import {makeDirectory, openStore} from './fixture.ts';

/** Goes into the tree at once, and takes what came before along. */
const LARGE = JSON.stringify('x'.repeat(300_000));

const KEYS = ['a', 'b', 'c'];

describe('an entry that is read again and again', () => {
  test('is as it was written last, whichever way that went, and not there once it is removed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.constantFrom('put', 'remove', 'put beside a large one', 'read'), fc.constantFrom(...KEYS)),
          {
            minLength: 5,
            maxLength: 40,
          },
        ),
        async steps => {
          const store = await openStore(await makeDirectory());
          const expected = new Map<string, string>();
          for (const [index, [step, key]] of steps.entries()) {
            const value = String(index);
            if (step === 'put') await write(store, put(key, value));
            if (step === 'put beside a large one') await write(store, put(key, value), put('large', LARGE));
            if (step === 'remove') await write(store, remove(key));
            if (step.startsWith('put')) expected.set(key, value);
            if (step === 'remove') expected.delete(key);
            await assertSame(store, expected);
          }
          await store[Symbol.asyncDispose]();
        },
      ),
      {numRuns: 20},
    );
  }, 120_000);

  test('has bytes of its own each time', async () => {
    const directory = await makeDirectory();
    const first = await openStore(directory);
    await write(first, put('a', '"as it was"'));
    await first[Symbol.asyncDispose]();
    const store = await openStore(directory);
    for (let time = 0; time < 3; time++) {
      const entry = await read(store, 'a');
      assert.equal(textOf(entry), '"as it was"');
      entry?.json.fill(0);
    }
  });

  test('is byte for byte what was written', async () => {
    const directory = await makeDirectory();
    const text = JSON.stringify('é\u{1f6eb}\u00ff');
    const first = await openStore(directory);
    await write(first, put('a', text));
    await first[Symbol.asyncDispose]();
    const store = await openStore(directory);
    for (let time = 0; time < 3; time++) assert.equal(textOf(await read(store, 'a')), text);
  });

  test('is found among more than are kept in memory', async () => {
    const store = await openStore(await makeDirectory());
    const value = JSON.stringify('x'.repeat(15_000));
    const keys = Array.from({length: 1200}, (_, index) => `key ${String(index).padStart(4, '0')}`);
    for (let at = 0; at < keys.length; at += 100)
      await write(store, ...keys.slice(at, at + 100).map(key => put(key, value)));
    for (let time = 0; time < 2; time++) {
      for (const key of keys) assert.equal((await read(store, key))?.sizeBytes, value.length);
    }
    assert.equal((await store.list(range({limit: 2000}))).length, keys.length);
  });
});

/** Reads again and again: what is found the last time may be kept from before. */
async function assertSame(store: Store, expected: ReadonlyMap<string, string>): Promise<void> {
  for (const key of [...KEYS, ...KEYS, ...KEYS]) assert.equal(textOf(await read(store, key)), expected.get(key));
  const present = keysOf(await store.list(range())).filter(key => key !== 'large');
  assert.deepEqual(present, [...expected.keys()].sort());
}
