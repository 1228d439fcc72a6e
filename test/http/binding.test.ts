import {once} from 'node:events';
import {chmod, chown, mkdir, readdir, stat, writeFile} from 'node:fs/promises';
import {connect, createServer, type Server} from 'node:net';
import {join} from 'node:path';
import {afterEach, describe, expect, onTestFinished, test} from 'vitest';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import {findFreePort} from '../support/free-port.ts';
import {exchange, formatRequest} from '../support/raw-client.ts';
import {makeTemporaryDirectory, openTestService, startService} from '../support/service.ts';

describe('the service listens on this machine only (A13)', () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.10', 'example.com', '127.0.0.2']) {
    test(`refuses to start on ${JSON.stringify(host)}`, async () => {
      await expect(openTestService({host, port: 0, ephemeral: true})).rejects.toMatchObject({
        failure: {code: 'unsafe-host', host},
      });
    });
  }

  for (const access of ACCESS_MODES) {
    test(`refuses to start on all addresses in the mode ${access} too`, async () => {
      const opening = openTestService({host: '0.0.0.0', port: 0, ephemeral: true, access});
      await expect(opening).rejects.toMatchObject({failure: {code: 'unsafe-host'}});
    });
  }

  test('localhost is both loopback addresses, with one port', async () => {
    const service = await startService();
    onTestFinished(() => service[Symbol.asyncDispose]());
    const {urls} = await service.crewroom.listen();
    expect(urls).toEqual([`http://127.0.0.1:${service.port}`, `http://[::1]:${service.port}`]);
    for (const host of ['127.0.0.1', '::1']) {
      const answer = await exchange(
        {port: service.port, host},
        formatRequest('GET /livez', [`Host: localhost:${service.port}`]),
      );
      expect(answer.status, host).toBe(200);
    }
  });

  for (const [host, foreign] of [
    ['127.0.0.1', '::1'],
    ['::1', '127.0.0.1'],
  ] as const) {
    test(`${host} is that address only, and the hosts it answers to are the same`, async () => {
      const service = await startService({host});
      onTestFinished(() => service[Symbol.asyncDispose]());
      const {port} = service;
      expect(await canConnect(port, foreign)).toBe(false);
      for (const [name, status] of [
        ['localhost', 200],
        ['127.0.0.1', 200],
        ['[::1]', 200],
        ['evil.example', 421],
      ] as const) {
        const answer = await exchange({port, host}, formatRequest('GET /livez', [`Host: ${name}:${port}`]));
        expect(answer.status, name).toBe(status);
      }
    });
  }
});

describe('a port in use is a failure; no other port is used (A14)', () => {
  const holders: Server[] = [];
  afterEach(async () => {
    for (const holder of holders.splice(0)) {
      holder.close();
      await once(holder, 'close');
    }
  });

  async function hold(address: string): Promise<number> {
    const holder = createServer(socket => socket.destroy()).listen({host: address, port: 0, ipv6Only: true});
    holders.push(holder);
    await once(holder, 'listening');
    return (holder.address() as {port: number}).port;
  }

  for (const [held, other, shown] of [
    ['127.0.0.1', '::1', (port: number) => `127.0.0.1:${port}`],
    ['::1', '127.0.0.1', (port: number) => `[::1]:${port}`],
  ] as const) {
    test(`also when another program holds it on ${held} only`, async () => {
      const port = await hold(held);
      const crewroom = await openTestService({port, ephemeral: true});
      onTestFinished(() => crewroom[Symbol.asyncDispose]());
      const failure = {code: 'address-in-use', address: shown(port)};
      await expect(crewroom.listen()).rejects.toMatchObject({failure});
      expect(await canConnect(port, other)).toBe(false);
    });
  }

  for (const access of ACCESS_MODES) {
    test(`two services cannot share a port, in the mode ${access}`, async () => {
      const service = await startService({access});
      onTestFinished(() => service[Symbol.asyncDispose]());
      const second = startService({port: service.port, access});
      await expect(second).rejects.toMatchObject({failure: {code: 'address-in-use'}});
    });
  }

  test('the port is free as soon as the service is disposed of', async () => {
    const first = await startService({port: await findFreePort()});
    await fetch(`${first.url}/livez`);
    await first[Symbol.asyncDispose]();
    const second = await startService({port: first.port});
    onTestFinished(() => second[Symbol.asyncDispose]());
    expect((await fetch(`${second.url}/livez`)).status).toBe(200);
  });
});

