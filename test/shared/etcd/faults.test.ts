import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import {SILENT_LOG} from '../../../src/core/domain/log.ts';
import type {AppError} from '../../../src/core/failures/app-error.ts';
import {EventHub} from '../../../src/service/events/event-hub.ts';
import {
  assertFailsWith,
  changesOf,
  keysOf,
  put,
  range,
  read,
  remove,
  textOf,
  write,
} from '../../contracts/shared/assertions.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

const WRITERS = 4;

/** Creates an entry of its own with each write, until it is stopped. */
class Load {
  readonly acknowledged: string[] = [];
  readonly unknown: string[] = [];
  readonly #stores: readonly Store[];
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(stores: readonly Store[]) {
    this.#stores = stores;
    this.#running = Promise.all(
      stores.flatMap((store, index) =>
        Array.from({length: WRITERS}, (_, writer) => this.#write(store, `${index}-${writer}`)),
      ),
    );
  }

  /** Waits until so many more writes are acknowledged. */
  async progress(count: number): Promise<void> {
    const end = this.acknowledged.length + count;
    while (this.acknowledged.length < end) await new Promise(resolve => setTimeout(resolve, 20));
  }

  /** Stops, and asserts that each acknowledged write is in the log once, that nothing else is, and that no revision is missing. */
  async assertHistory(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    const [store] = this.#stores as [Store];
    const logged = await changesOf(store, 0, 100_000);
    assert.deepEqual(
      logged.map(({revision}) => revision),
      logged.map((_, index) => index + 1),
      'revisions have no gaps',
    );
    const keys = logged.map(change => change.key as string);
    assert.equal(new Set(keys).size, keys.length, 'no write happened twice');
    const present = new Set(keys);
    assert.deepEqual(
      this.acknowledged.filter(key => !present.has(key)),
      [],
      'an acknowledged write is lost',
    );
    const sent = new Set([...this.acknowledged, ...this.unknown]);
    assert.deepEqual(
      keys.filter(key => !sent.has(key)),
      [],
      'a write happened that failed',
    );
  }

  async #write(store: Store, writer: string): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      const key = `${writer}-${count}`;
      try {
        await write(store, put(key));
        this.acknowledged.push(key);
      } catch (error) {
        const {code} = (error as {readonly failure: {readonly code: string}}).failure;
        if (code === 'outcome-unknown') this.unknown.push(key);
        else if (code !== 'unavailable') throw error;
      }
    }
  }
}

async function openTwo(cluster: EtcdCluster): Promise<AsyncDisposable & {readonly stores: readonly [Store, Store]}> {
  const engine = cluster.createEngine();
  const stores = [await openStoreIn(await engine.connect()), await openStoreIn(await engine.connect())] as const;
  return {
    stores,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  };
}

