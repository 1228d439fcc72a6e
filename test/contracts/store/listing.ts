import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {keysOf, put, range, remove, textOf, write} from '../shared/assertions.ts';
import {inByteOrder, SAMPLE_KEYS} from '../shared/samples.ts';

/** Keys in the order of their UTF-8 bytes. By UTF-16 units `\u{10000}` and `😀` would come before `\ue000`. */
const ORDERED_KEYS = ['Z', 'a', 'a/', 'a/1', 'a/2', 'a0', 'aa', 'b', 'é', '\ue000', '\uffff', '\u{10000}', '😀'];

/** Ranges, and the keys of {@link ORDERED_KEYS} in them. */
const RANGES = [
  {name: 'everything', options: {}, keys: ORDERED_KEYS},
  {name: 'a prefix', options: {prefix: 'a/'}, keys: ['a/', 'a/1', 'a/2']},
  {name: 'a prefix that is a key', options: {prefix: 'a'}, keys: ['a', 'a/', 'a/1', 'a/2', 'a0', 'aa']},
  {name: 'a prefix at the end of the order', options: {prefix: '😀'}, keys: ['😀']},
  {name: 'a prefix beyond the Basic Multilingual Plane', options: {prefix: '\u{10000}'}, keys: ['\u{10000}']},
  {name: 'a prefix of no key', options: {prefix: 'a/3'}, keys: []},
  {name: 'a prefix below all keys', options: {prefix: ' '}, keys: []},
  {name: 'the keys after a key', options: {after: 'b'}, keys: ['é', '\ue000', '\uffff', '\u{10000}', '😀']},
  {name: 'the keys after an absent key', options: {after: 'a/11'}, keys: ORDERED_KEYS.slice(4)},
  {name: 'the keys after the last key', options: {after: '😀'}, keys: []},
  {name: 'the keys after a key within a prefix', options: {prefix: 'a/', after: 'a/1'}, keys: ['a/2']},
  {name: 'a prefix with a cursor before it', options: {prefix: 'a/', after: 'Z'}, keys: ['a/', 'a/1', 'a/2']},
  {name: 'a prefix with a cursor beyond it', options: {prefix: 'a/', after: 'b'}, keys: []},
  {name: 'the first two', options: {limit: 2}, keys: ['Z', 'a']},
  {name: 'two after a key', options: {after: 'a', limit: 2}, keys: ['a/', 'a/1']},
  {name: 'everything in reverse', options: {reverse: true}, keys: ORDERED_KEYS.toReversed()},
  {name: 'a prefix in reverse', options: {prefix: 'a/', reverse: true}, keys: ['a/2', 'a/1', 'a/']},
  {name: 'the last prefix in reverse', options: {prefix: '😀', reverse: true}, keys: ['😀']},
  {name: 'a prefix of no key in reverse', options: {prefix: 'a/3', reverse: true}, keys: []},
  {name: 'the keys before a key in reverse', options: {after: 'a/', reverse: true}, keys: ['a', 'Z']},
  {
    name: 'the keys before an absent key in reverse',
    options: {after: 'a/11', reverse: true, limit: 2},
    keys: ['a/1', 'a/'],
  },
  {name: 'the keys before the first key', options: {after: 'Z', reverse: true}, keys: []},
  {
    name: 'a prefix in reverse with a cursor in it',
    options: {prefix: 'a', after: 'a/2', reverse: true},
    keys: ['a/1', 'a/', 'a'],
  },
  {
    name: 'a prefix in reverse with a cursor beyond it',
    options: {prefix: 'a/', after: 'b', reverse: true},
    keys: ['a/2', 'a/1', 'a/'],
  },
  {name: 'a prefix in reverse with a cursor before it', options: {prefix: 'a/', after: 'a', reverse: true}, keys: []},
  {name: 'the last two in reverse', options: {reverse: true, limit: 2}, keys: ['😀', '\u{10000}']},
];

/** Tests of the entries of a listing, and of their order. */
export const STORE_LISTING: ContractPart<Store> = {
  name: 'listing',
  tests: [
    {
      name: 'lists nothing if there are no entries',
      async run(store) {
        assert.deepEqual(await store.list(range()), []);
        assert.deepEqual(await store.list(range({prefix: 'a', reverse: true, values: true})), []);
      },
    },
    {
      name: 'orders keys by their UTF-8 bytes, however they were written',
      async run(store) {
        for (const key of SAMPLE_KEYS.toReversed()) await write(store, put(key));
        assert.deepEqual(keysOf(await store.list(range())), inByteOrder(SAMPLE_KEYS));
      },
    },
    ...RANGES.map(({name, options, keys}) => ({
      name: `lists ${name}`,
      run: async (store: Store) => {
        await write(store, ...ORDERED_KEYS.toReversed().map(key => put(key)));
        assert.deepEqual(keysOf(await store.list(range(options))), keys);
      },
    })),
    {
      name: 'lists without values unless they are requested',
      async run(store) {
        const {revision} = await write(store, put('a', '"é"'));
        const [info] = await store.list(range());
        assert.deepEqual(Object.keys(info ?? {}).sort(), ['key', 'revision', 'sizeBytes', 'updatedAtMs']);
        assert.deepEqual([info?.key, info?.revision, info?.sizeBytes], ['a', revision, 4]);
        const [entry] = await store.list({...range(), values: true});
        assert.equal(textOf(entry), '"é"');
        assert.deepEqual([entry?.key, entry?.revision, entry?.sizeBytes], ['a', revision, 4]);
      },
    },
    {
      name: 'ends a listing with the value that reaches the limit of bytes',
      async run(store) {
        await write(store, ...['a', 'b', 'c', 'd'].map(key => put(key, '"123"')));
        const list = async (valuesBytesMax: number, reverse = false) =>
          keysOf(await store.list({...range({reverse, valuesBytesMax}), values: true}));
        assert.deepEqual(await list(1), ['a']);
        assert.deepEqual(await list(5), ['a']);
        assert.deepEqual(await list(6), ['a', 'b']);
        assert.deepEqual(await list(10, true), ['d', 'c']);
        assert.deepEqual(await list(20), ['a', 'b', 'c', 'd']);
        assert.equal((await store.list(range({valuesBytesMax: 1}))).length, 4, 'without values there is no such limit');
      },
    },
    {
      name: 'lists what a commit wrote once it resolved, and no longer what it deleted',
      async run(store) {
        await write(store, put('a'), put('b'));
        await write(store, remove('a'), put('c'));
        assert.deepEqual(keysOf(await store.list(range())), ['b', 'c']);
      },
    },
    {
      name: 'lists one state, although large commits happen meanwhile',
      async run(store) {
        const text = `"${'x'.repeat(1024 * 1024 - 2)}"`;
        const all = Array.from({length: 12}, (_, index) => put(`key ${index}`, text));
        await write(store, ...all);
        let writing = true;
        const written = Promise.all([write(store, ...all), write(store, ...all)]).finally(() => {
          writing = false;
        });
        do {
          const listed = await store.list(range());
          assert.deepEqual([listed.length, new Set(listed.map(({revision}) => revision)).size], [12, 1]);
          // Lets other tasks run; a promise alone does not.
          await new Promise(resolve => setImmediate(resolve));
        } while (writing);
        await written;
      },
    },
  ],
};
