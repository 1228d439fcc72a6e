import assert from 'node:assert/strict';
import type {Commit, Operation} from '../../../src/core/domain/commits/commit.ts';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFailsWith, changesOf, key, patch, put, read, remove, textOf, write} from '../shared/assertions.ts';
import type {ReopenableStore} from './identity.ts';

const ID = 'an id';

function withId(operations: readonly Operation[], rest: Partial<Commit> = {}): Commit {
  return {checks: [], operations, id: ID, ...rest};
}

/** Tests of commits with an id. */
export const STORE_IDS: ContractPart<Store> = {
  name: 'ids of commits',
  tests: [
    {
      name: 'make a commit that is sent again answer what it answered, and apply it once',
      async run(store) {
        const commit = withId([put('a'), put('b'), remove('c')]);
        const result = await store.commit(commit);
        assert.deepEqual(result, {revision: 1, outcomes: ['created', 'created', 'absent']});
        await write(store, put('a', '2'));
        for (let count = 0; count < 2; count++) assert.deepEqual(await store.commit(commit), result);
        assert.equal(textOf(await read(store, 'a')), '2');
        assert.equal(store.revision, 2);
        assert.deepEqual(
          (await changesOf(store, 0)).map(change => [change.key, change.revision]),
          [
            ['a', 1],
            ['b', 1],
            ['a', 2],
          ],
        );
      },
    },
    {
      name: 'apply a commit once that is sent several times at once',
      async run(store) {
        const commit = withId([patch('a', '{"n":1}')]);
        const sent = [commit, commit, withId([put('b')], {id: 'other'}), commit];
        const results = await Promise.all(sent.map(each => store.commit(each)));
        assert.deepEqual(
          results.map(({revision}) => revision),
          [1, 1, 2, 1],
        );
        assert.equal((await changesOf(store, 0)).length, 2);
      },
    },
    {
      name: 'give a commit that changed nothing a revision, and keep it from changing what was written since',
      async run(store) {
        for (const operations of [[remove('a')], []]) {
          const commit = withId(operations, {id: `of ${operations.length}`});
          const result = await store.commit(commit);
          assert.equal(result.revision, store.revision);
          await write(store, put('a'));
          assert.deepEqual(await store.commit(commit), result);
          assert.equal(textOf(await read(store, 'a')), '1');
          await write(store, remove('a'));
        }
        const {changes, revision} = (await store.changes(0, {limit: 1})) as {
          changes: readonly unknown[];
          revision: number;
        };
        assert.ok(changes.length > 0 || revision > 0, 'no reader of the changes stands still');
        assert.deepEqual(
          (await changesOf(store, 0)).map(({kind}) => kind),
          ['put', 'delete', 'put', 'delete'],
        );
      },
    },
    {
      name: 'do not keep a refused commit: it is tried anew',
      async run(store) {
        const commit = withId([put('a')], {checks: [{key: key('b'), expected: 'present'}]});
        await assertFailsWith(store.commit(commit), 'revision-conflict');
        await write(store, put('b'));
        const result = await store.commit(commit);
        assert.equal(result.revision, 2);
        await write(store, remove('b'));
        assert.deepEqual(await store.commit(commit), result);
      },
    },
    {
      name: 'are refused for other content, whatever of it differs',
      async run(store) {
        await store.commit(withId([put('a', '12'), put('b')]));
        const others: readonly Commit[] = [
          withId([put('a', '13'), put('b')]),
          withId([put('a', '1'), put('b', '21')]),
          withId([put('b'), put('a', '12')]),
          withId([put('a', '12')]),
          withId([put('a', '12'), {...put('b'), expiry: {kind: 'after', ttlSeconds: 60}}]),
          withId([put('a', '12'), patch('b', '1')]),
          withId([put('a', '12'), put('b')], {checks: [{key: key('a'), expected: 'absent'}]}),
        ];
        for (const other of others) await assertFailsWith(store.commit(other), 'invalid-body');
        // Also together with the first one.
        const [first, second] = [withId([put('c')], {id: 'c'}), withId([put('d')], {id: 'c'})];
        const results = await Promise.allSettled([store.commit(first), store.commit(second)]);
        assert.deepEqual(
          results.map(({status}) => status),
          ['fulfilled', 'rejected'],
        );
        assert.equal(store.revision, 2);
      },
    },
    {
      name: 'are unknown to other callers',
      async run(store) {
        const callers = [undefined, 'owner', 'token:a', 'plugin:a'] as const;
        for (const [index, writtenBy] of callers.entries()) {
          const commit = withId([put('a', String(index))], {writtenBy});
          assert.equal((await store.commit(commit)).revision, index + 1);
          assert.equal((await store.commit(commit)).revision, index + 1);
        }
        assert.equal((await store.commit(withId([put('a', '0')]))).revision, 1);
      },
    },
    {
      name: 'have the form of those that a store gives only if it gave them for this commit',
      async run(store) {
        const id = `${'0'.repeat(24)}-0.${'1'.repeat(32)}`;
        await assertFailsWith(store.commit(withId([put('a')], {id})), 'invalid-body');
        assert.equal(store.revision, 0);
      },
    },
    {
      name: 'are logged with the time of the commit, as every change is',
      async run(store) {
        await store.commit(withId([put('a')]));
        await write(store, put('b'), remove('a'));
        const found = await store.changes(0, {limit: 10});
        const [entry, ...times] = [
          (await read(store, 'b'))?.updatedAtMs,
          ...(found.kind === 'changes' ? found.changes : []).map(({committedAtMs}) => committedAtMs),
        ];
        assert.equal(times.length, 3);
        assert.ok(times.every(time => time !== undefined && entry !== undefined && time <= entry));
        assert.equal(times.at(-1), entry);
      },
    },
  ],
};

/** Returns tests of ids in a change log with a maximum number of changes. */
export function trimmedIds(logChangesMax: number): ContractPart<Store> {
  return {
    name: 'ids of commits in a short log',
    tests: [
      {
        name: 'are known as far as the log reaches',
        async run(store) {
          const commit = withId([put('a')]);
          await store.commit(commit);
          // The mark of a commit counts as a change.
          for (let count = 2; count < logChangesMax; count++) await write(store, put('b'));
          assert.equal((await store.commit(commit)).revision, 1);
        },
      },
    ],
  };
}

/** Tests of ids after a store was opened again. */
export const STORE_KEPT_IDS: ContractPart<ReopenableStore> = {
  name: 'ids of commits',
  tests: [
    {
      name: 'are known after the store was opened again',
      async run(subject) {
        const commits = [withId([put('a')]), withId([remove('b')], {id: 'unchanged', writtenBy: 'token:a'})];
        const results = await Promise.all(commits.map(commit => subject.store.commit(commit)));
        for (let count = 0; count < 2; count++) {
          const store = await subject.reopen();
          await write(store, put('b'));
          assert.deepEqual(await Promise.all(commits.map(commit => store.commit(commit))), results);
          await assertFailsWith(store.commit(withId([put('c')])), 'invalid-body');
          assert.equal(textOf(await read(store, 'b')), '1');
        }
      },
    },
  ],
};
