import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {type AddressInfo, connect, createServer as createTcpServer, type Socket} from 'node:net';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {checkSharedStore} from '../../../src/cli/doctor/check-shared-store.ts';
import type {Finding} from '../../../src/cli/doctor/finding.ts';
import type {AppError} from '../../../src/core/failures/app-error.ts';
import {type EtcdLocation, locateStore} from '../../../src/platform/config/store-location.ts';
import {createMachine} from '../../cli/crewroom.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {exportText} from '../../support/exports.ts';
import {findFreePort} from '../../support/free-port.ts';
import {startService, type TestService} from '../../support/service.ts';

/** The built command line. */
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

const QUOTA_BYTES = 64 * 1024 * 1024;

const machine = await createMachine();
let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await EtcdCluster.start(3, [`--quota-backend-bytes=${QUOTA_BYTES}`]);
});
afterAll(() => cluster[Symbol.asyncDispose]());

function addressOf(prefix: string, parameters = ''): string {
  return `etcd://${cluster.addresses.join()}/${prefix}${parameters}`;
}

/** Returns the findings of `crewroom doctor` about a store. */
async function examine(store: string): Promise<{readonly exitCode: number | null; readonly found: readonly Finding[]}> {
  const port = String(await findFreePort());
  const {exitCode, stdout} = await machine.run(['doctor', '--json', '--ephemeral', '--port', port, '--store', store]);
  const {findings} = JSON.parse(stdout) as {readonly findings: readonly Finding[]};
  return {exitCode, found: findings.filter(({check}) => check === 'Store')};
}

describe('a service with --store etcd://…', () => {
  test('shares entries and events with another one, and finds them again', async () => {
    const store = addressOf('shared');
    await using first = await startService({store});
    {
      await using second = await startService({store});
      assert.equal(second.crewroom.storeId, first.crewroom.storeId);
      await first.crewroom.entries.put('a', Buffer.from('1.0'));
      assert.equal(await readText(second, 'a'), '1.0');
      for await (const event of second.crewroom.events({after: 0})) {
        assert.equal('key' in event && event.key, 'a');
        break;
      }
    }
    await using again = await startService({store});
    assert.equal(await readText(again, 'a'), '1.0');
  });

  test('accepts a revision that another one has just written as the start of events', async () => {
    const store = addressOf('after');
    await using first = await startService({store});
    await using second = await startService({store});
    for (let round = 0; round < 30; round++) {
      const {revision} = await first.crewroom.entries.put('a', Buffer.from(String(round)));

      const next = await fetch(`${second.url}/api/events?after=${revision}`);
      assert.equal(next.status, 200);
      await next.body?.cancel();
    }
    const beyond = await fetch(`${second.url}/api/events?after=999999`);
    assert.equal(beyond.status, 400, await beyond.text());
  });

  test('runs as it is built, with gRPC in a bundle', async () => {
    const store = addressOf('built');
    const script = `fetch(process.env.CREWROOM_URL + '/api/store/a', {method: 'PUT', body: '1.0'}).then(each => console.log(each.status))`;
    const run = [MAIN, 'run', '--store', store, '--', process.execPath, '-e', script];
    const {stdout} = await promisify(execFile)(process.execPath, run);
    assert.equal(stdout.trim(), '201');
    await using service = await startService({store});
    assert.equal(await readText(service, 'a'), '1.0');
  });

  test('does not start with a clock that is far ahead of that of etcd; one that is behind does no harm', async () => {
    const store = addressOf('ahead');
    const ahead = startService({store}, {nowMs: () => Date.now() + 8000});
    await assert.rejects(ahead, ({failure}: AppError) => {
      assert.equal(failure?.code, 'unavailable');
      assert.match(
        failure && 'problem' in failure ? String(failure.problem) : '',
        /^the clock of this machine is [567] s ahead of etcd, /,
      );
      return true;
    });
    assert.equal(cluster.control('get', '--prefix', 'ahead/'), '', 'nothing was written');
    for (const aheadMs of [3000, -60_000]) {
      await using service = await startService({store}, {nowMs: () => Date.now() + aheadMs});
      await service.crewroom.entries.put('a', 1);
    }
  });

  test('keeps values that are much larger than a request', async () => {
    const store = addressOf('large');
    const text = `"${'x'.repeat(9 * 1024 * 1024 - 2)}"`;
    await using service = await startService({store, valueBytesMax: 32 * 1024 * 1024});
    const {entries} = service.crewroom;
    await entries.put('a', Buffer.from(text));
    await entries.patch('b', Buffer.from(`{"a":${text}}`));
    await using other = await startService({store, valueBytesMax: 32 * 1024 * 1024});
    assert.equal((await readText(other, 'a')).length, text.length);
    await other.crewroom.entries.delete('a');
    await other.crewroom.entries.delete('b');
  });

  test('gets all entries of a data directory by an export and an import, and gives them back', async () => {
    await using local = await startService();
    await using shared = await startService({store: addressOf('copied')});
    await using back = await startService();
    const {entries} = local.crewroom;
    for (let index = 0; index < 300; index++) await entries.put(`key ${index}`, Buffer.from(`{"number":${index}.0}`));
    await entries.put('é/€', 'é');
    await entries.put('large', Buffer.from(`"${'x'.repeat(1024 * 1024 - 2)}"`));
    await entries.put('expiring', Buffer.from('1e400'), {ttlSeconds: 3600});
    for (const [from, to] of [
      [local, shared],
      [shared, back],
    ] as const) {
      const {stdout: input} = await machine.run(['export', '--port', String(from.port)]);
      const {exitCode, stderr} = await machine.run(['import', '-', '--port', String(to.port)], {input});
      assert.deepEqual({exitCode, stderr}, {exitCode: 0, stderr: ''});
    }
    const expected = withoutRevisions(await exportText(local.crewroom.transfer));
    assert.equal(expected.length, 303);
    assert.deepEqual(withoutRevisions(await exportText(shared.crewroom.transfer)), expected);
    assert.deepEqual(withoutRevisions(await exportText(back.crewroom.transfer)), expected);
  });
});

