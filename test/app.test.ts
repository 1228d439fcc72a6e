import {join, resolve} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openCrewroom} from '../src/app/open-crewroom.ts';
import type {IdentitySource} from '../src/core/domain/identity/identity.ts';
import {openEmptySource} from '../src/service/identity/sample-pilots.ts';
import {SNAPSHOTS_MAX} from '../src/store/tree/snapshots.ts';
import {startPhpVms5} from './support/back-ends.ts';
import {findFreePort} from './support/free-port.ts';
import {makeTemporaryDirectory} from './support/service.ts';
import {createTestKeychain, createTestLog, writeAirline} from './support/session-service.ts';
import {SIGN_IN} from './support/session-source.ts';

describe('openCrewroom()', () => {
  test('names every invalid option, and an unknown one', async () => {
    const options = {port: 99_999, allowOrigins: ['null'], allowHosts: ['*'], host: '', airline: '', profil: 'me.json'};
    await expect(openCrewroom({store: 'memory', ...options})).rejects.toMatchObject({
      failure: {
        code: 'invalid-configuration',
        problems: [
          {source: 'port', problem: 'has to be a whole number from 0 to 65535, not 99999'},
          {source: 'allowOrigins', problem: '"null" would let any page call; name exact origins'},
          {source: 'allowHosts', problem: '"*" is not a host name, without scheme and port'},
          {source: 'host', problem: 'has to be a string that is not empty, not ""'},
          {source: 'airline', problem: 'has to be a string that is not empty, not ""'},
          {source: 'profil', problem: 'is not a setting; did you mean profile?'},
        ],
      },
    });
  });

  test('refuses a call that does not say where the data is, and names both ways', async () => {
    const problem = 'is missing: name the directory of the data, or keep everything in memory with `store: "memory"`';
    // Programs in JavaScript, and options without one of the two.
    const open = openCrewroom as (options?: object) => Promise<unknown>;
    for (const options of [undefined, {}, {port: 0}, {dataDir: undefined}, {store: 'etcd://localhost:2379/a'}])
      await expect(open(options)).rejects.toMatchObject({
        failure: {code: 'invalid-configuration', problems: [{setting: 'dataDir', source: 'dataDir', problem}]},
      });
  });

  for (const name of ['ephemeral', 'fault', 'tokenFile', 'logFile', 'logLevel'])
    test(`has no option ${name}, which only commands have`, async () => {
      await expect(openCrewroom({store: 'memory', [name]: 'x'})).rejects.toMatchObject({
        failure: {problems: [{source: name, problem: expect.stringMatching(/^is not a setting/)}]},
      });
    });

  test('takes defaults for undefined options and ports', async () => {
    const options = {port: undefined, profile: undefined, openIdentity: undefined, log: undefined};
    const crewroom = await openCrewroom({store: 'memory', ...options});
    onTestFinished(() => crewroom[Symbol.asyncDispose]());
    expect(crewroom.url).toBe('http://localhost:7172');
    expect((await crewroom.sessions.status()).source).toBe('sample');
  });

  test('serves no identity for the profile null, and a file that is called none', async () => {
    const crewroom = await openCrewroom({store: 'memory', profile: null});
    onTestFinished(() => crewroom[Symbol.asyncDispose]());
    expect((await crewroom.sessions.status()).source).toBe('none');
    await expect(openCrewroom({store: 'memory', profile: 'none'})).rejects.toMatchObject({
      failure: {code: 'invalid-profile', file: resolve('none')},
    });
  });

  test('uses the identity, the log and the keychain of the program', async () => {
    const {path: directory, ...disposable} = await makeTemporaryDirectory();
    onTestFinished(() => disposable[Symbol.asyncDispose]());
    const backEnd = await startPhpVms5({nowMs: Date.now});
    onTestFinished(() => backEnd[Symbol.asyncDispose]());
    const [log, keychain, source] = [createTestLog(), createTestKeychain(), openEmptySource()];
    const airline = await writeAirline(directory, backEnd.scriptURL);
    const dataDir = join(directory, 'data');
    const ports = {openIdentity: async () => source, log, keychain};
    const crewroom = await openCrewroom({dataDir, port: 0, airline, ...ports});
    onTestFinished(() => crewroom[Symbol.asyncDispose]());
    await expect(crewroom.identity()).rejects.toMatchObject({failure: {code: 'no-identity'}});
    const {kept} = await crewroom.sessions.signIn(SIGN_IN);
    expect([kept, keychain.secrets.size]).toEqual(['keychain', 1]);
    expect(log.lines).toContainEqual(expect.stringContaining('signed in'));
  });

  for (const port of [4711, 80])
    test(`names its own address for requests, with the port ${port}`, async () => {
      const crewroom = await openCrewroom({store: 'memory', port});
      onTestFinished(() => crewroom[Symbol.asyncDispose]());
      expect(crewroom.url).toBe(`http://localhost:${port}`);
      expect((await crewroom.fetch(new Request(`${crewroom.url}/api/identity`))).status).toBe(200);
    });

  test('names the port that it got once it listens, and none before', async () => {
    const crewroom = await openCrewroom({store: 'memory', port: 0});
    onTestFinished(() => crewroom[Symbol.asyncDispose]());
    expect(() => crewroom.url).toThrow(
      expect.objectContaining({name: 'AppError', advice: expect.stringContaining('Call listen() first')}),
    );
    const {urls} = await crewroom.listen();
    expect(new URL(crewroom.url).port).toBe(new URL(urls[0] ?? '').port);
    for (const call of [crewroom.fetch, fetch])
      expect((await call(new Request(`${crewroom.url}/api/identity`))).status).toBe(200);
  });

  test('refuses the ports that fetch() refuses', async () => {
    for (const port of [6000, 6667, 10_080]) {
      await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({cause: {message: 'bad port'}});
      await expect(openCrewroom({store: 'memory', port})).rejects.toThrow('browsers and fetch() never call');
    }
    expect((await fetch('http://127.0.0.1:6001').catch(({cause}) => cause)).message).not.toBe('bad port');
  });

  test('releases port and data directory when it is disposed of, even if its identity fails to', async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const dataDir = join(directory.path, 'data');
    const broken: IdentitySource = {
      ...openEmptySource(),
      [Symbol.asyncDispose]: () => Promise.reject(new Error('broken')),
    };
    const port = await findFreePort();
    const first = await openCrewroom({dataDir, port, openIdentity: async () => broken});
    await first.listen();
    await expect(first[Symbol.asyncDispose]()).rejects.toThrow('broken');

    const second = await openCrewroom({dataDir, port});
    onTestFinished(() => second[Symbol.asyncDispose]());
    await second.listen();
  });

  test('closes while the maximum number of exports is left unread and a subscriber waits', async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const crewroom = await openCrewroom({dataDir: join(directory.path, 'data'), port: 0});
    await crewroom.entries.put('a', 1);
    const exports = await Promise.all(Array.from({length: SNAPSHOTS_MAX}, () => crewroom.transfer.export()));
    const waiting = crewroom
      .events({kinds: ['initial-ended'], initial: true})
      [Symbol.asyncIterator]()
      .next();
    await crewroom[Symbol.asyncDispose]();
    expect(await waiting).toEqual({done: true, value: undefined});
    for (const exported of exports) await exported.return();
  });

  test('does not listen once it is disposed of', async () => {
    const crewroom = await openCrewroom({store: 'memory', port: 0});
    await crewroom[Symbol.asyncDispose]();
    await expect(crewroom.listen()).rejects.toMatchObject({failure: {code: 'store-closed'}});
  });
});
