import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import type {Driver} from '../../../src/store/shared/engine/driver.ts';
import {put, read, textOf, write} from '../../../src/testing/shared/assertions.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

let directory: string;
let cluster: EtcdCluster;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  for (const name of ['ca', 'other']) createAuthority(name);
  await writeFile(file('extensions'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n');
  for (const name of ['server', 'client']) createCertificate(name);
  const server = [`--cert-file=${file('server.pem')}`, `--key-file=${file('server.key')}`];
  cluster = await EtcdCluster.start(1, [...server, '--client-cert-auth', `--trusted-ca-file=${file('ca.pem')}`]);
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(directory, {recursive: true});
});

describe('a member that asks clients for certificates', () => {
  test('serves a client with the right ones', async () => {
    const tls = {ca: file('ca.pem'), cert: file('client.pem'), key: file('client.key')};
    await using store = await openStoreIn(await retry(() => cluster.connectTo('tls', {tls})));
    await write(store, put('a'));
    assert.equal(textOf(await read(store, 'a')), '1');
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
      const paths = Object.fromEntries(Object.entries(tls).map(([member, path]) => [member, file(path)]));
      await assert.rejects(cluster.connectTo('tls', {tls: paths}), problem);
    });
  }
});

function file(name: string): string {
  return join(directory, name);
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, {stdio: 'ignore'});
}

function createAuthority(name: string): void {
  const paths = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...paths, '-days', '2', '-subj', `/CN=${name}`);
}

function createCertificate(name: string): void {
  const request = ['-keyout', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', `/CN=${name}`];
  openssl('req', '-newkey', 'rsa:2048', '-nodes', ...request);
  const authority = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
  const paths = ['-in', file(`${name}.csr`), '-out', file(`${name}.pem`), '-extfile', file('extensions')];
  openssl('x509', '-req', ...authority, ...paths, '-days', '2');
}

/** Calls until the member has started. */
async function retry(call: () => Promise<Driver>): Promise<Driver> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }
}
