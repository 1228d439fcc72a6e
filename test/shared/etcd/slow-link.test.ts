import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import {EtcdClient} from '../../../src/store/shared/etcd/etcd-client.ts';
import {createMachine} from '../../cli/crewroom.ts';
import {changesOf, key, put, range, read, textOf, write} from '../../contracts/shared/assertions.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {openStoreIn} from '../../support/shared-stores.ts';
import {openSlowLink} from '../../support/slow-link.ts';

/** 10 Mbit/s, and 100 ms to a member and back. */
const LINK = {bytesPerMs: 1250, delayMs: 50};

/** Largest time of each test, in milliseconds: some 32 MiB take half a minute. */
const TIMEOUT_MS = 240_000;

/** A value that the change log has. */
const LOGGED = JSON.stringify('x'.repeat(DEFAULT_LIMITS.logValueBytesMax - 2));

const VALUE = `"${'x'.repeat(1024 * 1024 - 2)}"`;

test(
  'a store behind 10 Mbit/s and 100 ms opens, and writes and reads 16 values of 1 MiB',
  async () => {
    await using cluster = await EtcdCluster.start(1);
    await using link = await openSlowLink(cluster.addresses[0] ?? '', LINK);
    const members = [link.address];
    await using store = await openStoreIn(await cluster.connectTo('slow', {members}));
    const names = Array.from({length: 16}, (_, index) => `value ${String(index).padStart(2, '0')}`);
    await Promise.all(names.map(name => write(store, put(name, VALUE))));
    await using other = await openStoreIn(await cluster.connectTo('slow', {members}));
    const found: string[] = [];
    for (;;) {
      const after = found.at(-1);
      const page = await other.list({
        ...range(),
        limit: 4,
        values: true,
        after: after === undefined ? undefined : key(after),
      });
      for (const entry of page) assert.equal(entry.json.length, VALUE.length);
      if (page.length === 0) break;
      found.push(...page.map(entry => entry.key));
    }
    assert.deepEqual(found, names);
    // At once they take longer than one of them may.
    for (const entry of await Promise.all(names.map(name => read(other, name))))
      assert.equal(entry?.json.length, VALUE.length);
  },
  TIMEOUT_MS,
);

test('a page that is late leaves the member only at the second time', async () => {
  await using cluster = await EtcdCluster.start(1);
  const [member = ''] = cluster.addresses;
  await using link = await openSlowLink(member, {...LINK, delayMs: 3000});
  const client = await EtcdClient.create({members: [link.address, member]});
  try {
    const asked = {key: Buffer.from('a')};
    for (const used of [link.address, member]) {
      await assert.rejects(client.call('KV/Range', asked, {bytes: 1}), /did not answer in time/);
      assert.equal(client.member, used);
    }
  } finally {
    client[Symbol.dispose]();
  }
});

test(
  'a store behind 100 ms writes beside a near one that always writes',
  async () => {
    await using cluster = await EtcdCluster.start(1);
    await using link = await openSlowLink(cluster.addresses[0] ?? '', LINK);
    await using near = await openStoreIn(await cluster.connectTo('beside'));
    await using far = await openStoreIn(await cluster.connectTo('beside', {members: [link.address]}));
    let isOver = false;
    const writing = (async () => {
      for (let count = 1; !isOver; count++) await write(near, put('near', String(count)));
    })();
    try {
      for (let count = 1; count <= 10; count++) await write(far, put('far', String(count)));
    } finally {
      isOver = true;
      await writing;
    }
    assert.equal(textOf(await read(near, 'far')), '10');
  },
  TIMEOUT_MS,
);

test(
  'a store behind 4 Mbit/s reads a change log of 5 MiB',
  async () => {
    await using cluster = await EtcdCluster.start(1);
    await using near = await openStoreIn(await cluster.connectTo('log', {}));
    const names = Array.from({length: 90}, (_, index) => `value ${String(index).padStart(2, '0')}`);
    // A part of the log for each group.
    for (let at = 0; at < names.length; at += 9)
      await write(near, ...names.slice(at, at + 9).map(name => put(name, LOGGED)));
    await using link = await openSlowLink(cluster.addresses[0] ?? '', {bytesPerMs: 500, delayMs: 50});
    await using store = await openStoreIn(await cluster.connectTo('log', {members: [link.address]}));
    const found: string[] = [];
    for (let after = 0; after < near.revision; ) {
      const changes = await changesOf(store, after);
      found.push(...changes.map(change => change.key));
      after = changes.at(-1)?.revision ?? Infinity;
    }
    assert.deepEqual(found, names);
  },
  TIMEOUT_MS,
);

test(
  'a service behind 10 Mbit/s and 100 ms takes an import of 8 MiB',
  async () => {
    const machine = await createMachine();
    await using cluster = await EtcdCluster.start(1);
    await using link = await openSlowLink(cluster.addresses[0] ?? '', LINK);
    const store = `etcd://${link.address}/slow`;
    const slow = await machine.start(['--store', store, '--data-dir', `${machine.home}/slow`]);
    const local = await machine.start(['--data-dir', `${machine.home}/local`]);
    const port = String(local.port);
    for (let index = 0; index < 8; index++)
      await fetch(`http://127.0.0.1:${port}/api/store/value${index}`, {method: 'POST', body: VALUE});
    await machine.run(['export', 'all.ndjson', '--port', port]);
    const imported = await machine.run(['import', 'all.ndjson', '--port', String(slow.port)]);
    expect(imported.exitCode, imported.stderr).toBe(0);
    const answer = await fetch(`http://127.0.0.1:${slow.port}/api/store/value7`);
    expect((await answer.text()).length).toBe(VALUE.length);
    await slow.stop();
    await local.stop();
  },
  TIMEOUT_MS,
);
