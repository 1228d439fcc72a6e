import assert from 'node:assert/strict';
import {type ChildProcessByStdio, spawn} from 'node:child_process';
import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';
import type {Readable} from 'node:stream';
import {afterEach, describe, test} from 'vitest';
import {type ConnectionEnds, findListenerUser, findPeerOwner, isForeignUser} from './socket-owner.ts';

const OTHER_USER = 65534;
const ownUser = process.getuid?.();

type Child = ChildProcessByStdio<null, Readable, null>;

const children: Child[] = [];
const sockets: Socket[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer(socket => sockets.push(socket));
  servers.push(server);
  server.listen({host, port});
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a program that listens, and stops listening when it is told so. */
async function startListener(userId: number | undefined): Promise<{readonly child: Child; readonly port: number}> {
  const code = `
    if (process.argv[1] !== '') process.setuid(Number(process.argv[1]));
    const server = require('node:net').createServer(() => {
      server.close();
      console.log('accepted');
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', code, String(userId ?? '')], {stdio: ['ignore', 'pipe', 'inherit']});
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {child, port: Number(line)};
}

async function connectTo(address: string, port: number): Promise<ConnectionEnds> {
  const socket = connect({host: address, port});
  sockets.push(socket);
  await once(socket, 'connect');
  return {
    own: {address: socket.localAddress ?? '', port: socket.localPort ?? 0},
    peer: {address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0},
  };
}

describe.runIf(process.platform === 'linux')('findPeerOwner()', () => {
  const places = [
    {host: '127.0.0.1', address: '127.0.0.1'},
    {host: '::1', address: '::1'},
    {host: '::', address: '127.0.0.1'},
  ];
  for (const {host, address} of places) {
    test(`names the user behind ${address} of a program that listens on ${host}`, async () => {
      const port = await listen(host);
      assert.deepEqual(await findPeerOwner(await connectTo(address, port)), {kind: 'user', userId: ownUser});
      assert.equal(await findListenerUser({address, port}), ownUser);
    });
  }

  test('reports that no program accepts the connection', async () => {
    const {child, port} = await startListener(undefined);
    child.kill('SIGSTOP');
    assert.deepEqual(await findPeerOwner(await connectTo('127.0.0.1', port)), {kind: 'not-accepted'});
  });

  test.runIf(ownUser === 0)('names who has the connection, also when another user listens there now', async () => {
    const {child, port} = await startListener(OTHER_USER);
    const accepted = once(child.stdout, 'data');
    const ends = await connectTo('127.0.0.1', port);
    await accepted;
    await listen('127.0.0.1', port);
    assert.equal(await findListenerUser({address: '127.0.0.1', port}), 0);
    assert.deepEqual(await findPeerOwner(ends), {kind: 'user', userId: OTHER_USER});
  });
});

test('other systems do not report it', async () => {
  const ends = {own: {address: '127.0.0.1', port: 1}, peer: {address: '127.0.0.1', port: 2}};
  assert.deepEqual(await findPeerOwner(ends, 'darwin'), {kind: 'unknown'});
  assert.equal(await findListenerUser(ends.peer, 'win32'), undefined);
});

describe('isForeignUser()', () => {
  const cases = [
    {name: 'another user', owner: 1001, own: 1000, foreign: true},
    {name: 'another user, to root', owner: 1001, own: 0, foreign: true},
    {name: 'the same user', owner: 1000, own: 1000, foreign: false},
    {name: 'root', owner: 0, own: 1000, foreign: false},
    {name: 'an unknown user', owner: undefined, own: 1000, foreign: false},
    {name: 'a user of a system without such numbers', owner: 1000, own: undefined, foreign: false},
  ];
  for (const {name, owner, own, foreign} of cases)
    test(`${name} is ${foreign ? '' : 'not '}foreign`, () => assert.equal(isForeignUser(owner, own), foreign));
});
