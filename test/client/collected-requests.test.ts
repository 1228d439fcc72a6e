import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {fetchOverHttp} from '../../src/cli/service/http-fetch.ts';
import {createClient} from '../../src/client/index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Begins an event stream, and sends nothing more. */
const server = createServer((_, response) => {
  response.writeHead(200, {'Content-Type': 'text/event-stream', 'Crewroom-API': '1'});
  response.write(': \n\n');
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const urlOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Resolves with the response to the next request. */
async function nextResponse(): Promise<ServerResponse> {
  const [, response] = await once(server, 'request');
  return response;
}

/** Collects garbage, including objects that only other garbage referenced. */
async function collectAll(): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await new Promise(resolve => setImmediate(resolve));
    collectGarbage();
  }
}

// A request follows its signal only until the request is garbage-collected.
describe('a connection that is idle for long', () => {
  test.each([
    ['fetch', fetch],
    ['that of the command line', fetchOverHttp],
  ])('ends with its signal: %s', async (_, send) => {
    const ended = new AbortController();
    const asked = nextResponse();
    let isConnected = (): void => {};
    const connected = new Promise<void>(resolve => {
      isConnected = resolve;
    });
    const {events} = createClient({baseUrl: urlOf(), fetch: send});
    const stream = events({signal: ended.signal, onConnection: isConnected})[Symbol.asyncIterator]();
    const over = stream.next();
    const closed = once(await asked, 'close');
    await connected;
    await collectAll();
    ended.abort();
    expect((await over).done).toBe(true);
    await closed;
  });

  test('ends with the signal of its request', async () => {
    const ended = new AbortController();
    const asked = nextResponse();
    const response = await fetchOverHttp(new Request(urlOf(), {signal: ended.signal}));
    const closed = once(await asked, 'close');
    await collectAll();
    ended.abort();
    await closed;
    await expect(response.text()).rejects.toThrow();
  });
});
