import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer as createHttpServer} from 'node:http';
import {type AddressInfo, createServer, type Server} from 'node:net';
import {basename} from 'node:path';
import {afterEach, describe, test} from 'vitest';
import {describePortHolder, findPortHolder, type PortSystem} from './port-holder.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

async function listen(server: Server, host: string, ipv6Only = false): Promise<number> {
  servers.push(server);
  server.listen({host, port: 0, ipv6Only});
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Hangs up at once, so that the question what it is ends at once too. */
function silentServer(): Server {
  return createServer(socket => socket.destroy());
}

describe.runIf(process.platform === 'linux')('findPortHolder() on this system', () => {
  const cases = [
    {name: 'the very address', host: '127.0.0.1', address: '127.0.0.1'},
    {name: 'the very IPv6 address', host: '::1', address: '::1', ipv6Only: true},
    {name: 'all IPv4 addresses', host: '0.0.0.0', address: '127.0.0.1'},
    {name: 'all addresses of both kinds', host: '::', address: '127.0.0.1'},
    {name: 'all IPv6 addresses', host: '::', address: '::1', ipv6Only: true},
  ];
  for (const {name, host, address, ipv6Only} of cases) {
    test(`finds the process that listens on ${name}`, async () => {
      const port = await listen(silentServer(), host, ipv6Only);
      const holder = await findPortHolder({address, port});
      assert.equal(holder?.processId, process.pid);
      assert.match(holder?.command ?? '', /^node/);
    });
  }

  test('finds nobody where only the other address is taken, and nobody on a free port', async () => {
    const port = await listen(silentServer(), '127.0.0.1');
    assert.equal(await findPortHolder({address: '::1', port}), undefined);
    servers.pop()?.close();
    assert.equal(await findPortHolder({address: '127.0.0.1', port}), undefined);
  });

  test('never shows the arguments of a program, nor what it calls itself: they may be secrets', async () => {
    const code = `
      process.title = 's3cret title';
      require('node:net').createServer(socket => socket.destroy()).listen(0, '127.0.0.1', function () {
        console.log(this.address().port);
      });`;
    const child = spawn(process.execPath, ['--conditions', 's3cret', '-e', code, 's3cret'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const holder = await findPortHolder({address: '127.0.0.1', port: Number(line)});
      assert.deepEqual([holder?.processId, holder?.command], [child.pid, basename(process.execPath)]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('findPortHolder() on other systems', () => {
  /** A system whose programs print what was recorded, without an answer for others. */
  function system(platform: NodeJS.Platform, output: Readonly<Record<string, string>>): PortSystem {
    return {
      platform,
      run: async command => {
        const text = output[command];
        if (text === undefined) throw new Error('ENOENT');
        return text;
      },
    };
  }

  const lsof = 'p101\ncrapportd\nf9\nn*:7173\np4711\ncnode\nf21\nn[::1]:7172\nf22\nn127.0.0.1:7172\n';
  const netstat = [
    '',
    'Aktive Verbindungen',
    '',
    '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
    '  TCP    0.0.0.0:135            0.0.0.0:0              ABHÖREN         1100',
    '  TCP    127.0.0.1:7172         127.0.0.1:50123        HERGESTELLT     9',
    '  TCP    127.0.0.1:7172         0.0.0.0:0              ABHÖREN         4711',
    '  TCP    [::1]:7172             [::]:0                 ABHÖREN         4712',
    '  UDP    127.0.0.1:7172         *:*                                    5',
  ].join('\r\n');
  const tasklist = '"node.exe","4711","Console","1","52.100 K"\r\n';

  // Nothing listens on port 1 of the machine that runs the test, so only the recorded output speaks.
  const cases = [
    {
      name: 'lsof',
      platform: 'darwin',
      output: {lsof: lsof.replaceAll('7172', '1')},
      address: '127.0.0.1',
      holder: {processId: 4711, command: 'node'},
    },
    {
      name: 'lsof for IPv6',
      platform: 'darwin',
      output: {lsof: lsof.replaceAll('7172', '1')},
      address: '::1',
      holder: {processId: 4711, command: 'node'},
    },
    {
      name: 'lsof for all addresses',
      platform: 'freebsd',
      output: {lsof: 'p9\ncnginx\nf3\nn*:1\n'},
      address: '::1',
      holder: {processId: 9, command: 'nginx'},
    },
    {
      name: 'netstat and tasklist',
      platform: 'win32',
      output: {netstat: netstat.replaceAll(':7172', ':1'), tasklist},
      address: '127.0.0.1',
      holder: {processId: 4711, command: 'node.exe'},
    },
    {
      name: 'netstat alone',
      platform: 'win32',
      output: {netstat: netstat.replaceAll(':7172', ':1')},
      address: '::1',
      holder: {processId: 4712, command: undefined},
    },
  ] as const;
  for (const {name, platform, output, address, holder} of cases) {
    test(`reads ${name}`, async () => {
      const found = await findPortHolder({address, port: 1}, system(platform, output));
      assert.deepEqual(found, {...holder, crewroomVersion: undefined});
    });
  }

  for (const platform of ['darwin', 'win32'] as const) {
    test(`finds nobody, and does not fail, without the programs of ${platform}`, async () => {
      assert.equal(await findPortHolder({address: '127.0.0.1', port: 1}, system(platform, {})), undefined);
    });
  }
});

describe('what answers', () => {
  const answers = [
    {name: 'a Crewroom', body: '{"name": "crewroom", "version": "1.2.3"}', version: '1.2.3'},
    {name: 'another program', body: '{"name": "other", "version": "1.2.3"}', version: undefined},
    {name: 'no JSON', body: '<html>', version: undefined},
    {name: 'a version that is none', body: '{"name": "crewroom", "version": "\\u001b[2J"}', version: undefined},
    {
      name: 'more than a Crewroom would',
      body: `{"name": "crewroom", "version": "1.2.3"${' '.repeat(10_000)}}`,
      version: undefined,
    },
  ];
  for (const {name, body, version} of answers) {
    test(`is taken for ${version === undefined ? 'nothing we know' : 'a Crewroom'}: ${name}`, async () => {
      const server = createHttpServer((_request, response) => {
        response.end(body);
      });
      const port = await listen(server, '127.0.0.1');
      const holder = await findPortHolder({address: '127.0.0.1', port});
      assert.equal(holder?.crewroomVersion, version);
      server.closeAllConnections();
    });
  }

  test('may be nothing at all, which ends the wait', async () => {
    const silent = createServer(() => {});
    const sockets: {destroy(): void}[] = [];
    silent.on('connection', socket => sockets.push(socket));
    const port = await listen(silent, '127.0.0.1');
    const holder = await findPortHolder({address: '127.0.0.1', port});
    assert.equal(holder?.crewroomVersion, undefined);
    for (const socket of sockets) socket.destroy();
  });
});

describe('describePortHolder()', () => {
  const cases = [
    {holder: {processId: 7, command: 'node server.js'}, text: 'node server.js (process 7)'},
    {holder: {processId: 7, command: 'node', crewroomVersion: '1.2.3'}, text: 'Crewroom 1.2.3 (process 7)'},
    {holder: {processId: 7}, text: 'process 7'},
    {holder: {crewroomVersion: '1.2.3'}, text: 'Crewroom 1.2.3'},
    {holder: {userId: 33}, text: 'a program of user 33'},
    {holder: {userId: 33, crewroomVersion: '1.2.3'}, text: 'Crewroom 1.2.3 of user 33'},
  ];
  for (const {holder, text} of cases) {
    test(`calls it ${text}`, () => {
      assert.equal(describePortHolder(holder), text);
    });
  }
});
