import assert from 'node:assert/strict';
import {test} from 'vitest';
import {createMachine} from '../../cli/crewroom.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {startService} from '../../support/service.ts';

const machine = await createMachine();

test('a service in a full etcd is not ready, and status and wait say why', async () => {
  await using cluster = await EtcdCluster.start(1, [`--quota-backend-bytes=${1024 * 1024}`]);
  await using service = await startService({store: `etcd://${cluster.addresses.join()}/full`});
  const fill = (): void => {
    for (let index = 0; ; index++) cluster.control('put', `other/${index}`, 'x'.repeat(100_000));
  };
  assert.throws(fill, /database space exceeded/);
  // The space is looked at every five seconds.
  while (service.crewroom.storeState === 'read-write') await new Promise(resolve => setTimeout(resolve, 100));
  const port = ['--port', String(service.port)];
  const status = await machine.run(['status', ...port]);
  assert.match(status.stdout, /read-only: etcd has no space left \(compact and defragment it/);
  const waited = await machine.run(['wait', '--timeout', '1', ...port]);
  assert.match(waited.stderr, /etcd has no space left \(compact and defragment it/);
});