describe('only its owner can read the data directory (A16)', () => {
  async function makeDataDir(): Promise<string> {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    return join(directory.path, 'data');
  }

  async function modesUnder(path: string): Promise<ReadonlyMap<string, string>> {
    const modes = new Map([['.', await modeOf(path)]]);
    for (const name of await readdir(path, {recursive: true})) modes.set(name, await modeOf(join(path, name)));
    return modes;
  }

  async function modeOf(path: string): Promise<string> {
    const status = await stat(path);
    return `${status.isDirectory() ? 'd' : 'f'}${(status.mode & 0o777).toString(8)}`;
  }

  async function expectPrivate(dataDir: string): Promise<void> {
    const modes = await modesUnder(dataDir);
    expect(modes.size).toBeGreaterThan(3);
    for (const [name, mode] of modes) expect(['d700', 'f600'], `${name} ${mode}`).toContain(mode);
  }

  async function run(dataDir: string, access: AccessMode = 'open'): Promise<void> {
    const crewroom = await openTestService({dataDir, port: 0, access});
    try {
      await crewroom.entries.put('k', 1);
      await crewroom.listen();
      await expectPrivate(dataDir);
    } finally {
      await crewroom[Symbol.asyncDispose]();
    }
    await expectPrivate(dataDir);
  }

  for (const access of ACCESS_MODES) {
    test(`when it is created, whatever the umask, in the mode ${access}`, async () => {
      const before = process.umask(0);
      try {
        await run(await makeDataDir(), access);
      } finally {
        process.umask(before);
      }
    });

    test(`even if all users could read it and its files before, in the mode ${access}`, async () => {
      const dataDir = await makeDataDir();
      await run(dataDir, access);
      await writeFile(join(dataDir, 'secret.json'), '{}');
      for (const [name, mode] of await modesUnder(dataDir))
        await chmod(join(dataDir, name), mode.startsWith('d') ? 0o755 : 0o644);
      await run(dataDir, access);
    });
  }

  test('even if it existed, empty and accessible to all users', async () => {
    const dataDir = await makeDataDir();
    await mkdir(dataDir);
    await chmod(dataDir, 0o777);
    await run(dataDir);
  });

  test('a directory with other files is refused and not changed', async () => {
    const dataDir = await makeDataDir();
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'script.sh'), '');
    await chmod(join(dataDir, 'script.sh'), 0o755);
    await chmod(dataDir, 0o755);
    await expect(openTestService({dataDir, port: 0})).rejects.toMatchObject({
      failure: {code: 'data-directory-unusable', problem: 'it holds other files, such as "script.sh"'},
    });
    expect([...(await modesUnder(dataDir))]).toEqual([
      ['.', 'd755'],
      ['script.sh', 'f755'],
    ]);
  });

  test('the remains of an interrupted start and the config file are accepted', async () => {
    const dataDir = await makeDataDir();
    for (const name of ['store', 'lock']) await mkdir(join(dataDir, name), {recursive: true});
    for (const name of ['config.json', 'format.json.new', '.hidden']) await writeFile(join(dataDir, name), '{}');
    await run(dataDir);
  });

  const isRoot = process.getuid?.() === 0;
  for (const part of ['', 'store', 'lock']) {
    test.skipIf(!isRoot)(
      `one of another user is refused${part === '' ? '' : `, even if only its ${part} is`}`,
      async () => {
        const dataDir = await makeDataDir();
        await mkdir(join(dataDir, part), {recursive: true});
        await chmod(join(dataDir, part), 0o755);
        await chown(join(dataDir, part), 12_345, 12_345);
        await expect(openTestService({dataDir, port: 0})).rejects.toMatchObject({
          failure: {code: 'data-directory-unusable', problem: 'it belongs to user 12345, and this process runs as 0'},
        });
        expect(await modeOf(join(dataDir, part))).toBe('d755');
      },
    );
  }
});

function canConnect(port: number, host: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({port, host});
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
