import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {SILENT_LOG} from '../../../src/core/domain/log.ts';
import {keysOf, put, range, read, textOf, write} from '../../contracts/shared/assertions.ts';
import {putFor, touch} from '../../contracts/store/expiry.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

const HOUR_MS = 3_600_000;

describe('a service whose clock jumps ahead of etcd', () => {
  test('expires nothing, on no machine, and takes no time to live until its clock is right again', async () => {
    await using cluster = await EtcdCluster.start(1);
    let aheadMs = 0;
    const nowMs = (): number => Date.now() + aheadMs;
    let heard: (message: string) => void = () => {};
    const logged = new Promise<string>(resolve => (heard = resolve));
    const log = {...SILENT_LOG, error: (message: string) => heard(message)};
    await using jumping = await openStoreIn(await cluster.connectTo('jumping', {nowMs, log}), {nowMs});
    await using steady = await openStoreIn(await cluster.connectTo('jumping'));
    await write(steady, putFor(60, 'a'), putFor(1800, 'b'), put('c'));
    aheadMs = HOUR_MS;
    assert.equal(textOf(await read(jumping, 'a')), '1');
    assert.deepEqual(keysOf(await jumping.list(range())), ['a', 'b', 'c']);
    await jumping.sweep();
    await write(jumping, put('d'));
    for (const operation of [putFor(60, 'e'), touch('c', 60)])
      await assert.rejects(write(jumping, operation), /while the clock of this machine is ahead of the engine/);
    for (const store of [steady, jumping]) assert.deepEqual(keysOf(await store.list(range())), ['a', 'b', 'c', 'd']);
    assert.match(await logged, /clock of this machine is ahead of etcd/);
    aheadMs = 0;
    await write(jumping, putFor(60, 'e'));
    assert.equal(textOf(await read(steady, 'e')), '1');
  });

  test('hears that from the others if the member in use does not answer', async () => {
    await using cluster = await EtcdCluster.start(3);
    let aheadMs = 0;
    let heard: (message: string) => void = () => {};
    const logged = new Promise<string>(resolve => (heard = resolve));
    const log = {...SILENT_LOG, error: (message: string) => heard(message)};
    await using _ = await cluster.connectTo('silent', {nowMs: () => Date.now() + aheadMs, log});
    await cluster.pause(cluster.findLeader());
    aheadMs = HOUR_MS;
    assert.match(await logged, /clock of this machine is ahead of etcd/);
  });
});
