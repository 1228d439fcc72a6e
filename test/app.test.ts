import {join, resolve} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openCrewroom} from '../src/app.ts';
import type {IdentitySource} from '../src/domain/identity/identity.ts';
import {openEmptySource} from '../src/identity/sample-source.ts';
import {SNAPSHOTS_MAX} from '../src/store/tree/snapshots.ts';
import {findFreePort} from './support/free-port.ts';
import {makeTemporaryDirectory} from './support/service.ts';

describe('openCrewroom()', () => {
  test('names every invalid option, and an unknown one', async () => {
    const options = {port: 99_999, allowOrigin: ['null'], allowHost: ['*'], host: '', profil: 'me.json'};
    await expect(openCrewroom(options)).rejects.toMatchObject({
      failure: {
        code: 'invalid-configuration',
        problems: [
          {source: 'port', problem: 'has to be a whole number from 0 to 65535, not 99999'},
          {source: 'allowOrigin', problem: '"null" would let any page call; name exact origins'},
          {source: 'allowHost', problem: '"*" is not a host name, without scheme and port'},
          {source: 'host', problem: 'has to be a string that is not empty, not ""'},
          {source: 'profil', problem: 'is not a setting; did you mean profile?'},
        ],
      },
    });
  });

  test('resolves a relative directory against the working directory, and takes defaults for undefined options', async () => {
    const options = {dataDir: 'data', port: undefined, profile: '', ephemeral: true} as object;
    const crewroom = await openCrewroom(options);
    onTestFinished(() => crewroom[Symbol.asyncDispose]());
    expect(crewroom.config).toMatchObject({dataDir: resolve('data'), port: 7172, profile: ''});
    expect(crewroom.identity.origin.kind).toBe('sample');
  });

  for (const port of [0, 4711, 80])
    test(`names its own address for requests, with the port ${port}`, async () => {
      const crewroom = await openCrewroom({ephemeral: true, port});
      onTestFinished(() => crewroom[Symbol.asyncDispose]());
      expect(crewroom.url).toBe(`http://localhost:${port}`);
      expect((await crewroom.fetch(new Request(`${crewroom.url}/api/identity`))).status).toBe(200);
      if (port !== 0) return;
      const {urls} = await crewroom.listen();
      expect(new URL(crewroom.url).port).toBe(new URL(urls[0] ?? '').port);
      for (const call of [crewroom.fetch, fetch])
        expect((await call(new Request(`${crewroom.url}/api/identity`))).status).toBe(200);
    });

  test('refuses the ports that fetch() refuses', async () => {
    for (const port of [6000, 6667, 10_080]) {
      await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({cause: {message: 'bad port'}});
      await expect(openCrewroom({ephemeral: true, port})).rejects.toThrow('browsers and fetch() never call');
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
    const first = await openCrewroom({dataDir, port}, {openIdentity: async () => broken});
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
    await crewroom.entries.put('a', '1');
    const exports = await Promise.all(Array.from({length: SNAPSHOTS_MAX}, () => crewroom.transfer.export()));
    const waiting = crewroom.events.subscribe({initial: true})[Symbol.asyncIterator]().next();
    await crewroom[Symbol.asyncDispose]();
    expect(await waiting).toEqual({done: true, value: undefined});
    for (const exported of exports) await exported.return();
  });

  test('does not listen once it is disposed of', async () => {
    const crewroom = await openCrewroom({ephemeral: true, port: 0});
    await crewroom[Symbol.asyncDispose]();
    await expect(crewroom.listen()).rejects.toMatchObject({failure: {code: 'store-closed'}});
  });
});
