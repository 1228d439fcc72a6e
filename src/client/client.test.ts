import {once} from 'node:events';
import {createServer as createHttpServer, type RequestListener} from 'node:http';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findFreePort} from '../../test/support/free-port.ts';
import {AppError} from '../core/failures/app-error.ts';
import type {Failure} from '../core/failures/failure.ts';
import {type Client, createClient} from './client.ts';
import type {ClientOptions} from './options.ts';
import {REQUESTS_MAX} from './transport.ts';

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
  if (error instanceof AppError) return error.failure as Failure;
  throw error;
}

/** Creates a fake server whose answers name the API. */
function crewroom(listener: RequestListener): Server {
  return createHttpServer((request, response) => {
    response.setHeader('Crewroom-API', '1');
    listener(request, response);
  });
}

const page: RequestListener = (_, response) => response.end('<!doctype html><title>Another program</title>');

test('a burst of writes waits for permits, and does not open a connection for each', async () => {
  let connections = 0;
  const server = crewroom((_, response) => response.writeHead(201).end('{"etag":"\\"a-1\\""}'));
  const {entries} = await clientOf(server.on('connection', () => connections++));
  const writes = Array.from({length: 10 * REQUESTS_MAX}, (_, n) => entries.put(`k${n}`, Buffer.from(String(n))));
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
  const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    'get()': ({entries}) => entries.get('k'),
    'put()': ({entries}) => entries.put('k', 1),
    'patch()': ({entries}) => entries.patch('k', {}),
    'delete()': ({entries}) => entries.delete('k'),
    'deleteRange()': ({entries}) => entries.deleteRange({prefix: 'k'}),
    'list()': ({entries}) => entries.list(),
    'transact()': ({entries}) => entries.transact({operations: []}),
    'identity()': client => client.identity(),
    'events()': client => client.events()[Symbol.asyncIterator]().next(),
  };
  const answers: Readonly<Record<string, RequestListener>> = {
    'a page': page,
    'an empty object': (_, response) => response.end('{}'),
    'an empty object with an ETag': (_, response) => response.writeHead(200, {ETag: '"a-12"'}).end('{}'),
    'a failure without a body': (_, response) => response.writeHead(404).end(),
    'a failure of ours': (_, response) =>
      response.writeHead(404).end('{"code": "no-entry", "key": "k", "detail": "no"}'),
    'an answer of another API': (_, response) => response.writeHead(200, {'Crewroom-API': '0'}).end('{}'),
  };
  for (const [call, run] of Object.entries(calls))
    test(`fails at ${call}, whatever the answer is`, async () => {
      for (const listener of Object.values(answers))
        expect(await failureOf(run(await clientOf(createHttpServer(listener))))).toMatchObject({
          code: 'unexpected-answer',
          problem: 'it does not have "Crewroom-API: 1"',
        });
    });

  test('says that the service speaks a later API', async () => {
    const client = await clientOf(createHttpServer((_, response) => response.setHeader('Crewroom-API', '2').end('{}')));
    expect(await failureOf(client.entries.get('k'))).toMatchObject({
      code: 'unexpected-answer',
      problem: 'it has "Crewroom-API: 2", and this client knows 1: update the client',
    });
  });

  test('reports an answer that was cut off within its document', async () => {
    const {entries} = await clientOf(crewroom((_, response) => response.end('{"entries":[')));
    expect(await failureOf(entries.list())).toMatchObject({code: 'unexpected-answer', problem: 'it cannot be read'});
  });

  test('reports a success whose ETag is missing', async () => {
    const {entries} = await clientOf(crewroom((_, response) => response.end('{}')));
    expect(await failureOf(entries.put('k', 1))).toMatchObject({code: 'unexpected-answer'});
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
    const client = createClient({fetch: async () => new Response(endless, {headers: {'Crewroom-API': '1'}})});
    expect(await failureOf(client.entries.get('k'))).toMatchObject({
      code: 'unexpected-answer',
      problem: 'it is larger than 335544320 bytes',
    });
    expect(sent).toBeLessThan(400 * 1024 * 1024);
  });

  test('does not follow a redirect with its request', async () => {
    let requests = 0;
    const {entries} = await clientOf(
      createHttpServer((request, response) => {
        requests++;
        response.writeHead(307, {Location: `${request.url}-elsewhere`}).end();
      }),
    );
    expect(await failureOf(entries.put('k', 'secret'))).toMatchObject({code: 'service-unreachable'});
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
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nCrewroom-API: 1\r\nETag: "1"\r\nContent-Length: 100\r\n\r\n{"half":'),
      );
    });
    const {entries} = await clientOf(half);
    expect(await failureOf(entries.get('k'))).toMatchObject({code: 'service-unreachable'});
  });

  test('waits for an answer until its timeout, also for the rest of one', async () => {
    const silent = await clientOf(createServer(), {timeoutMs: 50});
    expect(await failureOf(silent.entries.get('k'))).toMatchObject({code: 'service-timeout', timeoutMs: 50});
    const slow = crewroom((_, response) => response.writeHead(200, {ETag: '"a-1"'}).write('{'));
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
