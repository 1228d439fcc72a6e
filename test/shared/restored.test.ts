import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../src/core/domain/commits/store.ts';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import {EventHub} from '../../src/service/events/event-hub.ts';
import {HEAD_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import {
  assertFailsWith,
  changesOf,
  key,
  keysOf,
  put,
  range,
  read,
  textOf,
  write,
} from '../contracts/shared/assertions.ts';
import {openStoreIn, TIMERS} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';

/** Opens a store that knows more than the backup has: `a` is 1 in the backup, and 2 at the end; `b` is only at the end. */
async function openRestored(engine: SimulatedEngine): Promise<{readonly store: Store; readonly other: Store}> {
  const [store, other] = [await openStoreIn(engine.connect()), await openStoreIn(engine.connect())];
  await write(store, put('a'));
  const backup = engine.version;
  await write(store, put('a', '2'));
  await write(store, put('b'));
  await read(other, 'a');
  engine.restore(backup);
  return {store, other};
}

describe('a store whose engine is restored from a backup while it is open', () => {
  test('shows what the backup has, under a new id and a revision after all that it knew', async () => {
    const {store, other} = await openRestored(new SimulatedEngine());
    const {id} = store;
    assert.equal(textOf(await read(store, 'a')), '1');
    assert.deepEqual(keysOf(await store.list(range())), ['a']);
    assert.notEqual(store.id, id);
    assert.ok(store.revision > 3);
    await assertFailsWith(
      store.commit({checks: [{key: key('a'), expected: {storeId: id, revision: 1}}], operations: [put('a', '3')]}),
      'revision-conflict',
    );
    for (const after of [0, 1, 3]) assert.equal((await store.changes(after, {limit: 1})).kind, 'reset');
    const {revision} = await write(store, put('c'));
    assert.deepEqual(keysOf(await other.list(range())), ['a', 'c']);
    assert.equal(other.id, store.id, 'both have the same new id');
    assert.deepEqual(
      (await changesOf(other, revision - 1)).map(change => change.key),
      ['c'],
    );
  });

  for (const {name, parts} of [
    {name: 'before a value was written, which the head does not show', parts: 0},
    {name: 'between two parts of a value', parts: 1},
  ])
    test(`commits no value whose parts are lost, from a backup ${name}`, async () => {
      const engine = new SimulatedEngine();
      const [store, other] = [await openStoreIn(engine.connect()), await openStoreIn(engine.connect())];
      await write(store, put('a'));
      const value = `"${'x'.repeat(1024 * 1024)}"`;
      let [backup, written, isRestored] = [engine.version, 0, false];
      engine.beforeWrite = async ({key: guarded}) => {
        if (guarded !== HEAD_KEY && written++ === parts) backup = engine.version;
        if (guarded !== HEAD_KEY || isRestored) return;
        isRestored = true;
        if (parts > 0) await write(other, put('a', '2'));
        engine.restore(backup);
      };
      await assertFailsWith(write(store, put('large', value)), 'unavailable');
      assert.deepEqual(keysOf(await other.list({...range(), values: true})), ['a']);
      await write(store, put('large', value));
      assert.equal(textOf(await read(other, 'large')), value);
    });

  test('commits, although the engine counts its versions from the backup on', async () => {
    const {store} = await openRestored(new SimulatedEngine());
    const {revision} = await write(store, put('c'));
    assert.ok(revision > 3);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'c']);
  });

  test('is noticed too if the members begin with the token of the old cluster', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    await write(store, put('a'));
    const backup = engine.version;
    await write(store, put('b'));
    const {id} = store;
    engine.restore(backup, {sameToken: true});
    assert.deepEqual(keysOf(await store.list(range())), ['a']);
    assert.notEqual(store.id, id);
  });

  test('gets a new id if no service ran meanwhile', async () => {
    const engine = new SimulatedEngine();
    const before = await openStoreIn(engine.connect());
    await write(before, put('a'));
    const backup = engine.version;
    await write(before, put('b'));
    await before[Symbol.asyncDispose]();
    engine.restore(backup);
    await using store = await openStoreIn(engine.connect());
    assert.deepEqual(keysOf(await store.list(range())), ['a']);
    assert.notEqual(store.id, before.id);
  });

  for (const writes of [1, 2, 3, 4]) {
    test(`notices it after ${writes} commits of another process that was started since`, async () => {
      const engine = new SimulatedEngine();
      const {store} = await openRestored(engine);
      const {id} = store;
      await using late = await openStoreIn(engine.connect());
      for (let count = 1; count <= writes; count++) await write(late, put(`late ${count}`));
      const {revision} = await write(store, put('c'));
      assert.notEqual(store.id, id);
      assert.ok(revision > 3);
      const names = ['a', 'c', ...Array.from({length: writes}, (_, index) => `late ${index + 1}`)];
      assert.deepEqual(keysOf(await store.list(range())), names);
      assert.deepEqual(keysOf(await late.list(range())), names);
      assert.equal(late.id, store.id);
    });
  }

  test('gives its subscribers a reset, and then what is committed', async () => {
    const engine = new SimulatedEngine();
    const store = await openStoreIn(engine.connect());
    await write(store, put('a'));
    const backup = engine.version;
    await write(store, put('b'));
    const identity = {onChange: () => () => {}};
    await using hub = new EventHub({store, identity, log: SILENT_LOG, timers: TIMERS});
    const events = hub.subscribe({after: 1})[Symbol.asyncIterator]();
    const kindOfNext = async (): Promise<unknown> => (await events.next()).value?.events[0]?.kind;
    assert.deepEqual(await kindOfNext(), 'entry-written');
    engine.restore(backup);
    assert.deepEqual(await kindOfNext(), 'reset');
    await write(store, put('c'));
    assert.deepEqual(await kindOfNext(), 'entry-written');
  });

  test('ends snapshots from before as too slow', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const backup = engine.version;
    await write(store, put('a'));
    const snapshot = await store.snapshot();
    engine.restore(backup);
    await store.list(range());
    await assertFailsWith(snapshot.list(range()), 'too-slow');
  });

  test('waits for a process that may write if it may only read', async () => {
    const engine = new SimulatedEngine();
    const {store, other} = await openRestored(engine);
    engine.refuses = 'denied';
    await assertFailsWith(read(store, 'a'), 'unavailable');
    engine.refuses = undefined;
    assert.equal(textOf(await read(other, 'a')), '1');
    assert.equal(textOf(await read(store, 'a')), '1');
  });
});

describe('a store whose engine is emptied while it is open', () => {
  test('fails every method instead of beginning again, and follows the store that another process begins', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    await write(store, put('a'));
    engine.empty();
    await assertFailsWith(read(store, 'a'), 'unavailable');
    await assertFailsWith(write(store, put('b')), 'unavailable');
    assert.deepEqual(engine.keysWith(''), []);
    await using another = await openStoreIn(engine.connect());
    await write(another, put('c'));
    assert.deepEqual(keysOf(await store.list(range())), ['c']);
    assert.equal(another.id, store.id);
  });
});
