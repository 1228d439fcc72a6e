import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, mkdtempSync, openSync, rmSync, writeFileSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, onTestFinished, test} from 'vitest';
import {PeerUsers} from './peer-users.ts';
import type {ConnectionEnds} from './socket-owner.ts';

const OTHER_USER = 65534;
const ownUser = process.getuid?.();

/** A connection that was accepted, with the sockets of both of its ends. */
interface Accepted {
  readonly ends: ConnectionEnds;
  readonly server: Socket;
}

/** Accepts the next connection to a new port. */
async function listen(host: string): Promise<{readonly port: number; readonly accepted: Promise<Accepted>}> {
  const server = createServer({allowHalfOpen: true});
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const accepted = once(server, 'connection').then(([socket]: Socket[]) => {
    if (socket === undefined) throw new Error('No socket');
    onTestFinished(() => void socket.destroy());
    const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket.on('error', () => {});
    const own = {address: localAddress, port: localPort};
    return {server: socket, ends: {own, peer: {address: remoteAddress, port: remotePort}}};
  });
  return {port: (server.address() as AddressInfo).port, accepted};
}

async function connectFrom(host: string, address: string): Promise<Accepted & {readonly client: Socket}> {
  const {port, accepted} = await listen(host);
  const client = connect({host: address, port}).on('error', () => {});
  onTestFinished(() => void client.destroy());
  return {...(await accepted), client};
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-tables-'));
  onTestFinished(() => rmSync(directory, {recursive: true}));
  return directory;
}

const ENDS: ConnectionEnds = {own: {address: '127.0.0.1', port: 7172}, peer: {address: '127.0.0.1', port: 40000}};

const TITLES = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

/** Formats the line of a client of port 7172 at 127.0.0.1. */
function lineOf(port: number, userId: number, inode = 7): string {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return `   0: 0100007F:${hex} 0100007F:1C04 01 00000000:00000000 00:00000000 00000000  ${userId}        0 ${inode} 1 0 20 4 30 10 -1\n`;
}

describe.runIf(process.platform === 'linux')('the user behind a connection', () => {
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
  ] as const)
    test(`is found from ${address} to ${host}`, async () => {
      const {ends} = await connectFrom(host, address);
      assert.equal(await new PeerUsers().find(ends), ownUser);
    });

  test.runIf(ownUser === 0)('is another user than that of the service', async () => {
    const {port, accepted} = await listen('127.0.0.1');
    const code = `process.setuid(${OTHER_USER}); require('node:net').connect(${port}, '127.0.0.1')`;
    const child = spawn(process.execPath, ['-e', code]);
    onTestFinished(() => void child.kill());
    const {ends} = await accepted;
    assert.equal(await new PeerUsers().find(ends), OTHER_USER);
  });

  test('is found after the client has ended its side', async () => {
    const {ends, client, server} = await connectFrom('127.0.0.1', '127.0.0.1');
    client.end();
    server.resume();
    await once(server, 'end');
    assert.equal(await new PeerUsers().find(ends), ownUser);
  });

  for (const [name, close] of [
    ['closed', (client: Socket) => client.destroy()],
    ['reset', (client: Socket) => client.resetAndDestroy()],
  ] as const)
    test(`is unknown, and not root, once the client has ${name} the connection`, async () => {
      const {ends, client, server} = await connectFrom('127.0.0.1', '127.0.0.1');
      const ended = new Promise(resolve => server.resume().once(name === 'reset' ? 'close' : 'end', resolve));
      close(client);
      await ended;
      assert.equal(await new PeerUsers().find(ends), 'unknown');
    });

  test('is unknown if the client disconnected before its address was read', async () => {
    assert.equal(await new PeerUsers().find({own: ENDS.own, peer: {address: '', port: 0}}), 'unknown');
  });

  test('is unknown at another IPv6 address than that of loopback', async () => {
    const ends = {own: {address: '::1', port: 7172}, peer: {address: 'fd00::1', port: 40000}};
    assert.equal(await new PeerUsers().find(ends), 'unknown');
  });
});

