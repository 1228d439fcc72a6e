import assert from 'node:assert/strict';
import {X509Certificate} from 'node:crypto';
import {EventEmitter, once} from 'node:events';
import {readFile, rm} from 'node:fs/promises';
import {afterAll, beforeAll, describe, test} from 'vitest';
import type {Finding} from '../../../src/cli/doctor/finding.ts';
import type {AppError} from '../../../src/core/failures/app-error.ts';
import {PROCESS_TIMERS, type Timers} from '../../../src/core/time/timers.ts';
import type {Driver} from '../../../src/store/shared/engine/driver.ts';
import {type MemberFacts, readMember} from '../../../src/store/shared/etcd/member-facts.ts';
import {createMachine} from '../../cli/crewroom.ts';
import {put, read, textOf, write} from '../../contracts/shared/assertions.ts';
import {Certificates} from '../../support/certificates.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {startService} from '../../support/service.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

/** Time for which a certificate of a test is valid, in milliseconds: enough for a store to be opened and used. */
const SHORT_MS = 6000;

const machine = await createMachine();
let certificates: Certificates;
let cluster: EtcdCluster;

beforeAll(async () => {
  certificates = await Certificates.create('ca', 'other');
  for (const name of ['server', 'client']) await certificates.issue(name);
  cluster = await startMember('server');
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await certificates[Symbol.asyncDispose]();
});

describe('a member that asks clients for certificates', () => {
  test('serves a client with the right ones', async () => {
    await using store = await openStoreIn(await connect(cluster, 'client'));
    await write(store, put('a'));
    assert.equal(textOf(await read(store, 'a')), '1');
  });

  test('reports its version and its time to a client with the right ones', async () => {
    const [member = ''] = cluster.addresses;
    const tls = {
      ca: certificates.path('ca.pem'),
      cert: certificates.path('client.pem'),
      key: certificates.path('client.key'),
    };
    const {aheadMs, version} = (await readMember(member, {tls}, () => Date.now() + 60_000)) as MemberFacts;
    assert.ok(aheadMs > 50_000 && aheadMs <= 60_000, `${aheadMs} ms`);
    assert.match(version, /^3\.\d+\.\d+/);
    assert.equal(await readMember(member, {tls: {ca: tls.ca}}), 'silent');
    const replaced = {...tls, key: certificates.path('server.key')};
    assert.equal(await readMember(member, {tls: replaced}), 'silent', 'while only one file is replaced');
  });

  test('keeps a service from starting whose key is of another certificate, and names the problem', async () => {
    const files = Object.entries({ca: 'ca.pem', cert: 'client.pem', key: 'server.key'}).map(
      ([name, file]) => `${name}=${certificates.path(file)}`,
    );
    await assert.rejects(
      startService({store: `etcd://${cluster.addresses[0]}/tls?${files.join('&')}`}),
      ({failure}: AppError) => {
        assert.equal(failure?.code, 'unavailable');
        assert.match(failure && 'problem' in failure ? String(failure.problem) : '', /certificates cannot be used/);
        return true;
      },
    );
  });

  for (const {name, tls, problem} of [
    {name: 'no certificate', tls: {ca: 'ca.pem'}, problem: /certificate/},
    {name: 'another authority', tls: {ca: 'other.pem', cert: 'client.pem', key: 'client.key'}, problem: /certificate/},
    {name: 'a file that is missing', tls: {ca: 'none.pem'}, problem: /none\.pem cannot be read/},
    {
      name: 'a key of another certificate',
      tls: {ca: 'ca.pem', cert: 'client.pem', key: 'server.key'},
      problem: /certificates cannot be used/,
    },
  ]) {
    test(`names the problem of a client with ${name}`, async () => {
      const paths = Object.entries(tls).map(([member, path]) => [member, certificates.path(path)]);
      await assert.rejects(cluster.connectTo('tls', {tls: Object.fromEntries(paths)}), problem);
    });
  }
});

