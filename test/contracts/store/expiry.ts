import assert from 'node:assert/strict';
import type {Expiry, PutOperation, TouchOperation} from '../../../src/core/domain/commits/commit.ts';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {
  assertFails,
  assertFailsWith,
  changesOf,
  key,
  keysOf,
  patch,
  put,
  putIf,
  range,
  read,
  remove,
  textOf,
  withTexts,
  write,
} from '../shared/assertions.ts';

/** A store with a clock that a test sets. */
export interface ClockedStore extends AsyncDisposable {
  readonly store: Store;
  /** Advances the clock of the store, in milliseconds. */
  advanceMs(durationMs: number): void;
}

/** Tests of the expiry of entries. */
export const STORE_EXPIRY: ContractPart<ClockedStore> = {
  name: 'time to live',
  tests: [
    {
      name: 'ends at its exact millisecond, for reads, lists, checks, deletes and touches, without a sweep',
      async run({store, advanceMs}) {
        await write(store, putFor(10, 'a'), put('b'));
        advanceMs(9999);
        assert.equal(textOf(await read(store, 'a')), '1');
        assert.deepEqual(keysOf(await store.list(range())), ['a', 'b']);
        advanceMs(1);
        assert.equal(store.findShared(key('a')), undefined);
        assert.equal(await read(store, 'a'), undefined);
        assert.deepEqual(keysOf(await store.list(range())), ['b']);
        assert.deepEqual(keysOf(await store.list({...range(), values: true, reverse: true})), ['b']);
        await assertFailsWith(putIf(store, 'a', '2', 'present'), 'revision-conflict');
        await assertFailsWith(putIf(store, 'a', '2', 1), 'revision-conflict');
        await assertFails(write(store, touch('a', 5)), {code: 'no-entry', key: 'a'});
        assert.deepEqual(await write(store, remove('a')), {revision: 1, outcomes: ['absent']});
        assert.equal(store.revision, 1);
      },
    },
    {
      name: 'is shown by reads, lists and changes, and begins with its commit',
      async run({store, advanceMs}) {
        advanceMs(500);
        await write(store, putFor(10, 'a'), putAt(9e13, 'b'), put('c'));
        const {updatedAtMs = 0, expiresAtMs} = (await read(store, 'a')) ?? {};
        assert.equal(expiresAtMs, updatedAtMs + 10_000);
        const listed = await store.list(range());
        assert.deepEqual(
          listed.map(info => info.expiresAtMs),
          [expiresAtMs, 9e13, undefined],
        );
        assert.ok(!('expiresAtMs' in (listed[2] ?? {})));
        assert.deepEqual(withTexts(await store.changes(0, {limit: 10})), {
          kind: 'changes',
          changes: [
            {kind: 'put', key: 'a', revision: 1, sizeBytes: 1, json: '1', expiresAtMs},
            {kind: 'put', key: 'b', revision: 1, sizeBytes: 1, json: '1', expiresAtMs: 9e13},
            {kind: 'put', key: 'c', revision: 1, sizeBytes: 1, json: '1'},
          ],
          revision: 1,
        });
      },
    },
    {
      name: 'is cleared by a put without one, and by deleting and writing again',
      async run({store, advanceMs}) {
        await write(store, putFor(1, 'a'), putFor(1, 'b'));
        await write(store, put('a', '2'), remove('b'));
        await write(store, put('b', '2'));
        advanceMs(5000);
        assert.equal(await sweepAll(store), undefined);
        assert.deepEqual([textOf(await read(store, 'a')), textOf(await read(store, 'b'))], ['2', '2']);
        assert.equal(store.revision, 3);
      },
    },
    {
      name: 'is kept by a patch',
      async run({store, advanceMs}) {
        await write(store, putFor(10, 'a', '{"b":1}'));
        const before = await read(store, 'a');
        advanceMs(4000);
        await write(store, patch('a', '{"c":2}'));
        const after = await read(store, 'a');
        assert.deepEqual([textOf(after), after?.expiresAtMs], ['{"b":1,"c":2}', before?.expiresAtMs]);
        advanceMs(6000);
        assert.equal(await read(store, 'a'), undefined);
      },
    },
    {
      name: 'is changed by a touch, and the value is not',
      async run({store, advanceMs}) {
        await write(store, putFor(10, 'a', '{"n":1e400}'), putFor(10, 'b'), put('c'));
        advanceMs(5000);
        const {revision, outcomes} = await write(store, touch('a', 10), touch('b', null), touch('c', 7));
        assert.deepEqual([revision, outcomes], [2, ['replaced', 'replaced', 'replaced']]);
        const changes = (await changesOf(store, 1)).map(each => [each.kind, each.key, 'expiresAtMs' in each]);
        assert.deepEqual(changes, [
          ['put', 'a', true],
          ['put', 'b', false],
          ['put', 'c', true],
        ]);
        advanceMs(8000);
        assert.equal(textOf(await read(store, 'a')), '{"n":1e400}');
        assert.equal((await read(store, 'a'))?.revision, 2);
        assert.deepEqual(keysOf(await store.list(range())), ['a', 'b']);
        advanceMs(2000);
        assert.deepEqual(keysOf(await store.list(range())), ['b']);
      },
    },
    {
      name: 'cannot be given to an absent entry: the commit then changes nothing',
      async run({store}) {
        await assertFails(write(store, put('a'), touch('b', 1)), {code: 'no-entry', key: 'b'});
        assert.equal(await read(store, 'a'), undefined);
        assert.equal(store.revision, 0);
      },
    },
    {
      name: 'that has ended is announced before the next write of the key, in a commit of its own',
      async run({store, advanceMs}) {
        await write(store, putFor(1, 'a'), putFor(1, 'b', '{"old":1}'));
        advanceMs(1000);
        const result = await write(store, put('a', '2'), patch('b', '{"new":1}'), put('c'));
        assert.deepEqual(result, {revision: 4, outcomes: ['created', 'created', 'created']});
        assert.deepEqual(await describeChanges(store, 1), [
          'expire a 2',
          'expire b 3',
          'put a 4',
          'put b 4',
          'put c 4',
        ]);
        const patched = await read(store, 'b');
        assert.deepEqual([textOf(patched), patched?.expiresAtMs], ['{"new":1}', undefined]);
        assert.equal(await sweepAll(store), undefined);
        assert.equal(store.revision, 4);
      },
    },
    {
      name: 'leaves no trace of a commit whose checks do not hold',
      async run({store, advanceMs}) {
        await write(store, putFor(1, 'a'));
        advanceMs(1000);
        const commit = {checks: [{key: key('b'), expected: 'present' as const}], operations: [put('a')]};
        await assertFailsWith(store.commit(commit), 'revision-conflict');
        assert.equal(store.revision, 1);
        assert.equal((await putIf(store, 'a', '2', 'absent')).revision, 3);
      },
    },
    {
      name: 'that lies in the past is not a failure: the entry is never present, and expires',
      async run({store}) {
        assert.deepEqual((await write(store, putAt(-5, 'a'))).outcomes, ['created']);
        assert.equal(await read(store, 'a'), undefined);
        assert.equal(await sweepAll(store), undefined);
        assert.deepEqual(await describeChanges(store, 0), ['put a 1', 'expire a 2']);
      },
    },
    {
      name: 'does not count expired entries towards the limit of a list',
      async run({store, advanceMs}) {
        const operations = Array.from({length: 20}, (_, index) => {
          const name = String.fromCharCode(97 + index);
          return index % 2 === 0 ? putFor(1, name) : put(name);
        });
        await write(store, ...operations);
        advanceMs(1000);
        assert.deepEqual(keysOf(await store.list(range({limit: 3}))), ['b', 'd', 'f']);
        assert.deepEqual(keysOf(await store.list(range({limit: 3, reverse: true, after: 'f'}))), ['d', 'b']);
        assert.deepEqual(keysOf(await store.list({...range(), values: true, valuesBytesMax: 2})), ['b', 'd']);
      },
    },
  ],
};

