import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, test} from 'vitest';
import type {AppError} from '../../../src/core/failures/app-error.ts';
import {readMembers} from '../../../src/store/shared/etcd/member-facts.ts';
import {put, read, textOf, write} from '../../contracts/shared/assertions.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {findFreePort} from '../../support/free-port.ts';
import {startService} from '../../support/service.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

/** A name that no resolver finds (RFC 6761). */
const NO_HOST = 'member.invalid:2379';

describe('a name of a member that is not found', () => {
  test('is no problem while another member answers', async () => {
    await using cluster = await EtcdCluster.start(3);
    const [first = '', second = ''] = cluster.addresses;
    const members = [NO_HOST, first, second];
    await using store = await openStoreIn(await cluster.connectTo('dns', {members}));
    await write(store, put('a'));
    // The calls leave the member that they use, and come to the one without an address.
    cluster.signal(0, 'SIGKILL');
    await retry(() => write(store, put('b')));
    assert.equal(textOf(await read(store, 'b')), '1');
  });

  test('is named if there is no other member', async () => {
    const failure = await failureOf({store: `etcd://${NO_HOST}/dns`});
    assert.match(failure, /^unavailable: etcd at member\.invalid:2379: Name resolution failed/);
  });
});

describe('the leader', () => {
  test('is used first, wherever it is named', async () => {
    await using cluster = await EtcdCluster.start(3);
    const {addresses} = cluster;
    const leader = addresses[cluster.findLeader()] ?? '';
    for (const at of addresses.keys()) {
      const members = [NO_HOST, ...addresses.slice(at), ...addresses.slice(0, at)];
      const facts = await readMembers({members});
      assert.deepEqual(
        facts.filter(({isLeader}) => isLeader).map(({member}) => member),
        [leader],
      );
    }
  });

  test('is not waited for if no member answers', async () => {
    const members = [NO_HOST, `127.0.0.1:${await findFreePort()}`];
    assert.deepEqual(await readMembers({members}), []);
  });
});

describe('a version of etcd that is too old', () => {
  for (const [version, oldest] of [
    ['3.3.27', '3.4.23'],
    ['3.4.22', '3.4.23'],
    ['3.5.6', '3.5.7'],
    ['unknown', '3.4.23'],
  ])
    test(`is refused with its number: ${version}`, async () => {
      const metrics = [
        `etcd_server_version{server_version="${version}"} 1`,
        'etcd_mvcc_db_total_size_in_bytes 20480',
        'etcd_server_quota_backend_bytes 2.147483648e+09',
      ].join('\n');
      const server = createServer((_, response) => response.end(metrics)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const {port} = server.address() as AddressInfo;
      try {
        const failure = await failureOf({store: `etcd://127.0.0.1:${port}/old`});
        assert.equal(
          failure,
          `unavailable: etcd ${version} is too old: at least ${oldest} is needed, and its developers support the last two minor versions`,
        );
      } finally {
        server.close();
      }
    });
});

/** Starts a service that has to fail. @returns Code and problem. */
async function failureOf(options: Parameters<typeof startService>[0]): Promise<string> {
  const {code, failure} = await startService(options).then(
    () => assert.fail('the service has started'),
    (error: AppError) => error,
  );
  return `${code}: ${failure && 'problem' in failure ? failure.problem : ''}`;
}

/** Calls until it succeeds: two members that are left need a moment to find a leader. */
async function retry(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await call();
      return;
    } catch (error) {
      if (attempt === 30) throw error;
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }
}