describe('crewroom doctor', () => {
  test('warns of a certificate that ends soon', async () => {
    const query = `ca=${certificates.path('ca.pem')}&cert=${certificates.path('client.pem')}&key=${certificates.path('client.key')}`;
    const store = `etcd://${cluster.addresses[0]}/tls?${query}`;
    const {stdout} = await machine.run(['doctor', '--json', '--ephemeral', '--store', store]);
    const {findings} = JSON.parse(stdout) as {readonly findings: readonly Finding[]};
    const found = findings.find(({detail}) => detail.includes('client.pem'));
    assert.match(found?.detail ?? '', /^the certificate .*client\.pem ends at \d{4}-/);
    assert.equal(found?.level, 'warning');
    assert.match(found?.fix ?? '', /no restart is needed$/);
  });
});

describe('a certificate that expires while the store is open', () => {
  for (const {name, problem} of [
    {name: 'client', problem: /short-client\.pem has expired/},
    {name: 'server', problem: /certificate has expired/},
  ] as const) {
    test(`of the ${name}, is named once the connection is lost, and replaced without a restart`, async () => {
      const short = `short-${name}`;
      await certificates.issue(short, Date.now() + SHORT_MS);
      await using member = await startMember(name === 'server' ? short : 'server');
      await using store = await openStoreIn(await connect(member, name === 'client' ? short : 'client'));
      await write(store, put('a'));
      await untilExpired(short);
      assert.equal(textOf(await read(store, 'a')), '1', 'a connection outlives its certificate');
      await member.restart(0);
      assert.match(
        await until(
          () => problemOf(store),
          text => problem.test(text),
        ),
        problem,
      );
      await certificates.issue(short);
      assert.equal(
        await until(
          () => problemOf(store),
          text => text === '',
        ),
        '',
      );
      await write(store, put('b'));
    });
  }
});

describe('a certificate that is being replaced', () => {
  test('is missing for a moment, and the member is asked for its space again', async () => {
    await certificates.issue('replaced');
    const pauses = new EventEmitter();
    const timers: Timers = {
      after: (delayMs, run) => {
        pauses.emit('pause', run);
        return PROCESS_TIMERS.after(delayMs, run);
      },
    };
    const paused = once(pauses, 'pause');
    await using store = await openStoreIn(await connect(cluster, 'replaced', timers));
    const [askAgain] = await paused;
    await rm(certificates.path('replaced.pem'));
    const pausedAgain = once(pauses, 'pause');
    askAgain();
    await pausedAgain;
    await certificates.issue('replaced');
    await write(store, put('replaced'));
  });
});

/** Starts a member that shows a certificate, and asks clients for theirs. */
function startMember(name: string): Promise<EtcdCluster> {
  const server = [`--cert-file=${certificates.path(`${name}.pem`)}`, `--key-file=${certificates.path(`${name}.key`)}`];
  return EtcdCluster.start(1, [...server, '--client-cert-auth', `--trusted-ca-file=${certificates.path('ca.pem')}`]);
}

/** Connects with a certificate, once the member has started. */
async function connect(member: EtcdCluster, name: string, timers = PROCESS_TIMERS): Promise<Driver> {
  const [ca, cert, key] = ['ca.pem', `${name}.pem`, `${name}.key`].map(file => certificates.path(file));
  for (let attempt = 1; ; attempt++) {
    try {
      return await member.connectTo('tls', {tls: {ca, cert, key}, timers});
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }
}

async function untilExpired(name: string): Promise<void> {
  const {validTo} = new X509Certificate(await readFile(certificates.path(`${name}.pem`)));
  await new Promise(resolve => setTimeout(resolve, new Date(validTo).getTime() - Date.now() + 1000));
}

/** Reads an entry. @returns The problem, if the store cannot be reached. */
async function problemOf(store: Awaited<ReturnType<typeof openStoreIn>>): Promise<string> {
  try {
    await read(store, 'a');
    return '';
  } catch (error) {
    const {failure} = error as AppError;
    if (failure?.code !== 'unavailable') throw error;
    return failure.problem ?? '';
  }
}

/** Repeats a call until its result is as wanted, or many seconds are over. @returns The last result. */
async function until<T>(call: () => Promise<T>, isWanted: (result: T) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const result = await call();
    if (isWanted(result) || attempt === 40) return result;
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}