describe('two stores that write to three members', () => {
  test('lose, repeat and reorder nothing while members are killed and stopped, and subscribers see each change once', async () => {
    await using cluster = await EtcdCluster.start(3);
    await using opened = await openTwo(cluster);
    const [store] = opened.stores;
    const load = new Load(opened.stores);
    const seen = subscribe(store);
    await load.progress(50);
    await cluster.restart(cluster.findLeader());
    await load.progress(50);
    const leader = cluster.findLeader();
    cluster.signal(leader, 'SIGSTOP');
    await load.progress(50);
    cluster.signal(leader, 'SIGCONT');
    await cluster.ready();
    const follower = (cluster.findLeader() + 1) % 3;
    cluster.signal(follower, 'SIGSTOP');
    await load.progress(50);
    cluster.signal(follower, 'SIGCONT');
    await load.assertHistory();
    const logged = (await changesOf(store, 0, 100_000)).map(change => change.key as string);
    assert.deepEqual(await seen(logged.length), logged);
  });

  test('end each call while there is no majority, and go on when there is one', async () => {
    await using cluster = await EtcdCluster.start(3);
    await using opened = await openTwo(cluster);
    const [store, other] = opened.stores;
    await write(store, put('a'));
    for (const member of [0, 1]) await cluster.pause(member);
    const results = await Promise.allSettled([
      write(store, put('b')),
      write(store, put('c')),
      read(store, 'a'),
      store.list(range()),
    ]);
    for (const member of [0, 1]) cluster.signal(member, 'SIGCONT');
    const codes = results.map(result => (result.status === 'rejected' ? result.reason.failure.code : 'done'));
    for (const [index, code] of codes.entries())
      assert.match(code, index < 2 ? /^(outcome-unknown|unavailable)$/ : /^unavailable$/, codes.join());
    await cluster.ready();
    const unknown = results.slice(0, 2).flatMap((result, index) => {
      const {failure} = (result as PromiseRejectedResult).reason as AppError;
      return failure?.code === 'outcome-unknown' ? [{key: 'bc'[index] as string, id: failure.commitId}] : [];
    });
    for (const {key, id} of unknown) {
      const commit = {checks: [], operations: [put(key)], id};
      const found = await retry(() => other.commit(commit));
      assert.deepEqual(await store.commit(commit), found, 'asking again finds the same result');
    }
    await retry(() => write(other, put('d')));
    const keys = keysOf(await other.list(range()));
    assert.deepEqual(keysOf(await store.list(range())), keys);
    assert.equal((await changesOf(store, 0)).length, keys.length);
  });
});

