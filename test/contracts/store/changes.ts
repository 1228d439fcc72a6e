import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import {parseKey} from '../../../src/core/domain/entries/identifiers.ts';
import {EntryService} from '../../../src/service/entries/entry-service.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {changesOf, put, remove, withTexts, write} from '../shared/assertions.ts';

/** Tests of the changes after a revision. */
export const STORE_CHANGES: ContractPart<Store> = {
  name: 'changes',
  tests: [
    {
      name: 'has none at the beginning',
      async run(store) {
        assert.deepEqual(await store.changes(0, {limit: 10}), {kind: 'changes', changes: [], revision: 0});
      },
    },
    {
      name: 'returns puts with their size and deletes, oldest first',
      async run(store) {
        await write(store, put('a', '"é"'));
        await write(store, put('b', '1'), remove('a'));
        await write(store, remove('absent'));
        await write(store, put('__proto__', '22'));
        assert.deepEqual(withTexts(await store.changes(0, {limit: 10})), {
          kind: 'changes',
          changes: [
            {kind: 'put', key: 'a', revision: 1, sizeBytes: 4, json: '"é"'},
            {kind: 'put', key: 'b', revision: 2, sizeBytes: 1, json: '1'},
            {kind: 'delete', key: 'a', revision: 2},
            {kind: 'put', key: '__proto__', revision: 3, sizeBytes: 2, json: '22'},
          ],
          revision: 3,
        });
      },
    },
    {
      name: 'returns only changes after a revision',
      async run(store) {
        for (const key of ['a', 'b', 'c', 'd']) await write(store, put(key));
        for (const after of [0, 1, 2, 3, 4]) {
          const keys = (await changesOf(store, after)).map(({key}) => key);
          assert.deepEqual(keys, ['a', 'b', 'c', 'd'].slice(after));
        }
        assert.deepEqual(await store.changes(4, {limit: 10}), {kind: 'changes', changes: [], revision: 4});
      },
    },
    {
      name: 'ends with the commit that reaches the limit, and never splits one',
      async run(store) {
        await write(store, put('a'), put('b'), put('c'));
        await write(store, put('d'));
        await write(store, put('e'), put('f'));
        for (const [limit, count, revision] of [
          [1, 3, 1],
          [3, 3, 1],
          [4, 4, 2],
          [5, 6, 3],
          [99, 6, 3],
        ] as const) {
          const found = await store.changes(0, {limit});
          assert.deepEqual([found.kind === 'changes' && found.changes.length, found.revision], [count, revision]);
        }
      },
    },
    {
      name: 'keeps to the limit also with concurrent commits',
      async run(store) {
        await Promise.all(Array.from({length: 20}, (_, index) => write(store, put(`key ${index}`))));
        const revisions: number[] = [];
        for (let after = 0; after < store.revision; ) {
          const found = await store.changes(after, {limit: 3});
          if (found.kind === 'reset') assert.fail('the log has trimmed a change');
          assert.equal(found.changes.length, Math.min(3, 20 - revisions.length));
          revisions.push(...found.changes.map(change => change.revision));
          after = found.revision;
        }
        assert.deepEqual(
          revisions,
          Array.from({length: 20}, (_, index) => index + 1),
        );
      },
    },
    {
      name: 'returns reset for a revision that never existed',
      async run(store) {
        await write(store, put('a'));
        assert.deepEqual(await store.changes(2, {limit: 10}), {kind: 'reset', revision: 1});
      },
    },
  ],
};

/** Returns tests of a change log with a maximum number of changes, and of trimmed changes. */
export function storeTrimming(logChangesMax: number): ContractPart<Store> {
  return {
    name: 'trimmed changes',
    tests: [
      {
        name: 'keeps the newest changes, and returns reset for older ones',
        async run(store) {
          const count = logChangesMax * 3;
          for (let index = 0; index < count; index++) await write(store, put(`key ${index % 7}`));
          assert.deepEqual(await store.changes(0, {limit: 10}), {kind: 'reset', revision: count});
          const kept = await changesOf(store, count - logChangesMax, count);
          assert.equal(kept.length, logChangesMax);
        },
      },
      {
        name: 'has the last revision that was trimmed among its statistics',
        async run(store) {
          for (let index = 0; index < logChangesMax * 4; index++) await write(store, put('a'));
          await store.changes(0, {limit: 1});
          const {trimmedRevision = 0} = (await store.statistics()) ?? assert.fail('the store has no statistics');
          assert.equal((await store.changes(trimmedRevision - 1, {limit: 1})).kind, 'reset');
          assert.equal((await store.changes(trimmedRevision, {limit: 1})).kind, 'changes');
        },
      },
      historyTest(logChangesMax),
      {
        name: 'keeps no more than twice as many changes as required',
        async run(store) {
          const count = logChangesMax * 4;
          for (let index = 0; index < count; index++) await write(store, put('a'));
          assert.equal((await store.changes(count - logChangesMax * 2 - 1, {limit: 1})).kind, 'reset');
        },
      },
      {
        name: 'keeps the newest changes also of commits with many of them',
        async run(store) {
          const each = Math.ceil(logChangesMax * 0.6);
          const operations = Array.from({length: each}, (_, index) => put(`key ${index}`));
          for (let index = 0; index < 4; index++) await write(store, ...operations);
          // One commit alone would be fewer changes than the log has to keep.
          assert.equal((await changesOf(store, 2, 4 * each)).length, 2 * each);
        },
      },
      {
        name: 'never returns a part of a commit that is larger than the whole log',
        async run(store) {
          const operations = Array.from({length: logChangesMax + 5}, (_, index) => put(`key ${index}`));
          await write(store, put('a'));
          await write(store, ...operations);
          await write(store, put('a'));
          const found = await store.changes(1, {limit: 1});
          const count = found.kind === 'changes' ? found.changes.length : operations.length;
          assert.equal(count, operations.length);
          assert.equal((await changesOf(store, 2)).length, 1);
        },
      },
    ],
  };
}

function historyTest(logChangesMax: number): ContractPart<Store>['tests'][number] {
  return {
    name: 'has the history of an entry as far back, and says where it begins',
    async run(store) {
      const entries = new EntryService({store});
      const a = parseKey('a');
      await entries.put(a, 'trimmed');
      for (let index = 0; index < logChangesMax * 4; index++) await write(store, put('b'));
      const {revision} = await entries.put(a, 'kept');
      const {changes} = await entries.history(a);
      const {trimmedRevision = 0} = (await store.statistics()) ?? assert.fail('the store has no statistics');
      assert.ok(trimmedRevision > logChangesMax);
      assert.deepEqual(
        changes.map(change => [change.kind, change.revision]),
        [
          ['written', revision],
          ['log-begins', trimmedRevision],
        ],
      );
    },
  };
}