describe('crewroom doctor --store etcd://…', () => {
  test('finds no problem of three members, and names the store', async () => {
    const store = addressOf('examined');
    await using service = await startService({store});
    await service.crewroom.entries.put('a', 1);
    const {found} = await examine(store);
    assert.equal(found.length, 5);
    for (const [index, member] of cluster.addresses.entries())
      assert.match(found[index]?.detail ?? '', new RegExp(`^${member} has etcd \\S+ and answers in [\\d.]+ ms$`));
    assert.deepEqual(
      found.filter(({level}) => level === 'problem'),
      [],
    );
    assert.match(found[3]?.detail ?? '', /^3 members, of which 1 may stop; a majority answers in [\d.]+ ms$/);
    assert.equal(found[3]?.level, 'ok');
    assert.equal(found[4]?.detail, `id ${service.crewroom.storeId}, revision 1`);
  });

  test('changes nothing: a prefix that no service has used has no store afterwards', async () => {
    const {found} = await examine(addressOf('unused'));
    assert.equal(found.length, 4);
    assert.equal(cluster.control('get', '--prefix', 'unused/'), '');
  });

  test('finds that no member answers, and that another program does', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    const [closed, foreign] = [await findFreePort(), (server.address() as {readonly port: number}).port];
    try {
      for (const port of [closed, foreign]) {
        const {exitCode, found} = await examine(`etcd://127.0.0.1:${port}/x`);
        assert.equal(exitCode, 6);
        assert.equal(found[0]?.level, 'problem');
        assert.ok(found[0]?.detail.includes(`127.0.0.1:${port}`), found[0]?.detail);
        assert.match(found[0]?.fix ?? '', /^Check the addresses/);
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('warns of a quota that is used up soon', async () => {
    await using full = await EtcdCluster.start(1, ['--quota-backend-bytes=30000']);
    const {exitCode, found} = await examine(`etcd://${full.addresses[0]}/quota`);
    assert.equal(exitCode, 0);
    assert.match(found[0]?.detail ?? '', /uses \d+ of 30000 bytes$/);
    assert.match(found[0]?.fix ?? '', /defrag/);
  });

  test('warns of a member that serves no HTTP to its clients', async () => {
    const [address = ''] = cluster.addresses;
    await using front = await startGrpcOnly(address);
    const {exitCode, found} = await examine(`etcd://127.0.0.1:${front.port}/grpc`);
    assert.equal(exitCode, 0);
    assert.equal(found[0]?.level, 'warning');
    assert.match(found[0]?.detail ?? '', /^127\.0\.0\.1:\d+ does not report its version and its space over HTTP/);
    assert.match(found[0]?.fix ?? '', /^Serve HTTP at the address for clients/);
  });

  test('finds that a member has no leader', async () => {
    await using lonely = await EtcdCluster.start(3);
    for (const member of [1, 2]) lonely.signal(member, 'SIGKILL');
    const health = `http://${lonely.addresses[0]}/health`;
    await expect.poll(async () => (await fetch(health)).text(), {timeout: 20_000}).toMatch(/"health":"false"/);
    const {exitCode, found} = await examine(`etcd://${lonely.addresses[0]}/lonely`);
    assert.equal(exitCode, 6);
    assert.match(found[0]?.detail ?? '', /^127\.0\.0\.1:\d+ reports: /);
    assert.match(found[0]?.fix ?? '', /^Look at its log/);
  });

  test('warns of members that are not named', async () => {
    const {exitCode, found} = await examine(`etcd://${cluster.addresses[0]}/unnamed`);
    assert.equal(exitCode, 0);
    const [, unnamed] = found;
    assert.match(unnamed?.detail ?? '', /^3 members, .*; --store names 1$/);
    assert.equal(unnamed?.level, 'warning');
    assert.match(unnamed?.fix ?? '', /^Name all members/);
  });

  test('warns of a single member, and asks for no settings of its own', async () => {
    await using small = await EtcdCluster.start(1);
    const {found} = await examine(`etcd://${small.addresses[0]}/small`);
    const single = found.find(({detail}) => detail.startsWith('one member'));
    assert.match(single?.fix ?? '', /^Run three or five members/);
    assert.ok(!found.some(({fix = ''}) => fix.includes('--max-request-bytes')));
  });

  test('warns of a clock that is behind that of the store', async () => {
    const store = addressOf('clock');
    await (await startService({store}))[Symbol.asyncDispose]();
    const head = cluster.control('get', 'clock/h', '--print-value-only').trim();
    cluster.control('put', 'clock/h', head.replace(/"clockMs":\d+/, `"clockMs":${Date.now() + 60_000}`));
    const {found} = await examine(store);
    const {level, detail = '', fix = ''} = found.at(-1) ?? {};
    assert.equal(level, 'warning');
    assert.match(detail, /^its clock is (59|60) s ahead of this machine$/);
    assert.match(fix, /^Synchronise the clocks/);
  });

  test('compares the clock of this machine with those of the members', async () => {
    const location = locateStore(addressOf('clocks')) as EtcdLocation;
    for (const [aheadMs, level, detail] of [
      [60_000, 'problem', /^the clock of this machine is 5[6789] s ahead of etcd, /],
      [-60_000, 'warning', /^the clock of this machine is (5[789]|60) s behind etcd: /],
    ] as const) {
      const found = await checkSharedStore(location, {nowMs: () => Date.now() + aheadMs});
      const about = found.filter(each => each.detail.startsWith('the clock'));
      assert.equal(about.length, 1);
      assert.equal(about[0]?.level, level);
      assert.match(about[0]?.detail ?? '', detail);
    }
  });

  test('finds that a user has no access', async () => {
    await using secured = await EtcdCluster.start(1);
    for (const args of [
      ['user', 'add', 'root:root'],
      ['user', 'grant-role', 'root', 'root'],
      ['user', 'add', 'other:secret'],
      ['auth', 'enable'],
    ])
      secured.control(...args);
    const [right, wrong] = [await secured.writeFile('right', 'secret\n'), await secured.writeFile('wrong', 'no\n')];
    for (const [file, problem] of [
      [right, /permission denied/],
      [wrong, /invalid user ID or password/],
    ] as const) {
      const parameters = `?user=other&password-file=${file}`;
      const {exitCode, found} = await examine(`etcd://${secured.addresses[0]}/x${parameters}`);
      assert.equal(exitCode, 6);
      const details = found.filter(({level}) => level === 'problem').map(({detail}) => detail);
      assert.match(details.join('\n'), problem);
    }
  });
});

async function readText({crewroom}: TestService, key: string): Promise<string> {
  return Buffer.from((await crewroom.entries.get(key))?.json ?? []).toString();
}

/** Begins every connection of gRPC, which has HTTP/2 only (RFC 9113 section 3.4). */
const HTTP2_BEGINNING = 'PRI * HTTP/2.0';

/** Starts a server that passes gRPC on to a member, and serves nothing else. */
async function startGrpcOnly(member: string): Promise<AsyncDisposable & {readonly port: number}> {
  const {hostname, port} = new URL(`http://${member}`);
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', chunk => {
      if (!chunk.toString('latin1').startsWith(HTTP2_BEGINNING)) {
        socket.destroy();
        return;
      }
      const passed = connect(Number(port), hostname).on('error', () => socket.destroy());
      sockets.add(passed);
      passed.write(chunk);
      socket.pipe(passed).pipe(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Lines of the entries of an export, without revisions and times of writing, which begin again in another store. */
function withoutRevisions(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(1, -2)
    .map(line => line.replace(/"revision":"\d+",/, '').replace(/"updatedAt":"[^"]*",?/, ''));
}
