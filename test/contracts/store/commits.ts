import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {Expectation} from '../../../src/core/domain/entries/entry.ts';
import {NO_REVISION} from '../../../src/core/domain/entries/identifiers.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {
  assertFails,
  changesOf,
  key,
  put,
  putIf,
  read,
  remove,
  textOf,
  withoutTags,
  write,
} from '../shared/assertions.ts';

/** Tests of revisions, outcomes and atomicity. */
export const STORE_COMMITS: ContractPart<Store> = {
  name: 'commits',
  tests: [
    {
      name: 'begins at revision 0 and takes the next one with each commit',
      async run(store) {
        assert.equal(store.revision, 0);
        for (const expected of [1, 2, 3]) {
          assert.equal((await write(store, put('a'))).revision, expected);
          assert.equal(store.revision, expected);
          assert.equal((await read(store, 'a'))?.revision, expected);
        }
      },
    },
    {
      name: 'gives all operations of a commit its one revision',
      async run(store) {
        await write(store, put('gone'));
        const {revision} = await write(store, put('a'), put('b'), remove('gone'));
        assert.equal(revision, 2);
        assert.deepEqual([(await read(store, 'a'))?.revision, (await read(store, 'b'))?.revision], [2, 2]);
        assert.deepEqual(
          (await changesOf(store, 1)).map(change => change.revision),
          [2, 2, 2],
        );
      },
    },
    {
      name: 'takes no revision for a commit that changes nothing',
      async run(store) {
        await write(store, put('a'));
        assert.deepEqual(await write(store, remove('b')), {revision: 1, outcomes: ['absent']});
        assert.deepEqual(await write(store), {revision: 1, outcomes: []});
        assert.equal(store.revision, 1);
        assert.equal((await write(store, put('a'))).revision, 2);
      },
    },
    {
      name: 'takes a revision for writing the same value again',
      async run(store) {
        await write(store, put('a', '1'));
        assert.equal((await write(store, put('a', '1'))).revision, 2);
      },
    },
    {
      name: 'takes commits with different ids as different commits, also if they are equal otherwise',
      async run(store) {
        const commits = ['1', '2', '3'].map(id => ({id, checks: [], operations: [put('a')]}));
        const results = await Promise.all(commits.map(commit => store.commit(commit)));
        assert.deepEqual(
          results.map(({revision}) => revision),
          [1, 2, 3],
        );
        await assertFails(
          store.commit({id: '4', checks: [{key: key('a'), expected: 'absent'}], operations: [remove('a')]}),
          {code: 'revision-conflict', conflicts: [{key: key('a'), expected: 'absent', actual: '3'}]},
        );
      },
    },
    {
      name: 'returns the outcome of each operation, in their order',
      async run(store) {
        await write(store, put('replaced'), put('deleted'));
        const {outcomes} = await write(store, put('created'), remove('absent'), remove('deleted'), put('replaced'));
        assert.deepEqual(outcomes, ['created', 'absent', 'deleted', 'replaced']);
        assert.equal(await read(store, 'deleted'), undefined);
      },
    },
    {
      name: 'creates a deleted entry anew',
      async run(store) {
        await write(store, put('a', '1'));
        await write(store, remove('a'));
        assert.deepEqual(await write(store, put('a', '2')), {revision: 3, outcomes: ['created']});
        assert.equal(textOf(await read(store, 'a')), '2');
      },
    },
    {
      name: 'applies nothing if one check fails',
      async run(store) {
        await write(store, put('a', '1'), put('b', '1'));
        const commit = {
          checks: [
            {key: key('a'), expected: 1},
            {key: key('b'), expected: 7},
          ],
          operations: [put('a', '2'), put('c', '2'), remove('b')],
        };
        await assertFails(store.commit(commit), {
          code: 'revision-conflict',
          conflicts: [{key: 'b', expected: '7', actual: '1'}],
        });
        assert.deepEqual(
          [textOf(await read(store, 'a')), textOf(await read(store, 'b')), await read(store, 'c'), store.revision],
          ['1', '1', undefined, 1],
        );
        assert.deepEqual(await changesOf(store, 1), []);
      },
    },
  ],
};

