import {once} from 'node:events';
import {createServer as createHttpServer, type RequestListener} from 'node:http';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findFreePort} from '../../test/support/free-port.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import {type Client, createClient} from './client.ts';
import {REQUESTS_MAX} from './limiter.ts';
import type {ClientOptions} from './options.ts';

/** Starts a fake server, and creates a client of it. */
async function clientOf(server: Server, options: ClientOptions = {}): Promise<Client> {
  const sockets = new Set<Socket>();
  server.on('connection', socket => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return createClient({baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...options});
}

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error.failure;
  throw error;
}

const page: RequestListener = (_, response) => response.end('<!doctype html><title>Another program</title>');

test('a burst of writes waits for permits, and does not open a connection for each', async () => {
  let connections = 0;
  const server = createHttpServer((_, response) => response.writeHead(201, {ETag: '"a-1"'}).end('{}'));
  const {entries} = await clientOf(server.on('connection', () => connections++));
  const writes = Array.from({length: 10 * REQUESTS_MAX}, (_, n) => entries.put(`k${n}`, String(n)));
  expect(await Promise.all(writes)).toHaveLength(10 * REQUESTS_MAX);
  expect(connections).toBeLessThanOrEqual(2 * REQUESTS_MAX);
});

test('a call that waits for a permit ends with its signal', async () => {
  const controller = new AbortController();
  const {entries} = await clientOf(createServer(), {signal: controller.signal});
  const calls = Array.from({length: 200}, () => entries.get('k'));
  controller.abort(new Error('changed my mind'));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.every(({status}) => status === 'rejected')).toBe(true);
});

describe('a client of another program or version', () => {
  const answers: readonly {name: string; listener: RequestListener; problem: string}[] = [
    {name: 'a page', listener: page, problem: 'it has no ETag of this service'},
    {
      name: 'a success with an ETag of another service',
      listener: (_, response) => response.writeHead(200, {ETag: '"12"'}).end('{}'),
      problem: 'it has no ETag of this service',
    },
    {
      name: 'a failure in another form',
      listener: (_, response) => response.writeHead(500).end('{"message": "no"}'),
      problem: 'it is not a document of this service',
    },
    {
      name: 'a failure of ours without its members',
      listener: (_, response) => response.writeHead(412).end('{"code": "revision-conflict"}'),
      problem: 'it is not a document of this service',
    },
    {
      name: 'a failure without a body',
      listener: (_, response) => response.writeHead(502).end(),
      problem: 'it is not JSON',
    },
  ];
  for (const {name, listener, problem} of answers) {
    test(`reports an answer that is ${name}`, async () => {
      const {entries} = await clientOf(createHttpServer(listener));
      expect(await failureOf(entries.get('k'))).toMatchObject({code: 'unexpected-answer', problem});
      expect(await failureOf(entries.put('k', '1'))).toMatchObject({code: 'unexpected-answer', problem});
    });
  }

  test('does not accept every 200 as a deletion', async () => {
    const {entries} = await clientOf(createHttpServer(page));
    expect(await failureOf(entries.delete('k'))).toMatchObject({code: 'unexpected-answer', problem: 'it is not JSON'});
  });

  test('stops reading an endless answer, and reports it', async () => {
    // The same chunk again and again: only the data kept by the client could grow.
    const chunk = new Uint8Array(16 * 1024 * 1024);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const client = createClient({fetch: async () => new Response(endless)});
    expect(await failureOf(client.entries.get('k'))).toMatchObject({
      code: 'unexpected-answer',
      problem: 'it is larger than 335544320 bytes',
    });
    expect(sent).toBeLessThan(400 * 1024 * 1024);
  });

  test('does not parse a document that is larger than any of the service', async () => {
    const client = createClient({fetch: async () => new Response(`[${'[],'.repeat(12_000_000)}[]]`)});
    expect(await failureOf(client.identity())).toMatchObject({
      code: 'unexpected-answer',
      problem: 'it is larger than 33554432 bytes',
    });
  });

  test('reports an identity that is a page', async () => {
    const client = await clientOf(createHttpServer(page));
    expect(await failureOf(client.identity())).toMatchObject({code: 'unexpected-answer', problem: 'it is not JSON'});
  });

  test('does not follow a redirect with its request', async () => {
    let requests = 0;
    const {entries} = await clientOf(
      createHttpServer((request, response) => {
        requests++;
        response.writeHead(307, {Location: `${request.url}-elsewhere`}).end();
      }),
    );
    expect(await failureOf(entries.put('k', '"secret"'))).toMatchObject({code: 'service-unreachable'});
    expect(requests).toBe(1);
  });
});

describe('a client of a failing service', () => {
  test('reports that nothing listens', async () => {
    const port = await findFreePort();
    const {entries} = createClient({baseUrl: `http://127.0.0.1:${port}`});
    expect(await failureOf(entries.get('k'))).toEqual({
      code: 'service-unreachable',
      url: `http://127.0.0.1:${port}`,
      problem: 'nothing listens there',
    });
  });

  test('fails if the connection is closed at once', async () => {
    const {entries} = await clientOf(
      createServer(socket => socket.destroy()),
      {timeoutMs: 2000},
    );
    // Some versions of fetch() never notice; then the timeout expires.
    expect(['service-unreachable', 'service-timeout']).toContain((await failureOf(entries.get('k'))).code);
  });

  test('fails if the answer is truncated', async () => {
    const half = createServer(socket => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 100\r\n\r\n{"half":'));
    });
    const {entries} = await clientOf(half);
    expect(await failureOf(entries.get('k'))).toMatchObject({code: 'service-unreachable'});
  });

  test('waits for an answer until its timeout, also for the rest of one', async () => {
    const silent = await clientOf(createServer(), {timeoutMs: 50});
    expect(await failureOf(silent.entries.get('k'))).toMatchObject({code: 'service-timeout', timeoutMs: 50});
    const slow = createHttpServer((_, response) => response.writeHead(200, {ETag: '"a-1"'}).write('{'));
    const stalled = await clientOf(slow, {timeoutMs: 50});
    expect(await failureOf(stalled.entries.get('k'))).toMatchObject({code: 'service-timeout'});
  });

  test('ends a call with the reason of its signal', async () => {
    const controller = new AbortController();
    const {entries} = await clientOf(
      createServer(() => controller.abort(new Error('changed my mind'))),
      {
        signal: controller.signal,
      },
    );
    await expect(entries.get('k')).rejects.toThrow('changed my mind');
  });
});
