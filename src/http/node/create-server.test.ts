import {describe, expect, onTestFinished, test} from 'vitest';
import {formatRequest, type RawClient} from '../../../test/support/raw-client.ts';
import {startTestServer, type TestServer} from '../../../test/support/test-server.ts';
import type {Failure} from '../../core/failures/failure.ts';
import type {ConnectionEnds} from '../../platform/system/socket-owner.ts';
import {type HttpHandler, jsonAnswer} from '../core/message.ts';
import {PIPELINED_MAX} from './connections/connection.ts';

const REFUSAL: Failure = {code: 'other-user', owner: 1001};

const GET = formatRequest('GET /', []);

interface Judged {
  readonly server: TestServer;
  readonly client: RawClient;
  /** Ends of the connections that were judged, in order. */
  readonly judged: readonly ConnectionEnds[];
  /** Targets of the requests that were handled. */
  readonly handled: readonly string[];
  decide(problem: Failure | undefined): void;
}

/** Connects to a server that judges when the test says so. */
async function connectJudged({connectionsMax = 10, lingerMs = 100} = {}): Promise<Judged> {
  const [judged, handled, waiting]: [ConnectionEnds[], string[], ((problem: Failure | undefined) => void)[]] = [
    [],
    [],
    [],
  ];
  const handle: HttpHandler = async request => {
    handled.push(request.target);
    if (request.opensWebSocket) return {status: 404, rawHeaders: [], body: ''};
    return jsonAnswer(Buffer.from(await request.readBody(1000)).toString());
  };
  const server = await startTestServer(handle, {
    limits: {connectionsMax},
    timeouts: {lingerMs},
    findPeerProblem: ends => {
      judged.push(ends);
      return new Promise(resolve => waiting.push(resolve));
    },
  });
  const client = await server.connect();
  await expect.poll(() => judged.length).toBe(1);
  const decide = (problem: Failure | undefined): void => waiting.shift()?.(problem);
  onTestFinished(() => decide(undefined));
  return {server, client, judged, handled, decide};
}

/** Resolves after the server has read what was sent before. */
async function untilRead(server: TestServer): Promise<void> {
  await expect.poll(() => server.statistics().open).toBe(1);
  const other = await server.connect();
  await expect.poll(() => server.statistics().open).toBe(2);
  other.socket.destroy();
  await expect.poll(() => server.statistics().open).toBe(1);
}

const UPGRADE = formatRequest('GET /socket', [
  ...['Host: x', 'Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
]);

describe('requests on a new connection', () => {
  test('that cannot be read are answered after the client has ended its side, too', async () => {
    const {server, client, decide} = await connectJudged({lingerMs: 5000});
    await client.send('nonsense\r\n\r\n');
    client.socket.end();
    await untilRead(server);
    decide(undefined);
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request'});
  });

  test('wait until its peer is admitted, once for all', async () => {
    const {server, client, judged, handled, decide} = await connectJudged();
    await client.send(formatRequest('PUT /first', [], 'body'));
    await untilRead(server);
    expect(handled).toEqual([]);
    decide(undefined);
    expect((await client.readAnswer()).text).toContain('body');
    await client.send(GET);
    expect((await client.readAnswer()).status).toBe(200);
    expect(handled).toEqual(['/first', '/']);
    const {localPort: port, localAddress: address} = client.socket;
    expect(judged[0]).toEqual({own: {address: '127.0.0.1', port: server.port}, peer: {address, port}});
  });

  test('are answered in order, as many as without the verdict', async () => {
    const {server, client, handled, decide} = await connectJudged();
    const targets = Array.from({length: PIPELINED_MAX + 1}, (_, index) => `/${index}`);
    await client.send(Buffer.concat(targets.map(target => formatRequest(`GET ${target}`, []))));
    await untilRead(server);
    decide(undefined);
    for (const _ of targets) expect((await client.readAnswer()).status).toBe(200);
    expect(handled).toEqual(targets);
  });

  test('are not more than without the verdict', async () => {
    const {client, handled} = await connectJudged();
    await client.send(Buffer.concat(Array.from({length: PIPELINED_MAX + 2}, () => GET)));
    await client.readEnd();
    expect(handled).toEqual([]);
  });

  test('are answered before bytes that are no request', async () => {
    const {server, client, decide} = await connectJudged();
    await client.send(Buffer.concat([GET, Buffer.from('nonsense\r\n\r\n')]));
    await untilRead(server);
    decide(undefined);
    expect((await client.readAnswer()).status).toBe(200);
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request'});
    await client.readEnd();
  });
});

describe('a peer that is refused', () => {
  const requests = [
    {name: 'that has sent nothing', bytes: Buffer.from('')},
    {name: 'that asks', bytes: GET},
    {name: 'that writes', bytes: formatRequest('PUT /key', [], 'body')},
    {name: 'that sends several requests', bytes: Buffer.concat([GET, GET, GET])},
    {name: 'whose body is incomplete', bytes: Buffer.from('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12')},
    {name: 'that expects 100 Continue', bytes: formatRequest('PUT /', ['Expect: 100-continue'], 'body')},
    {name: 'that opens a WebSocket', bytes: UPGRADE},
    {name: 'that asks for another protocol', bytes: formatRequest('GET /', ['Connection: Upgrade', 'Upgrade: h2c'])},
    {name: 'that sends nonsense', bytes: Buffer.from('nonsense\r\n\r\n')},
    {name: 'that asks for a tunnel', bytes: formatRequest('CONNECT example:443', [])},
  ];
  for (const {name, bytes} of requests)
    test(`${name} gets the failure, and nothing has an effect`, async () => {
      const {server, client, handled, decide} = await connectJudged();
      await client.send(bytes);
      await untilRead(server);
      decide(REFUSAL);
      const answer = await client.readAnswer();
      expect([answer.status, answer.json['code'], answer.json['owner']]).toEqual([403, 'other-user', 1001]);
      expect(answer.headers.get('connection')).toBe('close');
      await client.send(GET).catch(() => {});
      await client.readEnd();
      expect(handled).toEqual([]);
      expect(server.refused).toEqual([REFUSAL]);
      expect(server.errors).toEqual([]);
    });

  test('frees its place at once', async () => {
    const {server, decide} = await connectJudged({connectionsMax: 1, lingerMs: 60_000});
    decide(REFUSAL);
    await expect.poll(() => server.statistics().open).toBe(0);
    const next = await server.connect();
    await next.send(GET);
    await expect.poll(() => server.statistics().open).toBe(1);
    decide(undefined);
    expect((await next.readAnswer()).status).toBe(200);
  });
});

for (const [name, method] of [
  ['a tunnel', formatRequest('CONNECT example:443', [])],
  ['a WebSocket', UPGRADE],
] as const)
  test(`a client that asks for ${name}, and resets its connection before the verdict, frees its place`, async () => {
    const {server, client, handled} = await connectJudged();
    await client.send(method);
    await untilRead(server);
    client.socket.resetAndDestroy();
    await expect.poll(() => server.statistics().open).toBe(0);
    expect([handled, server.refused, server.errors]).toEqual([[], [], []]);
  });

test('a client that disconnects before the verdict gets none, and its request has no effect', async () => {
  const {server, client, handled, decide} = await connectJudged();
  await client.send(GET);
  await untilRead(server);
  client.socket.resetAndDestroy();
  await expect.poll(() => server.statistics().open).toBe(0);
  decide(undefined);
  expect([handled, server.refused, server.errors]).toEqual([[], [], []]);
});
