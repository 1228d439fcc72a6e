import {getEventListeners, once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createStoreId} from '../core/domain/entries/identifiers.ts';
import {AppError} from '../core/failures/app-error.ts';
import {type Client, createClient} from './client.ts';

type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a fake server that answers the requests in order, and repeats the last answer. */
async function serve(...answers: readonly Answering[]): Promise<{client: Client; requests: string[]}> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request.method ?? '');
    response.setHeader('Crewroom-API', '1');
    request.resume().on('end', () => answer?.(response, request));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {client: createClient({baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`}), requests};
}

/** Creates a client that knows the store id, so that no request for it comes first. */
const SEVEN = {storeId: createStoreId(Uint8Array.of(7)), revision: 7};

const lose: Answering = response => response.destroy();
const accept: Answering = response =>
  response
    .writeHead(200, {ETag: '"a-8"', 'Updated-At': '2026-01-01T00:00:00Z'})
    .end('{"revision":"8","etag":"\\"a-8\\"","deleted":1}');
const refuse =
  (status: number, code: string, more: object = {}): Answering =>
  response =>
    response.writeHead(status).end(JSON.stringify({code, status, detail: `it is ${code}`, ...more}));
const busy = refuse(503, 'busy', {what: 'store', max: 4096});
const unavailable = refuse(503, 'unavailable', {what: 'store', problem: 'no quorum'});
const unknown = refuse(504, 'outcome-unknown', {commitId: '5f0c'});
const late = refuse(408, 'too-slow', {what: 'request'});
const conflict = refuse(412, 'revision-conflict', {conflicts: [{key: 'k', expected: '7', actual: '8'}]});

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return 'none';
  if (error instanceof AppError) return error.code;
  throw error;
}

const put = {kind: 'put', key: 'k', value: 1} as const;
const remove = {kind: 'delete', key: 'k'} as const;

/** Idempotent calls. */
const REPEATED: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'get()': ({entries}) => entries.get('k'),
  'identity()': client => client.identity(),
  'put() that expects an absent entry': ({entries}) => entries.put('k', 1, {expected: 'absent'}),
  'put() over a revision': ({entries}) => entries.put('k', 1, {expected: SEVEN}),
  'put() of a value over a revision': ({entries}) => entries.put('k', 1, {expected: SEVEN}),
  'patch() of a revision': ({entries}) => entries.patch('k', {}, {expected: SEVEN}),
  'delete() of a revision': ({entries}) => entries.delete('k', {expected: SEVEN}),
  'transact() that changes what it checks': ({entries}) =>
    entries.transact({checks: [{key: 'k', expected: SEVEN}], operations: [remove]}),
  'transact() that creates an absent entry': ({entries}) =>
    entries.transact({checks: [{key: 'k', expected: 'absent'}], operations: [put]}),
  'transact() with an id': ({entries}) => entries.transact({id: '5f0c', operations: [put]}),
};

/** Calls that are not idempotent. */
const SENT_ONCE: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'put()': ({entries}) => entries.put('k', 1),
  'put() without a condition': ({entries}) => entries.put('k', 1, {expected: 'present'}),
  'put() over one of several revisions': ({entries}) =>
    entries.put('k', 1, {expected: [SEVEN, {...SEVEN, revision: 8}]}),
  'patch()': ({entries}) => entries.patch('k', {}),
  'delete()': ({entries}) => entries.delete('k'),
  'touch()': ({entries}) => entries.touch('k', 60),
  'deleteRange()': ({entries}) => entries.deleteRange({prefix: 'k'}),
  'transact() without checks': ({entries}) => entries.transact({operations: [put]}),
  'transact() that checks another entry': ({entries}) =>
    entries.transact({checks: [{key: 'other', expected: SEVEN}], operations: [put]}),
  'transact() that deletes an absent entry': ({entries}) =>
    entries.transact({checks: [{key: 'k', expected: 'absent'}], operations: [remove]}),
};

describe('a call that is lost, or meets a busy service', () => {
  for (const [name, call] of Object.entries(REPEATED)) {
    test(`is retried if it is ${name}`, async () => {
      const {client, requests} = await serve(lose, busy, accept);
      await call(client);
      expect(requests).toHaveLength(3);
      const shared = await serve(unknown, unavailable, accept);
      await call(shared.client);
      expect(shared.requests).toHaveLength(3);
      const slow = await serve(late, accept);
      await call(slow.client);
      expect(slow.requests).toHaveLength(2);
    });
  }

  for (const [name, call] of Object.entries(SENT_ONCE)) {
    test(`is not retried if it is ${name}`, async () => {
      const {client, requests} = await serve(lose, accept);
      expect(await codeOf(call(client))).toBe('service-unreachable');
      expect(requests).toHaveLength(1);
      for (const [refusal, code] of [
        [busy, 'busy'],
        [unavailable, 'unavailable'],
        [unknown, 'outcome-unknown'],
      ] as const) {
        const refused = await serve(refusal, accept);
        expect(await codeOf(call(refused.client))).toBe(code);
        expect(refused.requests).toHaveLength(1);
      }
    });
  }

  test('is attempted at most this often', async () => {
    const {client, requests} = await serve(busy);
    expect(await codeOf(client.entries.get('k'))).toBe('busy');
    expect(requests).toHaveLength(3);
  });

  for (const [status, code, members] of [
    [400, 'invalid-key', {key: '', problem: 'it is empty'}],
    [404, 'no-identity', {}],
    [503, 'store-read-only', {problem: 'EIO'}],
    [500, 'internal', {}],
  ] as const) {
    test(`is not retried after ${code}`, async () => {
      const {client, requests} = await serve(refuse(status, code, members), accept);
      expect(await codeOf(client.identity())).toBe(code);
      expect(requests).toHaveLength(1);
    });
  }

  test('is retried after an unknown failure of a gateway, which is reported in the end', async () => {
    const {client, requests} = await serve(refuse(504, 'no-such-code'), conflict);
    expect(await codeOf(client.entries.put('k', 1, {expected: SEVEN}))).toBe('no-such-code');
    expect(requests).toEqual(['PUT', 'PUT']);
  });

  test('has one timeout for all attempts together', async () => {
    const {client, requests} = await serve(busy, () => {});
    expect(await codeOf(client.entries.get('k', {timeoutMs: 400}))).toBe('service-timeout');
    expect(requests).toHaveLength(2);
  });

  test('ends with its signal between two attempts', async () => {
    const controller = new AbortController();
    const {client, requests} = await serve(response => {
      busy(response, response.req);
      response.on('finish', () => setImmediate(() => controller.abort(new Error('changed my mind'))));
    });
    await expect(client.entries.get('k', {signal: controller.signal})).rejects.toThrow('changed my mind');
    expect(requests.length).toBeLessThan(3);
  });
});

describe('a write without an answer', () => {
  test('is not reported as a conflict that it may have caused itself', async () => {
    const {client} = await serve(lose, conflict);
    const error = await client.entries.put('k', 2, {expected: SEVEN}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({failure: {code: 'service-unreachable'}});
  });

  test('is reported with the id of its commit, not as a conflict, if the outcome of an earlier attempt is unknown', async () => {
    const {client} = await serve(unknown, conflict);
    const error = await client.entries.put('k', 2, {expected: SEVEN}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({failure: {code: 'outcome-unknown', commitId: '5f0c'}});
  });

  test('is reported as a conflict if earlier attempts only met an unavailable store', async () => {
    const {client} = await serve(unavailable, conflict);
    expect(await codeOf(client.entries.put('k', 2, {expected: SEVEN}))).toBe('revision-conflict');
  });

  test('is not reported as missing if it may have deleted the entry itself', async () => {
    const {client} = await serve(lose, refuse(404, 'no-entry', {key: 'k'}));
    expect(await codeOf(client.entries.delete('k', {expected: SEVEN}))).toBe('service-unreachable');
  });

  test('is a conflict if the first attempt certainly did nothing', async () => {
    const {client} = await serve(busy, conflict);
    expect(await codeOf(client.entries.put('k', 2, {expected: SEVEN}))).toBe('revision-conflict');
  });

  test('is reported as found if it was a read', async () => {
    const {client} = await serve(lose, refuse(404, 'no-entry', {key: 'k'}));
    expect(await client.entries.get('k')).toBeUndefined();
  });
});

test('a connection that the service closes at the moment of its reuse loses no call', async () => {
  const used = new WeakSet<object>();
  // Closes idle connections just when the next request is sent, as a service may.
  const closeOnReuse: Answering = (response, {socket}) => {
    if (used.has(socket)) socket.destroy();
    else {
      used.add(socket);
      accept(response, response.req);
    }
  };
  const {client, requests} = await serve(closeOnReuse);
  for (let call = 0; call < 5; call++) {
    await client.entries.get('k');
    await client.entries.put('k', 1, {expected: SEVEN});
  }
  expect(requests.length).toBeGreaterThan(10);
});

test('many calls with one signal leave no listener on it, and cause no warning', async () => {
  const {client} = await serve(accept);
  const warnings: unknown[] = [];
  const onWarning = (warning: unknown): number => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => {
    process.off('warning', onWarning);
  });
  const {signal} = new AbortController();
  const calls = Array.from({length: 100}, () => client.entries.get('k', {signal}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await Promise.all(calls);
  expect([getEventListeners(signal, 'abort'), warnings]).toEqual([[], []]);
});
