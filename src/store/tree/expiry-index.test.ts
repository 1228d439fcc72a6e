import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {changesOf, keysOf, patch, put, range, read, textOf, write} from '../../../test/contracts/shared/assertions.ts';
import type {StoreProcess} from '../../../test/store/store-process.ts';
import {makeDirectory, openStore, startProcess} from '../../../test/support/store-fixture.ts';
import type {PutOperation} from '../../core/domain/commits/commit.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {type LmdbEnvironment, openEnvironment} from '../lmdb/environment.ts';
import {verifyStore} from '../verify-store.ts';
import {SNAPSHOTS_MAX} from './snapshots.ts';

const NOON_MS = Date.UTC(2026, 0, 1, 12);
const HOUR_MS = 60 * 60 * 1000;

function putFor(ttlSeconds: number, key: string, json?: string): PutOperation {
  return {...put(key, json), expiry: {kind: 'after', ttlSeconds}};
}

/** A clock of a machine that a test sets, beside one that never jumps. */
function createClock() {
  return {machineMs: NOON_MS, passedMs: 0};
}

function openWith(directory: string, clock: {machineMs: number; passedMs: number}): Promise<Store> {
  return openStore(directory, {nowMs: () => clock.machineMs, elapsedMs: () => clock.passedMs});
}

async function sweepAll(store: Store): Promise<void> {
  while ((await store.sweep()) === 0);
}