interface CheckCase {
  readonly expected: Expectation;
  /** True if it holds for an entry of revision 2. */
  readonly ofEntry: boolean;
  /** True if it holds without an entry. */
  readonly ofNone: boolean;
  /** Its form in a failure. */
  readonly text: string;
}

const CHECK_CASES: readonly CheckCase[] = [
  {expected: 2, ofEntry: true, ofNone: false, text: '2'},
  {expected: 1, ofEntry: false, ofNone: false, text: '1'},
  {expected: 3, ofEntry: false, ofNone: false, text: '3'},
  {expected: [1, 2], ofEntry: true, ofNone: false, text: '1 or 2'},
  {expected: [1, 3], ofEntry: false, ofNone: false, text: '1 or 3'},
  {expected: [], ofEntry: false, ofNone: false, text: '0'},
  {expected: NO_REVISION, ofEntry: false, ofNone: false, text: '0'},
  {expected: 'present', ofEntry: true, ofNone: false, text: 'present'},
  {expected: 'absent', ofEntry: false, ofNone: true, text: 'absent'},
];

/** Tests of the checks of a commit. */
export const STORE_CHECKS: ContractPart<Store> = {
  name: 'checks',
  tests: [
    ...CHECK_CASES.map(({expected, ofEntry, ofNone, text}) => ({
      name: `decides whether ${JSON.stringify(expected)} holds`,
      run: async (store: Store) => {
        await write(store, put('other'));
        await write(store, put('a'));
        await assertHolds(putIf(store, 'a', '2', expected), ofEntry, {key: 'a', expected: text, actual: '2'});
        await assertHolds(putIf(store, 'b', '2', expected), ofNone, {key: 'b', expected: text, actual: 'absent'});
        assert.deepEqual(
          [textOf(await read(store, 'a')) === '2', (await read(store, 'b')) !== undefined],
          [ofEntry, ofNone],
        );
      },
    })),
    {
      name: 'reports every failed check, in their order, with the current revision',
      async run(store) {
        await write(store, put('a'));
        await write(store, put('b'));
        const checks = [
          {key: key('b'), expected: 1},
          {key: key('a'), expected: 1},
          {key: key('c'), expected: 'present'},
          {key: key('a'), expected: 'absent'},
        ] as const;
        await assertFails(store.commit({checks, operations: [put('d')]}), {
          code: 'revision-conflict',
          conflicts: [
            {key: 'b', expected: '1', actual: '2'},
            {key: 'c', expected: 'present', actual: 'absent'},
            {key: 'a', expected: 'absent', actual: '1'},
          ],
        });
      },
    },
    {
      name: 'checks keys that the commit does not change',
      async run(store) {
        await write(store, put('guard'));
        const checks = [{key: key('guard'), expected: 1}];
        await store.commit({checks, operations: [put('a')]});
        await write(store, put('guard'));
        await assert.rejects(store.commit({checks, operations: [put('a')]}));
        assert.equal((await read(store, 'a'))?.revision, 2);
      },
    },
    {
      name: 'checks without operations too',
      async run(store) {
        const absent = [{key: key('a'), expected: 'absent'}] as const;
        assert.deepEqual(await store.commit({checks: absent, operations: []}), {revision: 0, outcomes: []});
        await write(store, put('a'));
        await assert.rejects(store.commit({checks: absent, operations: []}));
      },
    },
    {
      name: 'finds no entry where one was deleted',
      async run(store) {
        await write(store, put('a'));
        await write(store, remove('a'));
        await assert.rejects(putIf(store, 'a', '1', 1));
        assert.equal((await putIf(store, 'a', '1', 'absent')).revision, 3);
      },
    },
  ],
};

async function assertHolds(
  commit: Promise<unknown>,
  holds: boolean,
  conflict: {readonly key: string; readonly expected: string; readonly actual: string},
): Promise<void> {
  const failure = await commit.then(
    () => undefined,
    error => error.failure,
  );
  assert.deepEqual(withoutTags(failure), holds ? undefined : {code: 'revision-conflict', conflicts: [conflict]});
}
