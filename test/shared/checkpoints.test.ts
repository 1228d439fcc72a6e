import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../src/domain/commits/store.ts';
import {DEFERRED_BYTES_MAX} from '../../src/store/shared/engine/deferred-values.ts';
import {EngineFailure, type GuardedWrite} from '../../src/store/shared/engine/driver.ts';
import {HEAD_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import {
  assertFailsWith,
  keysOf,
  patch,
  put,
  range,
  read,
  remove,
  textOf,
  write,
} from '../contracts/shared/assertions.ts';
import {openStoreIn, TIMERS} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';

/** Size of a change log. After a fourth of it a checkpoint is due, at the latest. */
const LOG_CHANGES_MAX = 16;

/** Time after which a checkpoint that failed is tried again, in milliseconds. */
const RETRY_MS = 5000;

/** Size of the values in the cache of a process, in bytes. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** The value of the largest size that is deferred, and one that is one byte larger. */
const [DEFERRED, OF_OWN_RECORD] = [0, 1].map(more => JSON.stringify('x'.repeat(DEFERRED_BYTES_MAX - 2 + more))) as [
  string,
  string,
];

function open(engine: SimulatedEngine): Promise<Store> {
  return openStoreIn(engine.connect(), {logChangesMax: LOG_CHANGES_MAX});
}

/** Writes one key until there is a checkpoint. */
async function writeUntilCheckpoint(store: Store, engine: SimulatedEngine): Promise<void> {
  const before = checkpointOf(engine);
  while (checkpointOf(engine) === before) await write(store, put('other'));
}

interface StoredHead {
  readonly format: number;
  readonly end: {readonly ordinal: number};
  readonly checkpoint: {readonly revision: number; readonly ordinal: number};
}

function headOf(engine: SimulatedEngine): StoredHead {
  return JSON.parse(engine.find(HEAD_KEY)?.value.toString() ?? '{}') as StoredHead;
}

function changesSinceCheckpoint(engine: SimulatedEngine): number {
  const {end, checkpoint} = headOf(engine);
  return end.ordinal - checkpoint.ordinal;
}

function checkpointOf(engine: SimulatedEngine): number {
  return headOf(engine).checkpoint.revision;
}

/** Returns the keys of the entries that have records. */
function recordsIn(engine: SimulatedEngine): readonly string[] {
  return engine.keysWith('e/').map(name => name.slice(2));
}

async function textsIn(store: Store): Promise<Readonly<Record<string, string | undefined>>> {
  const entries = await store.list({...range(), values: true});
  return Object.fromEntries(entries.map(entry => [entry.key, textOf(entry)]));
}

describe('a small value', () => {
  test('is only in the change log until a checkpoint writes it into a record, and all processes read it', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using running = await open(engine);
    await write(store, put('a', DEFERRED), put('b', '1'), put('large', OF_OWN_RECORD));
    await write(store, put('b', '2'));
    assert.deepEqual(recordsIn(engine), ['large']);
    const expected = {a: DEFERRED, b: '2', large: OF_OWN_RECORD};
    await using late = await open(engine);
    for (const each of [store, running, late]) assert.deepEqual(await textsIn(each), expected);
    await writeUntilCheckpoint(late, engine);
    assert.deepEqual(recordsIn(engine).slice(0, 3), ['a', 'b', 'large']);
    await using again = await open(engine);
    for (const each of [store, running, late, again]) assert.deepEqual(await textsIn(each), {...expected, other: '1'});
  });

  test('is read from the log of the engine if it is no longer in memory, also in a state before a checkpoint', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    await write(store, put('a', '1'), put('b', '2'));
    await write(store, put('b', '3'), patch('a', '4'));
    await using snapshot = await store.snapshot();
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024));
    for (let bytes = 0; bytes <= CACHE_BYTES; bytes += megabyte.length) {
      await write(store, put(`large ${bytes}`, megabyte));
      await read(store, `large ${bytes}`);
    }
    assert.equal(checkpointOf(engine), 0);
    assert.equal(textOf(await read(store, 'b')), '3');
    await using other = await open(engine);
    await writeUntilCheckpoint(other, engine);
    const [a, b] = await snapshot.list({...range(), values: true, limit: 2});
    assert.deepEqual([textOf(a), textOf(b)], ['4', '3']);
  });

  test('does not come back after it was removed, or replaced by a large one', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a'), put('b'), put('c'));
    await write(store, remove('a'), put('b', OF_OWN_RECORD));
    await writeUntilCheckpoint(store, engine);
    await write(store, remove('c'));
    await write(store, put('b', '2'));
    await using late = await open(engine);
    for (const each of [store, late]) assert.deepEqual(await textsIn(each), {b: '2', other: '1'});
  });
});

