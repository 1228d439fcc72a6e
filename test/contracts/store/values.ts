import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {Entry} from '../../../src/core/domain/entries/entry.ts';
import {parseJsonText} from '../../../src/core/json/json-text.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {infoOf, key, put, range, read, remove, textOf, write} from '../shared/assertions.ts';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../shared/samples.ts';

/** Tests of keys and values, which are kept exactly. */
export const STORE_VALUES: ContractPart<Store> = {
  name: 'keys and values',
  tests: [
    {
      name: 'keeps every value byte for byte',
      async run(store) {
        await write(store, ...SAMPLE_TEXTS.map((text, index) => put(`value ${index}`, text)));
        for (const [index, text] of SAMPLE_TEXTS.entries()) {
          assert.equal(textOf(await read(store, `value ${index}`)), text);
        }
      },
    },
    {
      name: 'keeps a value of 1 MiB',
      async run(store) {
        const text = `"${'é'.repeat(512 * 1024 - 1)}"`;
        await write(store, put('large', text));
        assert.equal(textOf(await read(store, 'large')), text);
      },
    },
    {
      name: 'keeps every key distinct from all others',
      async run(store) {
        for (const key of SAMPLE_KEYS) {
          assert.equal(await read(store, key), undefined, `there is an entry under ${JSON.stringify(key)} already`);
          await write(store, put(key, JSON.stringify(key)));
        }
        for (const key of SAMPLE_KEYS) assert.equal(textOf(await read(store, key)), JSON.stringify(key));
        assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
      },
    },
    {
      name: 'returns key, revision, size in bytes and time with the value',
      async run(store) {
        const beforeMs = Date.now();
        const {revision} = await write(store, put('a', '"€"'));
        const entry = await read(store, 'a');
        assert.deepEqual(
          {key: entry?.key, revision: entry?.revision, sizeBytes: entry?.sizeBytes},
          {key: 'a', revision, sizeBytes: 5},
        );
        assert.equal(Number.isInteger(entry?.updatedAtMs), true);
        // A store on the network has a clock of its own, and tests pass fixed ones: only the unit is checked.
        assert.ok((entry?.updatedAtMs ?? 0) < beforeMs * 10);
      },
    },
    {
      name: 'copies the bytes at the call: the buffer may be reused at once',
      async run(store) {
        // A Buffer too: its `slice` does not copy.
        for (const bytes of [new TextEncoder().encode('"first"'), Buffer.from('"first"')]) {
          const written = write(store, put('a', parseJsonText(bytes)));
          bytes.fill(0x58);
          await written;
          assert.equal(textOf(await read(store, 'a')), '"first"');
        }
      },
    },
    {
      name: 'returns bytes that no later write changes',
      async run(store) {
        await write(store, put('a', '"first"'));
        const first = await read(store, 'a');
        const [listed] = await store.list({...range(), values: true});
        await write(store, put('a', '"other"'), put('b', '"other"'));
        await read(store, 'a');
        await read(store, 'b');
        assert.equal(textOf(first), '"first"');
        assert.equal(textOf(listed), '"first"');
      },
    },
    {
      name: 'returns bytes of its own: changing them does not change the store',
      async run(store) {
        await write(store, put('a', '"first"'));
        (await read(store, 'a'))?.json.fill(0x58);
        const [listed] = await store.list({...range(), values: true});
        listed?.json.fill(0x58);
        assert.equal(textOf(await read(store, 'a')), '"first"');
      },
    },
    {
      name: 'finds in memory nothing but what `get` returns, whatever a caller does to the bytes of `get`',
      async run(store) {
        assert.equal(store.findShared(key('a')), undefined);
        for (const text of ['"first"', '"é"', JSON.stringify('x'.repeat(65_000))]) {
          await write(store, put('a', text));
          for (let time = 0; time < 3; time++) {
            assertShares(store, 'a', await read(store, 'a'));
            (await read(store, 'a'))?.json.fill(0x58);
          }
        }
        await write(store, remove('a'));
        assert.equal(store.findShared(key('a')), undefined);
      },
    },
  ],
};

/** Checks that a store has an entry in memory as it is, or not at all. */
export function assertShares(store: Store, text: string, entry: Entry | undefined): void {
  const shared = store.findShared(key(text));
  const found = shared && {info: infoOf(shared.info), text: Buffer.from(shared.value).toString()};
  assert.deepEqual(found, shared && entry && {info: infoOf(entry), text: textOf(entry)});
}
