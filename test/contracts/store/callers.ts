import assert from 'node:assert/strict';
import type {Principal} from '../../../src/core/domain/access/access.ts';
import type {Operation} from '../../../src/core/domain/commits/commit.ts';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import {parseKey, parsePrefix} from '../../../src/core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../../../src/core/json/json-text.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {changesOf, put, remove} from '../shared/assertions.ts';

/** The longest names that a service gives. */
const LONGEST: readonly Principal[] = [`token:${'t'.repeat(64)}`, `plugin:${'p'.repeat(253)}`];

const KEY = parseKey('a');

/** Tests of the callers that entries and changes name. */
export const STORE_CALLERS: ContractPart<Store> = {
  name: 'callers',
  tests: [
    {
      name: 'are named by entries, listings, snapshots and changes',
      async run(store) {
        for (const writtenBy of ['owner', ...LONGEST] as const) {
          await commit(store, writtenBy, put('a', '"é"'));
          assert.equal((await store.get(KEY))?.writtenBy, writtenBy);
          assert.equal((await store.get(KEY))?.sizeBytes, 4);
          await using snapshot = await store.snapshot();
          for (const source of [store, snapshot])
            for (const values of [true, false]) {
              const [entry] = await source.list({prefix: parsePrefix(''), limit: 1, values});
              assert.deepEqual([entry?.writtenBy, entry?.sizeBytes], [writtenBy, 4]);
            }
          assert.equal((await changesOf(store, store.revision - 1))[0]?.writtenBy, writtenBy);
        }
      },
    },
    {
      name: 'are those of the last write, also of a patch and a touch',
      async run(store) {
        const writes: readonly (readonly [Principal | undefined, Operation])[] = [
          ['owner', put('a', '{}')],
          ['token:b', {kind: 'patch', key: KEY, patch: encodeJsonText('{"b":1}')}],
          ['plugin:com.c', {kind: 'touch', key: KEY, expiry: {kind: 'after', ttlSeconds: 60}}],
          [undefined, put('a', '{}')],
        ];
        for (const [writtenBy, operation] of writes) {
          await commit(store, writtenBy, operation);
          assert.equal((await store.get(KEY))?.writtenBy, writtenBy);
        }
        assert.deepEqual(
          (await changesOf(store, 0)).map(change => change.writtenBy),
          ['owner', 'token:b', 'plugin:com.c', undefined],
        );
      },
    },
    {
      name: 'are named by deletions',
      async run(store) {
        await commit(store, undefined, put('a'));
        await commit(store, 'token:b', remove('a'));
        const [, deletion] = await changesOf(store, 0);
        assert.deepEqual([deletion?.kind, deletion?.writtenBy], ['delete', 'token:b']);
      },
    },
    {
      name: 'are absent, not undefined, if they are not known',
      async run(store) {
        await commit(store, undefined, put('a'));
        const [change] = await changesOf(store, 0);
        for (const found of [await store.get(KEY), change]) assert.ok(found && !('writtenBy' in found));
      },
    },
    {
      name: 'are refused if their name is too long, and nothing is written',
      async run(store) {
        for (const operation of [put('a'), remove('a')])
          await assert.rejects(commit(store, `plugin:${'p'.repeat(255)}`, operation), RangeError);
        assert.equal(store.revision, 0);
        await commit(store, 'owner', put('a'));
      },
    },
    {
      name: 'are those of each of many commits at once',
      async run(store) {
        const names = Array.from({length: 20}, (_, index) => `token:t${index}` as const);
        await Promise.all(names.map((name, index) => commit(store, index % 2 ? name : undefined, put(`k${index}`))));
        for (const [index, name] of names.entries())
          assert.equal((await store.get(parseKey(`k${index}`)))?.writtenBy, index % 2 ? name : undefined);
      },
    },
  ],
};

async function commit(store: Store, writtenBy: Principal | undefined, operation: Operation): Promise<void> {
  await store.commit({checks: [], operations: [operation], writtenBy});
}
