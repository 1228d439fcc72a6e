import assert from 'node:assert/strict';
import {
  CHANGES_BYTES_MAX,
  SNAPSHOT_AGE_MAX_MS,
  SNAPSHOT_IDLE_MS,
  type Snapshot,
  type Store,
} from '../../../src/core/domain/commits/store.ts';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {
  assertFails,
  changesOf,
  keysOf,
  patch,
  put,
  range,
  remove,
  textOf,
  withTexts,
  write,
} from '../shared/assertions.ts';
import type {ClockedStore} from './expiry.ts';

/** Tests of snapshots. */
export const STORE_SNAPSHOTS: ContractPart<Store> = {
  name: 'snapshots',
  tests: [
    {
      name: 'show one state, however long they are read, during writes',
      async run(store) {
        const names = Array.from({length: 50}, (_, index) => `key ${String(index).padStart(2, '0')}`);
        await write(store, ...names.map(name => put(name, '"old"')));
        await using snapshot = await store.snapshot();
        assert.equal(snapshot.revision, 1);
        const seen: string[] = [];
        for (let after: string | undefined; seen.length < names.length; after = seen.at(-1)) {
          await write(
            store,
            put(names[seen.length] ?? '', '"new"'),
            remove(names.at(-1 - seen.length) ?? ''),
            put('~'),
          );
          await nextTick();
          const page = await snapshot.list({
            ...range({limit: 7, ...(after === undefined ? {} : {after})}),
            values: true,
          });
          assert.ok(page.every(entry => textOf(entry) === '"old"' && entry.revision === 1));
          seen.push(...keysOf(page));
        }
        assert.deepEqual(seen, names);
        assert.deepEqual(keysOf(await snapshot.list(range({reverse: true}))), names.toReversed());
        assert.deepEqual(keysOf(await snapshot.list(range({prefix: 'key 1', limit: 2}))), ['key 10', 'key 11']);
      },
    },
    {
      name: 'have the revision of exactly what they show, during writes',
      async run(store) {
        const writing = Array.from({length: 40}, async (_, index) => {
          for (let waited = 0; waited < index; waited++) await nextTick();
          await write(store, put(`key ${index}`));
        });
        for (let round = 0; round < 15; round++) {
          await using snapshot = await store.snapshot();
          const revisions = (await snapshot.list(range())).map(({revision}) => revision);
          assert.deepEqual([snapshot.revision, revisions.length], [Math.max(0, ...revisions), snapshot.revision]);
          const found = await store.changes(snapshot.revision, {limit: 1000});
          assert.equal(found.kind, 'changes', 'no change after a snapshot is missing');
        }
        await Promise.all(writing);
      },
    },
    {
      name: 'are queued if there are many, in order',
      async run(store) {
        await write(store, put('a'));
        const taken: Promise<Snapshot>[] = Array.from({length: 100}, () => store.snapshot());
        for (const each of taken) {
          const snapshot = await each;
          assert.deepEqual(keysOf(await snapshot.list(range())), ['a']);
          await snapshot[Symbol.asyncDispose]();
          await snapshot[Symbol.asyncDispose]();
        }
      },
    },
    {
      name: 'cannot be read any more once they are disposed of, or the store is closed',
      async run(store) {
        const closed = await store.snapshot();
        await closed[Symbol.asyncDispose]();
        await assertFails(closed.list(range()), {code: 'store-closed'});
        const held = await store.snapshot();
        await store[Symbol.asyncDispose]();
        await assertFails(held.list(range()), {code: 'store-closed'});
        await held[Symbol.asyncDispose]();
        await assertFails(store.snapshot(), {code: 'store-closed'});
        await assertFails(store.sweep(), {code: 'store-closed'});
      },
    },
  ],
};

/** Tests of the time for which snapshots can be read. */
export const STORE_SNAPSHOT_AGE: ContractPart<ClockedStore> = {
  name: 'snapshots',
  tests: [
    {
      name: 'show their state until their maximum age if they are read without long pauses, during writes',
      async run({store, advanceMs}) {
        await write(store, put('a', '0'));
        await using snapshot = await store.snapshot();
        const pauseMs = SNAPSHOT_IDLE_MS - 1000;
        for (let ageMs = pauseMs; ageMs < SNAPSHOT_AGE_MAX_MS; ageMs += pauseMs) {
          advanceMs(pauseMs);
          await write(store, put('a', String(ageMs)));
          const [entry] = await snapshot.list({...range(), values: true});
          assert.equal(textOf(entry), '0');
        }
      },
    },
  ],
};

/** Tests of following the changes of a store. */
export const STORE_FOLLOWING: ContractPart<Store> = {
  name: 'following changes',
  tests: [
    {
      name: 'keeps values up to a size, and only the size of larger ones',
      async run(store) {
        const largest = `"${'x'.repeat(DEFAULT_LIMITS.logValueBytesMax - 2)}"`;
        await write(store, put('a', largest), put('b', `${largest.slice(0, -1)}x"`));
        const changes = withTexts(await store.changes(0, {limit: 10}));
        assert.deepEqual(changes, {
          kind: 'changes',
          changes: [
            {kind: 'put', key: 'a', revision: 1, sizeBytes: DEFAULT_LIMITS.logValueBytesMax, json: largest},
            {kind: 'put', key: 'b', revision: 1, sizeBytes: DEFAULT_LIMITS.logValueBytesMax + 1},
          ],
          revision: 1,
        });
      },
    },
    {
      name: 'keeps the value of each change, also if another followed',
      async run(store) {
        await Promise.all([
          write(store, put('a', '{"a":1}')),
          write(store, patch('a', '{"b":2}')),
          write(store, put('a')),
        ]);
        const values = (await changesOf(store, 0)).map(each => each.kind === 'put' && textOf(each as never));
        assert.deepEqual(values, ['{"a":1}', '{"a":1,"b":2}', '1']);
      },
    },
    {
      name: 'ends with the commit whose values exceed the limit of bytes',
      async run(store) {
        const value = `"${'x'.repeat(DEFAULT_LIMITS.logValueBytesMax - 2)}"`;
        const whole = CHANGES_BYTES_MAX / DEFAULT_LIMITS.logValueBytesMax;
        for (let index = 0; index < whole + 3; index++) await write(store, put(`key ${index}`, value));
        const found = await store.changes(0, {limit: 1000});
        assert.deepEqual([found.revision, found.kind === 'changes' && found.changes.length], [whole, whole]);
        assert.equal((await changesOf(store, found.revision)).length, 3);
      },
    },
    {
      name: 'calls back after each commit that changed something, once it can be read',
      async run(store) {
        const seen: number[] = [];
        const told: (readonly string[] | undefined)[] = [];
        const end = store.onChange(changes => {
          seen.push(store.revision);
          told.push(changes?.map(({key}) => key));
        });
        await write(store, put('a'));
        await until(() => seen.length === 1);
        await write(store, remove('absent'));
        await write(store, put('a', '2'), put('b'));
        await until(() => seen.length === 2);
        assert.deepEqual(seen, [1, 2]);
        const keys = [['a'], ['a', 'b']];
        assert.deepEqual(
          keys.map((each, commit) => told[commit] ?? each),
          keys,
        );
        end();
        end();
        const heard = new Promise<void>(resolve => store.onChange(() => resolve()));
        await write(store, put('a'));
        await heard;
        assert.deepEqual(seen, [1, 2]);
      },
    },
  ],
};

/** Waits for the next tick. */
function nextTick(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTick();
}
