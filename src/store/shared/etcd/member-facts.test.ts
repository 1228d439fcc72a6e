import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setImmediate} from 'node:timers/promises';
import {test} from 'vitest';
import {SILENT_LOG} from '../../../core/domain/log.ts';
import {findProblem, MemberClock, readMembers} from './member-facts.ts';

const FACTS = {
  member: 'a',
  usedBytes: 0,
  quotaBytes: 1,
  isLeader: true,
  aheadMs: 0,
  dateMs: Number.NaN,
};

for (const [version, isAccepted] of [
  ['3.3.27', false],
  ['3.4.22', false],
  ['3.4.23', true],
  ['3.5.6', false],
  ['3.5.7', true],
  ['3.5.21', true],
  ['3.10.1', true],
  ['4.0.0-rc.1', true],
  ['', false],
] as const) {
  test(`${isAccepted ? 'accepts' : 'refuses'} etcd ${JSON.stringify(version)}`, () => {
    assert.equal(findProblem([{...FACTS, version}]) === undefined, isAccepted);
  });
}

test('waits for no other member once the leader has answered', async () => {
  const metrics = [
    'etcd_server_version{server_version="3.5.21"} 1',
    'etcd_mvcc_db_total_size_in_bytes 20480',
    'etcd_server_quota_backend_bytes 2.147483648e+09',
    'etcd_server_is_leader 1',
  ].join('\n');
  let isAborted = false;
  const silent = await serve(request => request.once('close', () => (isAborted = true)));
  const leader = await serve((_, response) => response.end(metrics));
  try {
    const members = [silent, leader].map(({address}) => address);
    const facts = await readMembers({members});
    assert.deepEqual(
      facts.map(({member}) => member),
      [leader.address],
    );
    for (let tick = 0; tick < 100; tick++) await setImmediate();
    assert.ok(!isAborted, 'the request to the other member is not over');
  } finally {
    for (const {server} of [silent, leader]) server.close().closeAllConnections();
  }
});

test('follows the clock of the machine again once no member has told the time for some minutes', () => {
  const [startMs, hourMs] = [1_000_000_000, 3_600_000];
  let elapsedMs = 0;
  const clock = new MemberClock({nowMs: () => startMs, elapsedMs: () => elapsedMs, log: SILENT_LOG});
  clock.learn([{...FACTS, version: '3.5.21', dateMs: startMs}], 0);
  const bound = (): number => clock.bound(startMs + hourMs);
  elapsedMs = 120_000;
  assert.equal(bound(), startMs + 126_000);
  clock.learn([], elapsedMs);
  elapsedMs = 300_000;
  assert.equal(bound(), startMs + hourMs);
});

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {server, address: `127.0.0.1:${(server.address() as AddressInfo).port}`};
}