describe('a store in one member', () => {
  test('commits the largest transactions, after which the member can start again', async () => {
    await using cluster = await EtcdCluster.start(1);
    const engine = cluster.createEngine();
    await using store = await openStoreIn(await engine.connect());
    const large = `"${'x'.repeat(1024 * 1024 - 2)}"`;
    const small = `"${'x'.repeat(8 * 1024 - 2)}"`;
    await write(store, ...Array.from({length: 8}, (_, index) => put(`large ${index}`, large)));
    await write(store, ...Array.from({length: 1000}, (_, index) => put(`small ${index}`, small)));
    await cluster.restart(0);
    await cluster.ready();
    await retry(() => read(store, 'large 7'));
    assert.equal(textOf(await read(store, 'large 7')), large);
    await using another = await openStoreIn(await engine.connect());
    assert.equal((await another.list({...range(), limit: 2000})).length, 1008);
    assert.equal(textOf(await read(another, 'small 999')), small);
  });

  test('ends a snapshot whose state was compacted, and nothing else', async () => {
    await using cluster = await EtcdCluster.start(1);
    const engine = cluster.createEngine();
    await using store = await openStoreIn(await engine.connect());
    // The process that opens the store has read smaller values already, with the change log.
    const large = JSON.stringify('x'.repeat(DEFAULT_LIMITS.logValueBytesMax));
    await write(store, put('a', large), put('b', large));
    await using reader = await openStoreIn(await engine.connect());
    const snapshot = await reader.snapshot();
    await write(store, put('a', '2'));
    const [, revision = ''] = /"revision":(\d+)/.exec(cluster.control('get', 'x', '-w', 'json')) ?? [];
    cluster.control('compaction', revision, '--physical');
    await assertFailsWith(snapshot.list({...range(), values: true}), 'too-slow');
    assert.deepEqual((await reader.list({...range(), values: true})).map(textOf), ['2', large]);
    assert.equal((await changesOf(reader, 0)).length, 3);
  });

  test('refuses puts as its quota is used up, and deletes entries to the end', async () => {
    const quotaBytes = 16 * 1024 * 1024;
    await using cluster = await EtcdCluster.start(1, [`--quota-backend-bytes=${quotaBytes}`]);
    await using store = await openStoreIn(await cluster.connectTo('full'));
    const value = `"${'x'.repeat(500_000)}"`;
    const stored: string[] = [];
    for (let index = 0; ; index++) {
      const failure = await write(store, put(`key ${index}`, value)).then(
        () => stored.push(`key ${index}`),
        error => error.failure.code as string,
      );
      if (failure === 'disk-full') break;
      assert.equal(typeof failure, 'number');
      // The size is looked at every five seconds, in which less than what is left for deletions may be written.
      if (index > 18) await new Promise(resolve => setTimeout(resolve, 1000));
    }
    assert.equal(store.readOnlyBecause, undefined);
    await assert.rejects(
      write(store, put('x', value)),
      /the engine is full \(etcd uses \d+ of 16777216 bytes; compact .*\)/,
    );
    for (const key of stored) assert.deepEqual((await write(store, remove(key))).outcomes, ['deleted']);
    assert.deepEqual(await store.list(range()), []);
  });

  test('names the failure of a wrong password, a user without rights, and one that is revoked meanwhile', async () => {
    await using cluster = await EtcdCluster.start(1);
    const password = `${process.cwd()}/test-output/none`;
    await assert.rejects(cluster.connectTo('auth', {user: {name: 'a', passwordFile: password}}), /cannot be read/);
    for (const args of [
      ['role', 'add', 'reader'],
      ['role', 'add', 'writer'],
      ['role', 'grant-permission', 'reader', '--prefix=true', 'read', 'auth/'],
      ['role', 'grant-permission', 'writer', '--prefix=true', 'readwrite', 'auth/'],
      ['user', 'add', 'root:root'],
      ['user', 'add', 'reader:secret'],
      ['user', 'add', 'writer:secret'],
      ['user', 'grant-role', 'root', 'root'],
      ['user', 'grant-role', 'reader', 'reader'],
      ['user', 'grant-role', 'writer', 'writer'],
      ['auth', 'enable'],
    ])
      cluster.control(...args);
    const [right, wrong] = [await cluster.writeFile('right', 'secret\n'), await cluster.writeFile('wrong', 'no\n')];
    const connect = (name: string, passwordFile = right) => cluster.connectTo('auth', {user: {name, passwordFile}});
    await assert.rejects(connect('writer', wrong), /invalid user ID or password/);
    await using store = await openStoreIn(await connect('writer'));
    await write(store, put('a'));
    await using reader = await openStoreIn(await connect('reader'));
    assert.equal(textOf(await read(reader, 'a')), '1');
    await assertFailsWith(write(reader, put('b')), 'store-read-only');
    assert.match(reader.readOnlyBecause ?? '', /permission denied/);
    cluster.control('--user', 'root:root', 'user', 'revoke-role', 'writer', 'writer');
    await assertFailsWith(write(store, put('b')), 'store-read-only');
    await assertFailsWith(read(store, 'a'), 'unavailable');
    assert.equal(textOf(await read(reader, 'a')), '1');
  });

  test('gets a new id after a backup was restored, so that cursors from before match nothing', async () => {
    await using cluster = await EtcdCluster.start(1);
    const engine = cluster.createEngine();
    const store = await openStoreIn(await engine.connect());
    await write(store, put('a'));
    await store[Symbol.asyncDispose]();
    await using restored = await openStoreIn(await engine.connect(), {newStoreId: true});
    assert.notEqual(restored.id, store.id);
    await assertFailsWith(
      restored.commit({checks: [{key: put('a').key, expected: {storeId: store.id, revision: 1}}], operations: []}),
      'revision-conflict',
    );
  });
});

/** Follows a store by its events. @returns A function that waits for a number of them, and returns their keys. */
function subscribe(store: Store): (count: number) => Promise<readonly string[]> {
  const keys: string[] = [];
  const hub = new EventHub({
    store,
    identity: {onChange: () => () => {}},
    log: SILENT_LOG,
    timers: {
      after: (delayMs, run) => {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
  const ended = (async () => {
    for await (const {events} of hub.subscribe({after: 0})) {
      for (const event of events) if ('key' in event) keys.push(event.key);
    }
  })();
  return async count => {
    while (keys.length < count) await new Promise(resolve => setTimeout(resolve, 20));
    await hub[Symbol.asyncDispose]();
    await ended;
    return keys;
  };
}

/** Calls until it succeeds: members that were stopped need a moment to find a leader. */
async function retry<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 30) throw error;
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }
}