describe('an entry of an LMDB store that expires', () => {
  test('while no process runs is gone when one does, and is announced exactly once', async () => {
    const directory = await makeDirectory();
    const clock = createClock();
    const first = await openWith(directory, clock);
    await write(first, putFor(10, 'a'), putFor(7200, 'b'), put('c'));
    await first[Symbol.asyncDispose]();
    clock.machineMs += HOUR_MS;
    for (let round = 0; round < 3; round++) {
      const store = await openWith(directory, clock);
      assert.equal(await read(store, 'a'), undefined);
      await sweepAll(store);
      assert.deepEqual(await changesOf(store, 1), [{kind: 'expire', key: 'a', revision: 2}]);
      assert.deepEqual(keysOf(await store.list(range())), ['b', 'c']);
      await store[Symbol.asyncDispose]();
    }
  });

  test('stays absent when the clock is set back, in this process and in the next', async () => {
    const directory = await makeDirectory();
    const clock = createClock();
    const first = await openWith(directory, clock);
    await write(first, putFor(10, 'a'));
    clock.machineMs += 10_000;
    assert.equal(await read(first, 'a'), undefined);
    clock.machineMs -= HOUR_MS;
    assert.equal(await read(first, 'a'), undefined);
    await write(first, put('b'));
    await first[Symbol.asyncDispose]();
    clock.machineMs -= 24 * HOUR_MS;
    const second = await openWith(directory, clock);
    assert.equal(await read(second, 'a'), undefined);
    assert.deepEqual(keysOf(await second.list(range())), ['b']);
    await sweepAll(second);
    assert.deepEqual(await changesOf(second, 2), [{kind: 'expire', key: 'a', revision: 3}]);
  });

  test('expires in time when the clock is set back, and at once when it is set forward', async () => {
    const clock = createClock();
    const store = await openWith(await makeDirectory(), clock);
    await write(store, putFor(10, 'a'), putFor(7200, 'b'));
    clock.machineMs -= HOUR_MS;
    clock.passedMs += 9999;
    assert.equal(textOf(await read(store, 'a')), '1');
    clock.passedMs += 1;
    assert.equal(await read(store, 'a'), undefined);
    assert.equal(await store.sweep(), 7_190_000);
    clock.machineMs += 4 * HOUR_MS;
    assert.equal(await read(store, 'b'), undefined);
    assert.equal(await store.sweep(), undefined);
  });

  test('is the next one no more once it was written without a time, and again', async () => {
    const clock = createClock();
    const store = await openWith(await makeDirectory(), clock);
    await write(store, putFor(10, 'a'));
    // A sweep writes the tree first.
    assert.equal(await store.sweep(), 10_000);
    await write(store, put('a'));
    await write(store, patch('a', '{}'));
    assert.equal(await store.sweep(), undefined);
  });

  test('is skipped with thousands of others in several ticks, and a list shows one state', async () => {
    const clock = createClock();
    const store = await openWith(await makeDirectory(), clock);
    const names = Array.from({length: 3000}, (_, index) => String(index).padStart(4, '0'));
    for (let at = 0; at < names.length; at += 500) {
      const operations = names.slice(at, at + 500).map(name => (name.endsWith('99') ? put(name) : putFor(1, name)));
      await write(store, ...operations);
    }
    const lasting = names.filter(name => name.endsWith('99'));
    clock.machineMs += HOUR_MS;
    const list = async (part: Partial<Parameters<typeof range>[0]>) =>
      keysOf(await store.list(range({limit: 1000, ...part})));
    // Others write while the list waits for a snapshot.
    const held = await Promise.all(Array.from({length: SNAPSHOTS_MAX}, () => store.snapshot()));
    const listing = store.list(range({limit: 1000}));
    const {revision} = await write(store, put('0000'), put('2999', '2'));
    for (const each of held) await each[Symbol.asyncDispose]();
    let ticks = 0;
    let isListed = false;
    void listing.then(() => (isListed = true));
    for (; !isListed; ticks++) await new Promise(resolve => setImmediate(resolve));
    assert.ok(ticks >= 5, `${ticks} ticks`);
    const listed = await listing;
    assert.deepEqual(
      keysOf(listed).filter(name => name !== '0000'),
      lasting,
    );
    // All of the write, or nothing of it.
    assert.equal(listed[0]?.revision === revision, listed.at(-1)?.revision === revision);
    assert.deepEqual(await list({limit: 8}), ['0000', ...lasting.slice(0, 7)]);
    assert.deepEqual(await list({reverse: true, after: '2999'}), [...lasting.slice(0, -1).toReversed(), '0000']);
    assert.deepEqual(await list({prefix: '1', limit: 4}), ['1099', '1199', '1299', '1399']);
    assert.deepEqual(await list({prefix: '1', after: '1850', limit: 1}), ['1899']);
    assert.deepEqual(keysOf(await store.list({...range(), values: true, valuesBytesMax: 7})), [
      '0000',
      ...lasting.slice(0, 6),
    ]);
    await using snapshot = await store.snapshot();
    await sweepAll(store);
    assert.deepEqual(keysOf(await snapshot.list(range())), ['0000', ...lasting]);
  });

  test('does not keep others from expiring when its record is damaged, and stays where it is named', async () => {
    const directory = await makeDirectory();
    const clock = createClock();
    const first = await openWith(directory, clock);
    await write(first, putFor(1, 'damaged'), putFor(2, 'sound'));
    await first[Symbol.asyncDispose]();
    await change(directory, environment =>
      environment.table('entries').put(Buffer.from('damaged'), Buffer.alloc(100, 1)),
    );
    clock.machineMs += HOUR_MS;
    const second = await openWith(directory, clock);
    assert.equal(await second.sweep(), undefined);
    assert.deepEqual(await changesOf(second, 1), [{kind: 'expire', key: 'sound', revision: 2}]);
    await assert.rejects(read(second, 'damaged'), {failure: {code: 'entry-corrupt', key: 'damaged'}});
  });

  test('is found where its table of expiries says otherwise: nothing expires for a row that is wrong', async () => {
    const directory = await makeDirectory();
    const clock = createClock();
    const first = await openWith(directory, clock);
    await write(first, putFor(60, 'a'), put('b'));
    await first[Symbol.asyncDispose]();
    await change(directory, environment => {
      for (const key of ['a', 'b', 'c']) {
        const row = Buffer.concat([Buffer.alloc(7), Buffer.of(1), Buffer.from(key)]);
        environment.table('expiries').put(row, Buffer.of(1));
      }
    });
    assert.equal((await verifyStore(directory)).wrongExpiries, 3);
    const second = await openWith(directory, clock);
    assert.equal(await second.sweep(), 60_000);
    assert.deepEqual(keysOf(await second.list(range())), ['a', 'b']);
    assert.equal(second.revision, 1);
    await second[Symbol.asyncDispose]();
    assert.equal((await verifyStore(directory)).wrongExpiries, 0);
  });

  test('has its row, even if a similar row was wrong until the same group of commits', async () => {
    const directory = await makeDirectory();
    await (await openStore(directory))[Symbol.asyncDispose]();
    const row = Buffer.concat([Buffer.alloc(7), Buffer.of(1), Buffer.from('a')]);
    await change(directory, environment => environment.table('expiries').put(row, Buffer.of(1)));
    const store = await openStore(directory);
    const sweeping = store.sweep();
    // It reads the table first: so its commit comes before the other in their group.
    for (let count = 0; count < 10; count++) await Promise.resolve();
    await Promise.all([sweeping, write(store, {...put('a'), expiry: {kind: 'at', expiresAtMs: 1}})]);
    await store[Symbol.asyncDispose]();
    assert.equal((await verifyStore(directory)).wrongExpiries, 0);
  });

  test('is reported by a verification if its row is missing', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await write(store, putFor(60, 'a'), put('b'));
    await write(store, putFor(90, 'a'));
    await store[Symbol.asyncDispose]();
    assert.equal((await verifyStore(directory)).wrongExpiries, 0);
    await change(directory, environment => {
      for (const row of environment.table('expiries').keys({})) environment.table('expiries').remove(row);
    });
    assert.equal((await verifyStore(directory)).wrongExpiries, 1);
  });
});

