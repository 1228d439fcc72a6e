import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, changesOf, key, patch, put, read, remove, textOf, withTexts, write} from '../shared/assertions.ts';

const RACERS = 50;
const LIMITS = {valueBytesMax: 20, valueDepthMax: 2, patchedBytesMax: 60};

const REFUSED: readonly {readonly name: string; readonly patches: readonly string[]; readonly failure: Failure}[] = [
  {
    name: 'a value that is too large',
    patches: ['{"b":123456789}'],
    failure: {code: 'too-large', what: 'value', max: 20},
  },
  {
    name: 'a value that is too deep',
    patches: ['{"b":[[]]}'],
    failure: {code: 'value-too-deep', depthMax: 2, position: 12},
  },
  {
    name: 'more than it may patch together',
    patches: ['{"b":1}', '{"b":22}', '{"b":333}', '{"b":4444}'],
    failure: {code: 'too-large', what: 'transaction', max: 60},
  },
];

/** Tests of patches, which are applied to the value that the commit finds. */
export const STORE_PATCHES: ContractPart<Store> = {
  name: 'patches',
  tests: [
    {
      name: 'merges into the present value, and leaves the bytes of members that it does not name',
      async run(store) {
        await write(store, put('a', '{"id":9007199254740993, "b": 1.0,"c":null}'));
        assert.deepEqual(await write(store, patch('a', '{"b":null,"d":{"e":null}}')), {
          revision: 2,
          outcomes: ['replaced'],
        });
        assert.equal(textOf(await read(store, 'a')), '{"id":9007199254740993,"c":null,"d":{}}');
        assert.equal((await read(store, 'a'))?.revision, 2);
      },
    },
    {
      name: 'creates an entry where there is none',
      async run(store) {
        const {outcomes} = await write(store, patch('a', '{"b":1,"c":null}'), patch('d', 'null'));
        assert.deepEqual(outcomes, ['created', 'created']);
        assert.deepEqual([textOf(await read(store, 'a')), textOf(await read(store, 'd'))], ['{"b":1}', 'null']);
      },
    },
    {
      name: 'announces a change as a put of the result',
      async run(store) {
        await write(store, put('a', '{"b":1}'));
        await write(store, patch('a', '{"c":2}'), remove('absent'), put('d', '1'));
        assert.deepEqual(withTexts(await store.changes(1, {limit: 10})), {
          kind: 'changes',
          changes: [
            {kind: 'put', key: 'a', revision: 2, sizeBytes: 13, json: '{"b":1,"c":2}'},
            {kind: 'put', key: 'd', revision: 2, sizeBytes: 1, json: '1'},
          ],
          revision: 2,
        });
      },
    },
    {
      name: 'takes a revision also if it does not change the value',
      async run(store) {
        await write(store, put('a', '{"b":1}'));
        assert.equal((await write(store, patch('a', '{}'))).revision, 2);
      },
    },
    {
      name: 'sees each commit before it, also concurrent ones',
      async run(store) {
        const results = await Promise.all([
          write(store, put('a', '{"n":1}')),
          write(store, patch('a', '{"b":1}')),
          write(store, remove('a')),
          write(store, patch('a', '{"c":1}')),
          store.commit({checks: [{key: key('a'), expected: 4}], operations: [patch('a', '{"d":1}')]}),
        ]);
        assert.deepEqual(
          results.map(({outcomes}) => outcomes[0]),
          ['created', 'replaced', 'deleted', 'created', 'replaced'],
        );
        assert.equal(textOf(await read(store, 'a')), '{"c":1,"d":1}');
      },
    },
    {
      name: 'applies the patch of each of fifty writers once',
      async run(store) {
        await write(store, put('a', '{"kept":1.0}'));
        const results = await Promise.all(
          Array.from({length: RACERS}, (_, racer) => write(store, patch('a', `{"racer ${racer}":${racer}}`))),
        );
        assert.equal(new Set(results.map(({revision}) => revision)).size, RACERS);
        const value = JSON.parse(textOf(await read(store, 'a')) ?? '') as Readonly<Record<string, number>>;
        assert.equal(Object.keys(value).length, RACERS + 1);
        assert.equal(value['racer 49'], 49);
        assert.equal(store.revision, RACERS + 1);
      },
    },
    {
      name: 'copies the bytes at the call: the buffer may be reused at once',
      async run(store) {
        const operation = patch('a', '{"b":1}');
        const written = write(store, operation);
        operation.patch.fill(0x20);
        await written;
        assert.equal(textOf(await read(store, 'a')), '{"b":1}');
      },
    },
    ...REFUSED.map(({name, patches, failure}) => ({
      name: `refuses ${name}, and applies nothing`,
      run: async (store: Store) => {
        await write(store, ...patches.map((_, index) => put(`a${index}`, '{"a":1}')));
        const operations = [put('new'), ...patches.map((text, index) => patch(`a${index}`, text))];
        await assertFails(store.commit({checks: [], operations, limits: LIMITS}), failure);
        assert.equal(await read(store, 'new'), undefined);
        assert.equal(textOf(await read(store, 'a0')), '{"a":1}');
        assert.equal(store.revision, 1);
        assert.deepEqual(await changesOf(store, 1), []);
      },
    })),
    {
      name: 'does not prevent other commits beside a refused one',
      async run(store) {
        await write(store, put('a', '{"a":1}'));
        const results = await Promise.allSettled([
          write(store, patch('a', '{"b":1}')),
          store.commit({checks: [], operations: [patch('a', '{"c":123456789}')], limits: LIMITS}),
          write(store, patch('a', '{"d":1}')),
        ]);
        assert.deepEqual(
          results.map(({status}) => status),
          ['fulfilled', 'rejected', 'fulfilled'],
        );
        assert.equal(textOf(await read(store, 'a')), '{"a":1,"b":1,"d":1}');
        assert.equal(store.revision, 3);
      },
    },
  ],
};
