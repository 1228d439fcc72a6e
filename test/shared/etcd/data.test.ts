import assert from 'node:assert/strict';
import {afterAll, beforeAll, describe, test} from 'vitest';
import type {AppError} from '../../../src/core/failures/app-error.ts';
import {HEAD_KEY} from '../../../src/store/shared/engine/engine-keys.ts';
import {assertFails, key, patch, put, range, read, remove, textOf, write} from '../../contracts/shared/assertions.ts';
import {putFor} from '../../contracts/store/expiry.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {startService} from '../../support/service.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await EtcdCluster.start(1);
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('a prefix that something else uses', () => {
  for (const name of ['settings', 'h'])
    test(`is refused with its key ${name}, and left as it is`, async () => {
      const prefix = `foreign-${name}`;
      cluster.control('put', `${prefix}/${name}`, 'of another program');
      const store = `etcd://${cluster.addresses[0]}/${prefix}`;
      const failure = await failureOf(() => startService({store}));
      assert.equal(failure.code, 'unavailable');
      assert.match(failure.problem, /does not hold a store of Crewroom/);
      assert.equal(cluster.control('get', '--prefix', prefix), `${prefix}/${name}\nof another program\n`);
    });
});

describe('data of an earlier version', () => {
  test('are refused with the command that moves them', async () => {
    const head = {format: 2, id: 'abc', end: {}, trimmed: {}, checkpoint: {}, clockMs: 1};
    cluster.control('put', 'earlier/h', JSON.stringify(head));
    const failure = await failureOf(() => startService({store: `etcd://${cluster.addresses[0]}/earlier`}));
    assert.match(failure.problem, /has the form of an earlier version.*`crewroom export FILE` of that version/);
  });
});

describe('keys that were written by hand', () => {
  test('damage the entries that they replace, which are named, and nothing else', async () => {
    const engine = cluster.createEngine();
    await using store = await openStoreIn(await engine.connect());
    await write(store, put('a'), put('b'), put('c'));
    await write(store, put('d'));
    cluster.control('put', `${engine.prefix}/e/a`, 'by hand');
    cluster.control('del', `${engine.prefix}/e/b`);
    cluster.control('put', `${engine.prefix}/e/new`, 'by hand');
    cluster.control('put', `${engine.prefix}/notes`, 'by hand');
    // What was written after the last commit is not seen before the next one.
    await write(store, put('c', '2'));
    await using other = await openStoreIn(await engine.connect());
    await assertFails(read(other, 'a'), {code: 'entry-corrupt', key: key('a')});
    await assertFails(read(other, 'new'), {code: 'entry-corrupt', key: key('new')});
    assert.equal(await read(other, 'b'), undefined);
    assert.equal(textOf(await read(other, 'c')), '2');
    await write(other, put('a', '2'), put('new', '2'));
    assert.equal(textOf(await read(store, 'a')), '2');
    assert.equal(textOf(await read(other, 'new')), '2');
  });

  test('in the place of the head fail every call until it is restored', async () => {
    const engine = cluster.createEngine();
    await using store = await openStoreIn(await engine.connect());
    await write(store, put('a'));
    cluster.control('put', `${engine.prefix}/h`, 'by hand');
    for (const call of [() => read(store, 'a'), () => write(store, put('b')), () => store.changes(0, {limit: 1})])
      assert.match((await failureOf(call)).problem, /it has a head of another format/);
  });
});

