import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Finding} from '../../../src/cli/doctor/finding.ts';
import {createMachine} from '../../cli/crewroom.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {startService} from '../../support/service.ts';

const machine = await createMachine();

/** Returns what `crewroom doctor --deep` finds about entries. */
async function examine(...place: readonly string[]): Promise<readonly Pick<Finding, 'level' | 'detail'>[]> {
  const {stdout} = await machine.run(['doctor', '--deep', '--json', ...place]);
  const {findings} = JSON.parse(stdout) as {readonly findings: readonly Finding[]};
  return findings.filter(({check}) => check === 'Entries').map(({level, detail}) => ({level, detail}));
}

describe('damaged entries in etcd', () => {
  test('are named by doctor --deep through the service, and do not stop a reset', async () => {
    await using cluster = await EtcdCluster.start(1);
    const store = `etcd://${cluster.addresses.join()}/damaged`;
    await using service = await startService({store});
    for (const key of ['a', 'b', 'c', 'd', 'e']) await service.crewroom.entries.put(key, 1);
    const place = ['--port', String(service.port), '--store', store];
    assert.deepEqual(await examine(...place), [{level: 'ok', detail: 'all 5 match their checksums'}]);
    for (const key of ['b', 'd']) cluster.control('put', `damaged/e/${key}`, 'something else');
    const damaged = ['b', 'd'].map(key => ({level: 'problem', detail: `"${key}" does not match its checksum`}));
    assert.deepEqual(await examine(...place), damaged);
    const port = place.slice(0, 2);
    const tried = await machine.run(['reset', '--dry-run', '--json', ...port]);
    assert.deepEqual([tried.exitCode, JSON.parse(tried.stdout)], [0, {dryRun: true, damaged: 'b'}], tried.stderr);
    const {exitCode, stdout, stderr} = await machine.run(['reset', '--yes', '--no-snapshot', '--json', ...port]);
    assert.equal(exitCode, 0, stderr);
    assert.equal((JSON.parse(stdout) as {readonly deleted: number}).deleted, 5);
    assert.deepEqual(await examine(...place), [{level: 'ok', detail: 'there are none'}]);
  });

  test('get an earlier value back by restore', async () => {
    await using cluster = await EtcdCluster.start(1);
    await using service = await startService({store: `etcd://${cluster.addresses.join()}/damaged`});
    const {entries} = service.crewroom;
    const {revision} = await entries.put('a', 1);
    await entries.put('a', 2);
    cluster.control('put', 'damaged/e/a', 'something else');
    const {exitCode, stderr} = await machine.run([
      'restore',
      'a',
      '--at',
      String(revision),
      '--port',
      String(service.port),
    ]);
    assert.equal(exitCode, 0, stderr);
    assert.equal((await entries.get('a'))?.value, 1);
  });

  test('are not looked for in a service that has another store', async () => {
    await using cluster = await EtcdCluster.start(1);
    const storeAt = (prefix: string): string => `etcd://${cluster.addresses.join()}/${prefix}`;
    await using _ = await startService({store: storeAt('damaged')});
    for (const other of [{store: storeAt('other')}, {}]) {
      await using service = await startService(other);
      const [found] = await examine('--port', String(service.port), '--store', storeAt('damaged'));
      assert.equal(found?.level, 'warning');
      assert.match(found?.detail ?? '', /cannot be verified without a service that has them/);
    }
  });

  test('are not said to be absent if no service runs that can read them', async () => {
    await using cluster = await EtcdCluster.start(1);
    const store = `etcd://${cluster.addresses.join()}/damaged`;
    const port = await (async () => {
      await using service = await startService({store});
      await service.crewroom.entries.put('a', 1);
      return String(service.port);
    })();
    const [found] = await examine('--port', port, '--store', store);
    assert.equal(found?.level, 'warning');
    assert.match(found?.detail ?? '', /cannot be verified without a service/);
  });
});