/** Tests of sweeps. */
export const STORE_SWEEPS: ContractPart<ClockedStore> = {
  name: 'sweeps',
  tests: [
    {
      name: 'return the time until the next sweep, and change nothing before',
      async run({store, advanceMs}) {
        assert.equal(await store.sweep(), undefined);
        await write(store, putFor(10, 'late'), putFor(3, 'soon'), put('never'));
        assert.equal(await store.sweep(), 3000);
        advanceMs(2999);
        assert.equal(await store.sweep(), 1);
        assert.equal(store.revision, 1);
        advanceMs(1);
        assert.equal(await store.sweep(), 7000);
        advanceMs(7000);
        assert.equal(await store.sweep(), undefined);
        assert.deepEqual(await describeChanges(store, 1), ['expire soon 2', 'expire late 3']);
        assert.equal(await store.sweep(), undefined);
        assert.equal(store.revision, 3);
      },
    },
    {
      name: 'announce each of many entries that expire at once exactly once, also if two sweeps run concurrently',
      async run({store, advanceMs}) {
        const names = Array.from({length: 15}, (_, index) => `key ${String(index).padStart(2, '0')}`);
        await write(store, ...names.map(name => putFor(1, name)));
        advanceMs(1000);
        await Promise.all([sweepAll(store), sweepAll(store)]);
        assert.deepEqual(
          await describeChanges(store, 1),
          names.map((name, index) => `expire ${name} ${index + 2}`),
        );
        assert.deepEqual(await store.list(range()), []);
      },
    },
    {
      name: 'remove many entries at a time, until all expired ones are removed',
      async run({store, advanceMs}) {
        const names = Array.from({length: 1300}, (_, index) => `key ${index}`);
        for (let at = 0; at < names.length; at += 500) {
          await write(store, ...names.slice(at, at + 500).map(name => putFor(1, name)));
        }
        const before = store.revision;
        advanceMs(1000);
        assert.equal(await sweepAll(store), undefined);
        assert.equal(store.revision, before + names.length);
      },
    },
    {
      name: 'skip entries that were written, patched, touched or deleted meanwhile',
      async run({store, advanceMs}) {
        await write(store, ...['put', 'touch', 'delete', 'patch', 'none'].map(name => putFor(1, name)));
        await write(store, putFor(5, 'put'), touch('touch', 5), remove('delete'), patch('patch', '{}'));
        advanceMs(1000);
        assert.equal(await sweepAll(store), 4000);
        assert.deepEqual(await describeChanges(store, 2), ['expire none 3', 'expire patch 4']);
        assert.deepEqual(keysOf(await store.list(range())), ['put', 'touch']);
      },
    },
    {
      name: 'leave the entries of a snapshot as they were when it was taken',
      async run({store, advanceMs}) {
        await write(store, putFor(1, 'a'), putFor(5, 'b'), put('c'));
        advanceMs(1000);
        const snapshot = await store.snapshot();
        advanceMs(10_000);
        assert.deepEqual(keysOf(await snapshot.list(range())), ['b', 'c']);
        await sweepAll(store);
        assert.deepEqual(keysOf(await snapshot.list({...range(), values: true})), ['b', 'c']);
        assert.deepEqual(keysOf(await store.list(range())), ['c']);
        assert.equal(snapshot.revision, 1);
        await snapshot[Symbol.asyncDispose]();
      },
    },
  ],
};