describe('values in parts', () => {
  const large = `"${'x'.repeat(1024 * 1024)}"`;

  test('leave nothing behind that a plan wrote which lost a race', async () => {
    const engine = cluster.createEngine();
    await using other = await openStoreIn(await engine.connect());
    const driver = await engine.connect();
    await using store = await openStoreIn(driver);
    await write(store, put('a', `{"x":${large}}`));
    const send = driver.compareAndWrite.bind(driver);
    let races = 2;
    driver.compareAndWrite = async request => {
      if (request.key === HEAD_KEY && races > 0) await write(other, put('free', String(races--)));
      return send(request);
    };
    await write(store, patch('a', '{"y":1}'));
    assert.equal(races, 0);
    assert.equal(textOf(await read(other, 'a')), `{"x":${large},"y":1}`);
    const keys = (kind: string): number =>
      cluster.control('get', '--prefix', '--keys-only', `${engine.prefix}/${kind}/`).match(/.+/g)?.length ?? 0;
    // The marks of both writes with parts stay for ten minutes.
    assert.deepEqual([keys('v'), keys('s')], [3, 2]);
    await write(other, remove('a'));
    assert.equal(keys('v'), 0);
  });

  test('are replaced with their times of expiry by as many operations as a transaction has', async () => {
    const engine = cluster.createEngine();
    await using store = await openStoreIn(await engine.connect());
    const names = Array.from({length: 1000}, (_, index) => `key ${index}`);
    await write(store, ...names.map(name => putFor(60, name, large.slice(0, 5000).concat('"'))));
    assert.equal((await write(store, ...names.map(name => putFor(120, name)))).revision, 2);
    assert.equal(textOf(await read(store, 'key 999')), '1');
  });
});

describe('an engine that is emptied while the store is open', () => {
  test('fails every call, does not begin again by itself, and holds a new store after a restart', async () => {
    const engine = cluster.createEngine();
    await using store = await openStoreIn(await engine.connect());
    await write(store, put('a'), put('b'));
    const {id} = store;
    cluster.control('del', '--prefix', `${engine.prefix}/`);
    for (const call of [() => read(store, 'a'), () => write(store, put('c')), () => store.list(range())])
      assert.match(
        (await failureOf(call)).problem,
        /data of this store were removed in the engine; restore them, or restart/,
      );
    assert.equal(cluster.control('get', '--prefix', `${engine.prefix}/`), '');
    await using again = await openStoreIn(await engine.connect());
    assert.notEqual(again.id, id);
    assert.deepEqual(await again.list(range()), []);
    // The first one goes on in the new store.
    assert.equal(await read(store, 'a'), undefined);
    assert.equal(store.id, again.id);
  });
});

describe('a backup that is restored', () => {
  test('gets a new id if no service ran, so that cursors and revisions from before match nothing', async () => {
    await using member = await EtcdCluster.start(1);
    const address = {store: `etcd://${member.addresses[0]}/restored`};
    const before = await startService(address);
    const oldId = before.crewroom.storeId;
    await before.crewroom.entries.put('a', 1);
    const backup = member.save();
    for (const value of ['1', '2']) await before.crewroom.entries.put('b', Buffer.from(value));
    await before[Symbol.asyncDispose]();
    await member.restore(backup);
    await member.ready();
    await using after = await startService(address, {newStoreId: true});
    const {entries, events, storeId} = after.crewroom;
    assert.notEqual(storeId, oldId);
    assert.equal(await entries.get('b'), undefined);
    for (const value of ['false', 'true']) await entries.put('b', Buffer.from(value));
    for await (const {kind} of events({after: {storeId: oldId, revision: 3}})) {
      assert.equal(kind, 'reset');
      break;
    }
    const headers = {'If-Match': `"${oldId}-3"`};
    const answer = await fetch(`${after.url}/api/store/b`, {method: 'PUT', headers, body: 'null'});
    assert.equal(answer.status, 412);
    assert.equal(Buffer.from((await entries.get('b'))?.json ?? []).toString(), 'true');
  });
});

async function failureOf(call: () => Promise<unknown>): Promise<{readonly code: string; readonly problem: string}> {
  const error = await call().then(
    () => assert.fail('the call succeeded'),
    (caught: AppError) => caught,
  );
  const {code, failure} = error;
  return {code, problem: failure && 'problem' in failure ? String(failure.problem) : ''};
}