describe('a checkpoint', () => {
  test('writes one record for each key, however often it was written, and more than one request has', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const names = Array.from({length: 4000}, (_, index) => `key ${String(index).padStart(4, '0')}`);
    await write(store, ...names.map(name => put(name)));
    await write(store, ...names.map(name => put(name, '2')));
    assert.deepEqual(recordsIn(engine), names);
    const written: GuardedWrite[] = [];
    engine.afterWrite = each => written.push(each);
    await write(store, put('last'));
    assert.deepEqual(
      written.map(({puts}) => puts.filter(([name]) => name.startsWith('e/')).length),
      [1900, 1900, 200, 0],
    );
    await write(store, put('last', '2'));
    assert.equal(written.length, 5, 'no further checkpoint');
    assert.equal(checkpointOf(engine), 2);
    await using late = await open(engine);
    assert.deepEqual(keysOf(await late.list({...range(), limit: 5000})), [...names, 'last']);
    assert.equal(textOf(await read(late, names.at(-1) ?? '')), '2');
  });

  test('is due before its records are larger than what etcd accepts by default', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    for (let count = 0; count < 1200; count += 100)
      await write(store, ...Array.from({length: 100}, (_, index) => put(`key ${count + index}`, DEFERRED)));
    assert.ok(checkpointOf(engine) > 0);
    assert.ok(engine.largestRequestBytes < 1.5 * 1024 * 1024);
  });

  test('that ends midway names nothing that it has not written', async () => {
    const engine = new SimulatedEngine();
    const names = Array.from({length: 4000}, (_, index) => `key ${String(index).padStart(4, '0')}`);
    {
      await using store = await openStoreIn(engine.connect(), {groupTimeoutMs: 2000});
      await write(store, ...names.map(name => put(name)));
      engine.afterWrite = () => {
        engine.isDown = true;
      };
      await assertFailsWith(write(store, put('last')), 'store-unavailable');
      engine.afterWrite = undefined;
      engine.isDown = false;
    }
    assert.equal(recordsIn(engine).length, 1900);
    assert.equal(checkpointOf(engine), 0);
    await using late = await open(engine);
    assert.deepEqual(keysOf(await late.list({...range(), limit: 5000})), names);
    await write(late, put('last'));
    assert.equal(recordsIn(engine).length, names.length);
  });

  test('that is refused is tried again after a while, and keeps the log, however full it is', async () => {
    const engine = new SimulatedEngine();
    let nowMs = 0;
    await using store = await openStoreIn(engine.connect(), {logChangesMax: LOG_CHANGES_MAX, elapsedMs: () => nowMs});
    let refused = 0;
    engine.beforeWrite = async ({puts}) => {
      if (!puts.some(([name]) => name.startsWith('e/'))) return;
      refused++;
      throw new EngineFailure('unavailable', 'the test refuses it');
    };
    const names = Array.from({length: 3 * LOG_CHANGES_MAX}, (_, index) => `key ${index + 10}`);
    for (const name of names) await write(store, put(name));
    assert.equal(refused, 1);
    assert.deepEqual((await store.statistics())?.checkpoints, {written: 0, failed: 1});
    {
      await using late = await open(engine);
      assert.deepEqual(keysOf(await late.list({...range(), values: true})), names);
    }
    engine.beforeWrite = undefined;
    nowMs += RETRY_MS;
    // A checkpoint, and then the log is trimmed.
    for (let count = 1; count <= LOG_CHANGES_MAX; count++) await write(store, put('last'));
    assert.equal((await store.changes(0, {limit: 1})).kind, 'reset');
    const {written = 0, failed} = (await store.statistics())?.checkpoints ?? {};
    assert.deepEqual([written > 0, failed], [true, 1]);
    assert.deepEqual(recordsIn(engine).slice(0, names.length), names);
  });

  for (const lost of ['lostRequests', 'lostAnswers'] as const)
    test(`fails no commit if its ${lost === 'lostAnswers' ? 'answer' : 'request'} is lost`, async () => {
      const engine = new SimulatedEngine();
      let nowMs = 0;
      await using store = await openStoreIn(engine.connect(), {logChangesMax: LOG_CHANGES_MAX, elapsedMs: () => nowMs});
      let lostAt = 0;
      engine.beforeWrite = async ({puts}) => {
        if (lostAt > 0 || !puts.some(([name]) => name.startsWith('e/'))) return;
        lostAt = headOf(engine).checkpoint.revision + 1;
        engine[lost] = 1;
      };
      for (let count = 1; count <= LOG_CHANGES_MAX; count++) {
        assert.equal((await write(store, put(`key ${count}`))).revision, count);
        nowMs += RETRY_MS;
      }
      assert.ok(lostAt > 0);
      assert.ok(checkpointOf(engine) > 0);
      assert.equal((await store.list(range())).length, LOG_CHANGES_MAX);
    });

  test('of another process does not hide that a commit was applied whose answer was lost', async () => {
    const engine = new SimulatedEngine();
    // The pause before the commit is sent again ends when the test wants.
    const pauses: (() => void)[] = [];
    let isHeld = true;
    const after = (delayMs: number, run: () => void): (() => void) => {
      if (!isHeld || delayMs > 100) return TIMERS.after(delayMs, run);
      pauses.push(run);
      return () => pauses.splice(pauses.indexOf(run), 1);
    };
    await using store = await openStoreIn(engine.connect(), {logChangesMax: LOG_CHANGES_MAX, timers: {after}});
    await using other = await open(engine);
    await writeUntilCheckpoint(other, engine);
    const before = checkpointOf(engine);
    // After one more commit a checkpoint is due.
    while (changesSinceCheckpoint(engine) < LOG_CHANGES_MAX / 4 - 1) await write(other, put('b'));
    await read(store, 'b');
    const {id} = store;
    engine.lostAnswers = 1;
    const committing = write(store, put('c'));
    while ((await read(other, 'c')) === undefined);
    engine.beforeWrite = async ({puts}) => {
      if (!isHeld || !puts.some(([name]) => name.startsWith('c/'))) return;
      // The checkpoint of the other process is written, its commit is not.
      assert.ok(checkpointOf(engine) > before);
      isHeld = false;
      for (const run of pauses) run();
      await committing;
      await read(store, 'c');
      assert.equal(store.id, id, 'the engine is not taken for a restored one');
    };
    const {revision: next} = await write(other, put('d'));
    assert.equal((await committing).revision, next - 1);
    for (const each of [store, other]) assert.deepEqual(keysOf(await each.list(range())), ['b', 'c', 'd', 'other']);
  });
});

describe('a store of the format without checkpoints', () => {
  test('is read, and gets the present format with the next commit', async () => {
    const engine = new SimulatedEngine();
    {
      await using store = await open(engine);
      await write(store, put('a', OF_OWN_RECORD), put('b', OF_OWN_RECORD));
    }
    const {checkpoint: _, ...head} = headOf(engine);
    engine.writeByHand(HEAD_KEY, JSON.stringify({...head, format: 1}));
    await using store = await open(engine);
    assert.equal(textOf(await read(store, 'b')), OF_OWN_RECORD);
    await write(store, put('b', '3'));
    assert.deepEqual([headOf(engine).format, checkpointOf(engine)], [2, 1]);
    await using late = await open(engine);
    assert.deepEqual(await textsIn(late), {a: OF_OWN_RECORD, b: '3'});
  });
});
