import assert from 'node:assert/strict';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {ABSENT, OPERATIONS_MAX} from '../../../src/store/shared/engine/driver.ts';
import {EtcdClient} from '../../../src/store/shared/etcd/etcd-client.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {TIMERS} from '../../support/shared-stores.ts';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await EtcdCluster.start(1);
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('the client of etcd', () => {
  test('stops watching when it is closed before the watch is open', async () => {
    let isClosed = false;
    let opened = 0;
    const driver = await cluster.connectTo('closed', {
      timers: {
        after: (delayMs, run) => {
          if (isClosed) opened++;
          return TIMERS.after(delayMs, run);
        },
      },
    });
    driver.watch('a', () => {});
    isClosed = true;
    await driver[Symbol.asyncDispose]();
    // The opening fails in a microtask.
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(opened, 0);
  });

  test('takes a call whose login got no answer for one that was not sent', async () => {
    const passwordFile = await cluster.writeFile('password', 'secret\n');
    const client = await EtcdClient.create({members: cluster.addresses, user: {name: 'a', passwordFile}});
    await cluster.pause(0);
    try {
      const call = client.call('KV/Txn', {success: []}, {lost: 'unknown'});
      await assert.rejects(call, {kind: 'unavailable'});
    } finally {
      cluster.signal(0, 'SIGCONT');
      client[Symbol.dispose]();
    }
    await cluster.ready();
  });

  test('accepts as many operations in a request as a driver has to, with the default limit of etcd', async () => {
    const driver = await cluster.connectTo('operations');
    try {
      const keys = Array.from({length: OPERATIONS_MAX}, (_, index) => `key ${index}`);
      const empty = {puts: [], removes: [], removedRanges: []};
      const puts = keys.slice(1).map(key => [key, Buffer.from(key)] as const);
      const written = await driver.compareAndWrite({
        key: 'head',
        version: ABSENT,
        value: Buffer.from('1'),
        ...empty,
        puts,
      });
      assert.equal(written.kind, 'written');
      const count = async (): Promise<number> =>
        (await driver.read(keys.map(from => ({from})))).found.filter(pairs => pairs.length > 0).length;
      assert.equal(await count(), keys.length - 1);
      const [[head] = []] = (await driver.read([{from: 'head'}])).found;
      const guard = {
        key: 'head',
        version: head?.version ?? 0,
        value: Buffer.from('2'),
        ...empty,
        removes: keys.slice(1),
      };
      assert.equal((await driver.compareAndWrite({...guard, previous: Buffer.from('other')})).kind, 'conflict');
      assert.equal((await driver.compareAndWrite({...guard, previous: Buffer.from('1')})).kind, 'written');
      assert.equal(await count(), 0);
    } finally {
      await driver[Symbol.asyncDispose]();
    }
  });

  test('reads 127 keys in one request, which the members do not write to their logs', async () => {
    const countProposals = async (): Promise<number> => {
      const metrics = await (await fetch(`http://${cluster.addresses[0]}/metrics`)).text();
      return Number(/^etcd_server_proposals_committed_total (\S+)$/m.exec(metrics)?.[1]);
    };
    const driver = await cluster.connectTo('flat');
    try {
      const keys = Array.from({length: 127}, (_, index) => ({from: `key ${index}`}));
      const puts = keys.map(({from}) => [from, Buffer.from(from)] as const);
      const guard = {key: 'head', version: ABSENT, value: Buffer.from('1'), removes: [], removedRanges: []};
      assert.equal((await driver.compareAndWrite({...guard, puts})).kind, 'written');
      const before = await countProposals();
      const times = 20;
      for (let time = 1; time <= times; time++) await driver.read(keys);
      const proposals = (await countProposals()) - before;
      // The members agree on their version soon after they start.
      assert.ok(proposals < times, `there were ${proposals} proposals`);
    } finally {
      await driver[Symbol.asyncDispose]();
    }
  });
});
