import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer as createHttpServer} from 'node:http';
import {type AddressInfo, createServer, type Server} from 'node:net';
import {userInfo} from 'node:os';
import {basename} from 'node:path';
import {afterEach, describe, test} from 'vitest';
import {describePortHolder, findPortHolder} from './port-holder.ts';

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

/** Closes each connection at once, so that the search does not wait for an answer. */
function silentServer(): Server {
  return createServer(socket => socket.destroy());
}

describe.runIf(process.platform === 'linux')('findPortHolder()', () => {
  const cases = [
    {name: 'exactly the address', host: '127.0.0.1', address: '127.0.0.1'},
    {name: 'exactly the IPv6 address', host: '::1', address: '::1', ipv6Only: true},
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
      // It is this user.
      assert.equal(holder?.user, undefined);
    });
  }

  test('finds no process if only the other address is in use, and none on a free port', async () => {
    const port = await listen(silentServer(), '127.0.0.1');
    assert.equal(await findPortHolder({address: '::1', port}), undefined);
    servers.pop()?.close();
    assert.equal(await findPortHolder({address: '127.0.0.1', port}), undefined);
  });

  test('never shows the arguments and the title of a process: they may be secrets', async () => {
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
  for (const platform of ['darwin', 'win32'] as const) {
    test(`knows a Crewroom and its user by its answer, and no other program, on ${platform}`, async () => {
      const users = [
        {user: 'ada', found: 'ada'},
        {user: 'Grace Hopper', found: 'Grace Hopper'},
        {user: userInfo().username, found: undefined},
        {user: '\u001b[2J', found: undefined},
        {user: 'a'.repeat(257), found: undefined},
        {user: 7, found: undefined},
        {user: undefined, found: undefined},
      ];
      for (const {user, found} of users) {
        const server = createHttpServer((_request, response) => {
          response.end(JSON.stringify({name: 'crewroom', version: '1.2.3', user}));
        });
        const port = await listen(server, '127.0.0.1');
        const holder = await findPortHolder({address: '127.0.0.1', port}, platform);
        assert.deepEqual(holder, {crewroomVersion: '1.2.3', user: found});
        server.closeAllConnections();
      }
      const other = await listen(silentServer(), '127.0.0.1');
      assert.equal(await findPortHolder({address: '127.0.0.1', port: other}, platform), undefined);
    });
  }
});

describe('the answer of the process', () => {
  const answers = [
    {name: 'a Crewroom', body: '{"name": "crewroom", "version": "1.2.3"}', version: '1.2.3'},
    {name: 'another program', body: '{"name": "other", "version": "1.2.3"}', version: undefined},
    {name: 'no JSON', body: '<html>', version: undefined},
    {name: 'a malformed version', body: '{"name": "crewroom", "version": "\\u001b[2J"}', version: undefined},
    {
      name: 'more bytes than a Crewroom sends',
      body: `{"name": "crewroom", "version": "1.2.3"${' '.repeat(10_000)}}`,
      version: undefined,
    },
  ];
  for (const {name, body, version} of answers) {
    test(`shows ${version === undefined ? 'no Crewroom' : 'a Crewroom'}: ${name}`, async () => {
      const server = createHttpServer((_request, response) => {
        response.end(body);
      });
      const port = await listen(server, '127.0.0.1');
      const holder = await findPortHolder({address: '127.0.0.1', port});
      assert.equal(holder?.crewroomVersion, version);
      server.closeAllConnections();
    });
  }

  test('may never come: the wait ends after a timeout', async () => {
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
    {holder: {userId: 33}, text: 'a program'},
    {holder: {userId: 33, user: 'ada (33)'}, text: 'a program of user ada (33)'},
    {holder: {userId: 33, user: '33', crewroomVersion: '1.2.3'}, text: 'Crewroom 1.2.3 of user 33'},
    {holder: {processId: 7, user: 'ada (33)', command: 'node'}, text: 'node of user ada (33) (process 7)'},
  ];
  for (const {holder, text} of cases) {
    test(`calls it ${text}`, () => {
      assert.equal(describePortHolder(holder), text);
    });
  }
});
