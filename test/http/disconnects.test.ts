import {readdirSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {type HttpHandler, openedWebSocket, streamAnswer} from '../../src/http/core/message.ts';
import {Feed} from '../support/feed.ts';
import {formatRequest, type RawClient} from '../support/raw-client.ts';
import {startTestServer, type TestServer} from '../support/test-server.ts';

const ROUNDS = 500;
const AT_ONCE = 20;

const STREAM = formatRequest('GET /', []);
const SOCKET = formatRequest('GET /socket', [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]);

/** More than a client receives before it disconnects. */
const LARGE = 'x'.repeat(256 * 1024);

/** More than the buffers between a server and a client that does not read can hold. */
const TOO_LARGE = 'x'.repeat(16 * 1024 * 1024);

/** Ways in which a client disconnects. */
const PHASES: readonly {readonly name: string; readonly leave: (client: RawClient) => unknown}[] = [
  {name: 'before it is answered', leave: client => client.socket.resetAndDestroy()},
  {name: 'after the head', leave: client => readHead(client).then(() => client.socket.destroy())},
  {name: 'in the middle of an event', leave: client => client.readUntil('xxx').then(() => client.socket.destroy())},
  {name: 'by half-closing', leave: client => readHead(client).then(() => end(client))},
  {name: 'with a reset', leave: client => readHead(client).then(() => client.socket.resetAndDestroy())},
];

function readHead(client: RawClient): Promise<string> {
  return client.readUntil('\r\n\r\n');
}

async function end(client: RawClient): Promise<void> {
  client.socket.end();
  await client.readEnd();
  client[Symbol.dispose]();
}

/** Resources and listeners of this process. */
function countHeld(): Readonly<Record<string, number>> {
  const resources = process.getActiveResourcesInfo();
  return {
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    sockets: resources.filter(name => name === 'TCPSocketWrap').length,
    timers: resources.filter(name => name === 'Timeout').length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

/** Starts a server with streams and a WebSocket, each of which starts with an event. */
async function startFeeding(event: () => string): Promise<{server: TestServer; feeds: Set<Feed>}> {
  // These clients answer no pings, and some have to be disconnected.
  const timeouts = {pingIntervalMs: 600_000, stopTimeoutMs: 500};
  const feeds = new Set<Feed>();
  const feed = (signal: AbortSignal): Feed => {
    const made = new Feed();
    feeds.add(made);
    signal.addEventListener('abort', () => feeds.delete(made));
    made.push(event());
    return made;
  };
  const handle: HttpHandler = async ({signal, opensWebSocket}) =>
    opensWebSocket ? openedWebSocket(feed(signal)) : streamAnswer(feed(signal), {longLived: true});
  return {server: await startTestServer(handle, {limits: {connectionsMax: 100}, timeouts}), feeds};
}

describe(`${ROUNDS} subscribers that come and go leave nothing behind`, () => {
  for (const [name, request] of [
    ['of a stream', STREAM],
    ['of a WebSocket', SOCKET],
  ] as const) {
    test(name, async () => {
      const {server, feeds} = await startFeeding(() => LARGE);
      const round = async (index: number): Promise<void> => {
        const client = await server.connect();
        await client.send(request);
        await PHASES[index % PHASES.length]?.leave(client);
      };
      // The first clients load modules on demand.
      for (let index = 0; index < PHASES.length; index++) await round(index);
      await expect.poll(() => feeds.size).toBe(0);
      const before = countHeld();
      for (let index = 0; index < ROUNDS; index += AT_ONCE)
        await Promise.all(Array.from({length: AT_ONCE}, (_, each) => round(index + each)));
      await expect.poll(() => feeds.size).toBe(0);
      // Tolerance for resources of the tests themselves.
      await expect
        .poll(() => Object.entries(countHeld()).filter(([what, count]) => count > (before[what] ?? 0) + AT_ONCE))
        .toEqual([]);
      expect(server.errors).toEqual([]);
    });
  }
});

describe('a server with 1,000 subscribers', () => {
  for (const [name, request] of [
    ['of a stream', STREAM],
    ['of a WebSocket', SOCKET],
  ] as const) {
    test(`${name} stops, even if some do not read`, async () => {
      let opened = 0;
      const {server, feeds} = await startFeeding(() => (++opened % 100 === 0 ? TOO_LARGE : 'x'));
      for (let index = 1; index <= 1000; index++) {
        const client = await server.connect();
        if (index % 100 === 0) client.socket.pause();
        await client.send(request);
        if (index % 100 !== 0) await readHead(client);
        await expect.poll(() => opened).toBe(index);
        client.socket.on('end', () => client.socket.end());
      }
      expect(feeds.size).toBe(1000);
      await server[Symbol.asyncDispose]();
      expect(feeds.size).toBe(0);
      expect(server.errors).toEqual([]);
    });
  }
});