describe.skipIf(process.platform === 'win32')('the lists of sockets', () => {
  const cases = [
    {name: 'do not exist', text: undefined, user: 'unavailable'},
    {name: 'are empty', text: '', user: 'unavailable'},
    {name: 'have titles only', text: TITLES, user: 'unavailable'},
    {name: 'have another form', text: 'x'.repeat(1_000_000), user: 'unavailable'},
    {name: 'lack the client', text: TITLES + lineOf(40001, 1001), user: 'unknown'},
    {name: 'have the client', text: TITLES + lineOf(40001, 1) + lineOf(40000, 1001), user: 1001},
    {name: 'have the client far back', text: TITLES + lineOf(1, 1).repeat(20_000) + lineOf(40000, 1001), user: 1001},
    {name: 'have the client without a process', text: TITLES + lineOf(40000, 0, 0), user: 'unknown'},
    {
      name: 'are cut in the line of the client',
      text: `${TITLES}${lineOf(1, 1)}${lineOf(40000, 1001).slice(0, 90)}`,
      user: 'unknown',
    },
  ];
  for (const {name, text, user} of cases)
    test(`that ${name} mean ${user}`, async () => {
      const table = join(makeDirectory(), 'tcp');
      if (text !== undefined) writeFileSync(table, text);
      assert.equal(await new PeerUsers([table, `${table}6`]).find(ENDS), user);
    });

  test('that cannot be read for the moment do not mean that the user is unknown', async () => {
    // Reading a directory fails, and opening it does not.
    const directory = makeDirectory();
    assert.equal(await new PeerUsers([directory, directory]).find(ENDS), 'unread');
    const table = join(directory, 'tcp');
    writeFileSync(table, TITLES + lineOf(40000, 1001));
    assert.equal(await new PeerUsers([table, directory]).find(ENDS), 1001);
  });

  test('answer every search, whatever its ends and however many have the same', async () => {
    const table = join(makeDirectory(), 'tcp');
    writeFileSync(table, TITLES + lineOf(40000, 1001) + lineOf(40001, 0, 0) + lineOf(40002, 1002));
    const end = fc.record({
      address: fc.constantFrom('', '127.0.0.1', '::1', '::ffff:127.0.0.1', 'fd00::1'),
      port: fc.constantFrom(0, 7172, 40000, 40001, 40002, 40003),
    });
    const ends = fc.array(fc.record({own: end, peer: end}), {maxLength: 40});
    const tables = fc.constantFrom<[string, string]>([table, '/none'], ['/none', table], [table, '/'], ['/', '/']);
    await fc.assert(
      fc.asyncProperty(ends, tables, async (all, lists) => {
        const users = new PeerUsers(lists);
        const found = all.map(each => users.find(each));
        // A search that is forgotten never resolves; all others do so before the last one, which no list has.
        await users.find({own: ENDS.own, peer: {address: '127.0.0.1', port: 50_000}});
        for (const user of found) assert.notEqual(await Promise.race([user, Promise.resolve('pending')]), 'pending');
      }),
      {numRuns: 200},
    );
  });

  test('are read once for all connections that arrive during a reading', async () => {
    const [first, second] = [join(makeDirectory(), 'tcp'), '/none'];
    const makePipe = () => execFileSync('mkfifo', [first]);
    makePipe();
    // Ends readings that wait for a writer, which would keep the process of a failed test alive.
    onTestFinished(() => closeSync(openSync(first, 'r+')));
    const users = new PeerUsers([first, second]);
    const find = (port: number) => users.find({own: ENDS.own, peer: {address: '127.0.0.1', port}});
    /** Serves one reading. The next has a pipe of its own: this reading may not have closed its end when its searches are answered. */
    const serve = async (lines: string): Promise<void> => {
      const table = await open(first, 'w');
      rmSync(first);
      makePipe();
      await table.writeFile(TITLES + lines);
      await table.close();
    };
    const early = find(40000);
    const later = Array.from({length: 50}, (_, index) => find(41000 + index));
    await serve(lineOf(40000, 1001) + lineOf(41000, 1));
    assert.equal(await early, 1001);
    await serve(Array.from({length: 50}, (_, index) => lineOf(41000 + index, 2000 + index)).join(''));
    assert.deepEqual(
      await Promise.all(later),
      Array.from({length: 50}, (_, index) => 2000 + index),
    );
  });
});
