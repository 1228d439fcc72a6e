import assert from 'node:assert/strict';
import {test} from 'vitest';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {startService} from '../../support/service.ts';

test('two services on a member that is restored from a backup get a new store id, and go on without a restart', async () => {
  await using cluster = await EtcdCluster.start(1);
  const store = `etcd://${cluster.addresses.join()}/restored`;
  await using first = await startService({store});
  await using second = await startService({store});
  const id = first.crewroom.storeId;
  const before = await first.crewroom.entries.put('a', 1);
  const backup = cluster.save();
  await first.crewroom.entries.put('a', 2);
  await second.crewroom.entries.put('b', 3);
  const events = second.crewroom.events({after: {storeId: id, revision: 2}})[Symbol.asyncIterator]();
  assert.equal((await events.next()).value?.kind, 'entry-written');
  await cluster.restore(backup);
  assert.equal((await events.next()).value?.kind, 'reset');
  assert.notEqual(first.crewroom.storeId, id);
  assert.equal(second.crewroom.storeId, first.crewroom.storeId);
  assert.equal(await (await fetch(`http://localhost:${first.port}/api/store/a`)).text(), '1');
  assert.equal((await fetch(`http://localhost:${second.port}/api/store/b`)).status, 404);
  const conditional = await fetch(`http://localhost:${second.port}/api/store/a`, {
    method: 'PUT',
    headers: {'If-Match': `"${id}-${before.revision}"`},
    body: '4',
  });
  assert.equal(conditional.status, 412);
  const description = (await (await fetch(`http://localhost:${first.port}/api`)).json()) as {readonly storeId: string};
  assert.equal(description.storeId, first.crewroom.storeId);
  await first.crewroom.entries.put('c', 5);
  assert.equal((await events.next()).value?.kind, 'entry-written');
});