/** More sweeps than any test here needs: a store whose sweep never ends fails the test instead of blocking it. */
const SWEEPS_MAX = 10_000;

/** Sweeps until no expired entry is left. @returns The delay until the next sweep. */
export async function sweepAll(store: Store): Promise<number | undefined> {
  for (let count = 0; count < SWEEPS_MAX; count++) {
    const nextMs = await store.sweep();
    if (nextMs !== 0) return nextMs;
  }
  assert.fail(`${SWEEPS_MAX} sweeps left expired entries`);
}

/** Returns the changes after a revision as texts of kind, key and revision. */
export async function describeChanges(store: Store, after: number): Promise<readonly string[]> {
  return (await changesOf(store, after)).map(({kind, key: name, revision}) => `${kind} ${name} ${revision}`);
}

/** Creates a put with a time to live. */
export function putFor(ttlSeconds: number, name: string, json?: string): PutOperation {
  return {...put(name, json), expiry: {kind: 'after', ttlSeconds}};
}

function putAt(expiresAtMs: number, name: string): PutOperation {
  return {...put(name), expiry: {kind: 'at', expiresAtMs}};
}

/** Creates a touch; without a time to live the entry no longer expires. */
export function touch(name: string, ttlSeconds: number | null): TouchOperation {
  const expiry: Expiry | undefined = ttlSeconds === null ? undefined : {kind: 'after', ttlSeconds};
  return {kind: 'touch', key: key(name), expiry};
}