describe('an entry that had expired while the clock of the machine was ahead', () => {
  /** Ways to learn that it is gone. */
  const looks: readonly {readonly name: string; readonly look: (store: StoreProcess) => Promise<void>}[] = [
    {name: 'read', look: async store => assert.equal(await store.call('get', {key: 'a'}), undefined)},
    {name: 'listed', look: async store => assert.deepEqual(await store.call('keys'), ['b'])},
    {name: 'listed from a snapshot', look: async store => assert.deepEqual(await store.call('keysOfSnapshot'), ['b'])},
    {name: 'deleted', look: async store => assert.equal(await store.call('delete', {key: 'a'}), 'absent')},
    {
      name: 'touched',
      look: store => assert.rejects(store.call('touch', {key: 'a'}), {failure: {code: 'no-entry', key: 'a'}}),
    },
  ];
  const ends = [
    {name: 'a proper stop', end: (store: StoreProcess) => store.call('close')},
    {name: 'a kill', end: (store: StoreProcess) => store.kill()},
  ];
  for (const {name: looked, look} of looks) {
    for (const {name: ended, end} of ends) {
      test(`and was missed when it was ${looked} stays gone after ${ended}, with the clock set right`, async () => {
        const directory = await makeDirectory();
        const expiresAtMs = Date.now() + HOUR_MS;
        await leaveExpiring(directory, expiresAtMs);
        const ahead = await startProcess();
        await ahead.call('open', {directory, aheadMs: 2 * HOUR_MS});
        await look(ahead);
        await end(ahead);
        const store = await openStore(directory);
        assert.equal(await read(store, 'a'), undefined);
        assert.deepEqual(keysOf(await store.list(range())), ['b']);
        await sweepAll(store);
        assert.deepEqual(await changesOf(store, 1), [{kind: 'expire', key: 'a', revision: 2}]);
      });
    }
  }

  test('stays absent after a graceful stop and a correction of the clock, also if it was not read', async () => {
    const directory = await makeDirectory();
    await leaveExpiring(directory, NOON_MS + HOUR_MS);
    const clock = {machineMs: NOON_MS + 2 * HOUR_MS, passedMs: 0};
    await (await openWith(directory, clock))[Symbol.asyncDispose]();
    clock.machineMs = NOON_MS;
    assert.deepEqual(keysOf(await (await openWith(directory, clock)).list(range())), ['b']);
  });
});

/** A closed store with the entries a, which expires, and b, which does not. */
async function leaveExpiring(directory: string, expiresAtMs: number): Promise<void> {
  const store = await openStore(directory, {nowMs: () => 0, elapsedMs: () => 0});
  await write(store, {...put('a'), expiry: {kind: 'at', expiresAtMs}}, put('b'));
  await store[Symbol.asyncDispose]();
}

describe('a snapshot of an LMDB store', () => {
  test('ends with its store, and lets it close', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await write(store, put('a'));
    const held = await Promise.all(Array.from({length: 32}, () => store.snapshot()));
    await write(store, put('b'));
    const waiting = [store.snapshot(), store.snapshot()];
    const outcomes = Promise.allSettled(waiting);
    await store[Symbol.asyncDispose]();
    assert.deepEqual(
      (await outcomes).map(each => each.status === 'rejected' && each.reason.failure.code),
      ['store-closed', 'store-closed'],
    );
    for (const snapshot of held) {
      await assert.rejects(snapshot.list(range()), {failure: {code: 'store-closed'}});
      await snapshot[Symbol.asyncDispose]();
    }
    assert.deepEqual(keysOf(await (await openStore(directory)).list(range())), ['a', 'b']);
  });
});

describe('snapshots that are not read', () => {
  test('are released, so that other connections can be accepted', async () => {
    const store = await openStore(await makeDirectory(), {snapshotIdleMs: 1});
    await write(store, put('a'));
    const stalled = await Promise.all(Array.from({length: 32}, () => store.snapshot()));
    const others = await Promise.all(
      Array.from({length: 40}, async () => {
        const snapshot = await store.snapshot();
        return keysOf(await snapshot.list(range()));
      }),
    );
    assert.ok(others.every(keys => keys.join() === 'a'));
    for (const snapshot of stalled) {
      await assert.rejects(snapshot.list(range()), {failure: {code: 'too-slow', what: 'reader', idleMs: 1}});
      await snapshot[Symbol.asyncDispose]();
    }
  });
});

async function change(directory: string, write: (environment: LmdbEnvironment) => void): Promise<void> {
  const environment = await openEnvironment({directory: join(directory, 'store')});
  for (const name of ['entries', 'changes', 'expiries']) environment.table(name);
  await environment.write(() => write(environment));
  await environment[Symbol.asyncDispose]();
}
