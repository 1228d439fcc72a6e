import {once} from 'node:events';
import {describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {Feed} from '../../../test/support/feed.ts';
import {exchange, formatRequest, type RawClient} from '../../../test/support/raw-client.ts';
import {startTestServer, type TestServer, type TestServerDeps} from '../../../test/support/test-server.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {failureAnswer} from '../core/failure-response.ts';
import {type HttpHandler, type HttpStream, jsonAnswer, openedWebSocket} from '../core/message.ts';
import {MESSAGE_BYTES_MAX} from './web-socket.ts';

/** Starts a server whose WebSockets send the frames that the test creates; other requests are answered with their targets. */
function start(frames: () => HttpStream | Promise<HttpStream>, deps: TestServerDeps = {}): Promise<TestServer> {
  const handle: HttpHandler = async request => {
    if (!request.opensWebSocket) return jsonAnswer(`${request.method} ${request.target}`);
    try {
      return openedWebSocket(await frames());
    } catch (error) {
      return failureAnswer(error as AppError, 'id');
    }
  };
  return startTestServer(handle, deps);
}

const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const UPGRADE = formatRequest('GET /socket', HANDSHAKE);

/** An independent client, and how its WebSocket ends. */
function open({port}: TestServer): {webSocket: WebSocket; closed: Promise<{code: number; reason: string}>} {
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/socket`);
  onTestFinished(() => webSocket.terminate());
  const closed = once(webSocket, 'close').then(([code, reason]) => ({code, reason: String(reason)}));
  return {webSocket, closed};
}

async function openRaw(server: TestServer): Promise<RawClient> {
  const client = await server.connect();
  await client.send(UPGRADE);
  expect(await client.readUntil('\r\n\r\n')).toMatch(/^HTTP\/1\.1 101 /);
  return client;
}

/** A frame as a client sends it, masked with zeroes (RFC 6455 section 5.2). */
function frame(opcode: number, payload: Uint8Array | string): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(bytes.length), 2);
  if (bytes.length < 126)
    return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length]), Buffer.alloc(4), bytes]);
  if (bytes.length > 65_535) return Buffer.concat([head, Buffer.alloc(4), bytes]);
  return Buffer.concat([
    Buffer.from([0x80 | opcode, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff]),
    Buffer.alloc(4),
    bytes,
  ]);
}

const TEXT = 1;
const CLOSE = 8;
const PONG = 10;
const PING_FRAME = Buffer.from([0x89, 0]);

/** Returns code and reason of the close frame of a server. */
async function readClose(client: RawClient): Promise<{code: number; reason: string}> {
  const bytes = await client.readEnd();
  const start = bytes.lastIndexOf(0x88);
  return {code: bytes.readUInt16BE(start + 2), reason: bytes.subarray(start + 4).toString()};
}

/** Times short enough for a test, and long enough for a busy machine to answer. */
const TIMEOUTS = {pingIntervalMs: 500};

describe('a WebSocket', () => {
  test('sends each frame as a text', async () => {
    const feed = new Feed();
    const server = await start(() => feed);
    const {webSocket} = open(server);
    const messages: [string, boolean][] = [];
    webSocket.on('message', (data, isBinary) => messages.push([String(data), isBinary]));
    await once(webSocket, 'open');
    feed.push('{"a":1}', 'é', 'x'.repeat(100_000));
    await expect.poll(() => messages.length).toBe(3);
    expect(messages).toEqual([
      ['{"a":1}', false],
      ['é', false],
      ['x'.repeat(100_000), false],
    ]);
  });

  test('sends bytes as text too', async () => {
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('"é"');
      await new Promise(() => {});
    };
    const {webSocket} = open(await start(bytes));
    const [data, isBinary] = await once(webSocket, 'message');
    expect([String(data), isBinary]).toEqual(['"é"', false]);
  });

  test('uses no compression and no subprotocol, whatever the client offers', async () => {
    const server = await start(() => new Feed());
    const webSocket = new WebSocket(`ws://127.0.0.1:${server.port}/socket`, {perMessageDeflate: true});
    onTestFinished(() => webSocket.terminate());
    await once(webSocket, 'open');
    expect([webSocket.extensions, webSocket.protocol]).toEqual(['', '']);
    const client = await server.connect();
    await client.send(formatRequest('GET /socket', [...HANDSHAKE, 'Sec-WebSocket-Protocol: chat']));
    const head = await client.readUntil('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head).not.toMatch(/protocol:|extensions/i);
  });

  test('waits for the answers before it', async () => {
    const feed = new Feed();
    const client = await (await start(() => feed)).connect();
    await client.send(Buffer.concat([formatRequest('GET /1', []), formatRequest('GET /2', []), UPGRADE]));
    expect((await client.readAnswer()).json).toBe('GET /1');
    expect((await client.readAnswer()).json).toBe('GET /2');
    expect(await client.readUntil('\r\n\r\n')).toMatch(/^HTTP\/1\.1 101 /);
    feed.push('hello');
    await client.readUntil('hello');
  });

  test('ends when its client disconnects', async () => {
    for (const leave of ['close', 'terminate'] as const) {
      const feed = new Feed();
      const {webSocket, closed} = open(await start(() => feed));
      await once(webSocket, 'open');
      webSocket[leave]();
      await expect.poll(() => feed.returned).toBe(true);
      await closed;
    }
  });

  test('ends when its client closes without a status', async () => {
    const feed = new Feed();
    const client = await openRaw(await start(() => feed));
    client.socket.end();
    await expect.poll(() => feed.returned).toBe(true);
    await client.readEnd();
  });
});

describe('a WebSocket is refused', () => {
  test('with an ordinary failure, if the route refuses it', async () => {
    const server = await start(() => {
      throw new AppError({code: 'invalid-parameter', parameter: 'after', problem: 'it is no number'});
    });
    const client = await server.connect();
    await client.send(UPGRADE);
    const answered = await client.readAnswer();
    expect([answered.status, answered.json['code'], answered.headers.get('connection')]).toEqual([
      400,
      'invalid-parameter',
      'close',
    ]);
    expect((await client.readEnd()).length).toBe(0);
    expect(server.errors).toEqual([]);
  });

  const handshakes = [
    {name: 'without a key', without: 'Sec-WebSocket-Key', add: []},
    {name: 'with an invalid key', without: 'Sec-WebSocket-Key', add: ['Sec-WebSocket-Key: short']},
    {name: 'without a version', without: 'Sec-WebSocket-Version', add: []},
    {name: 'of version 8', without: 'Sec-WebSocket-Version', add: ['Sec-WebSocket-Version: 8']},
    {name: 'with an invalid protocol', without: 'none', add: ['Sec-WebSocket-Protocol: ,']},
  ];
  for (const {name, without, add} of handshakes) {
    test(`when its handshake is ${name}, and no frames are created`, async () => {
      const feed = new Feed();
      const server = await start(() => feed);
      const headers = [...HANDSHAKE.filter(line => !line.startsWith(without)), ...add];
      const answered = await exchange({port: server.port}, formatRequest('GET /socket', headers));
      expect([answered.status, answered.json['code']]).toEqual([400, 'malformed-request']);
      expect(feed.begun).toBe(false);
    });
  }

  const others = [
    {name: 'another method', line: 'POST /socket', body: '1'},
    {name: 'a body', line: 'GET /socket', body: '1'},
  ];
  for (const {name, line, body} of others) {
    test(`with ${name}`, async () => {
      const feed = new Feed();
      const server = await start(() => feed);
      const answered = await exchange({port: server.port}, formatRequest(line, HANDSHAKE, body));
      expect([answered.status, answered.json['code']]).toEqual([400, 'malformed-request']);
      expect(feed.begun).toBe(false);
    });
  }
});

test('a request for another protocol is answered without upgrade', async () => {
  const server = await start(() => new Feed());
  const headers = ['Connection: Upgrade', 'Upgrade: h2c'];
  const answered = await exchange({port: server.port}, formatRequest('GET /socket', headers));
  expect([answered.status, answered.json]).toEqual([200, 'GET /socket']);
});

test('an HTTP/1.0 request is answered without upgrade', async () => {
  const server = await start(() => new Feed());
  const answered = await exchange({port: server.port}, UPGRADE.toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'));
  expect([answered.status, answered.json]).toEqual([200, 'GET /socket']);
});

describe('a client of a WebSocket', () => {
  test('that sends a message is closed with a reason', async () => {
    const feed = new Feed();
    const {webSocket, closed} = open(await start(() => feed));
    await once(webSocket, 'open');
    webSocket.send('hello');
    expect(await closed).toEqual({code: 1008, reason: expect.stringMatching(/^Cannot accept a message: /)});
    await expect.poll(() => feed.returned).toBe(true);
  });

  const wrong = [
    {name: 'a frame of 2 MiB', sent: frame(TEXT, Buffer.alloc(2 * 1024 * 1024, 'x')), code: 1009},
    {
      name: 'the head of a frame of 2 MiB',
      sent: frame(TEXT, Buffer.alloc(2 * 1024 * 1024)).subarray(0, 14),
      code: 1009,
    },
    {name: 'a frame larger than one that is read', sent: frame(TEXT, Buffer.alloc(MESSAGE_BYTES_MAX + 1)), code: 1009},
    {name: 'invalid UTF-8', sent: frame(TEXT, Buffer.from([0xff, 0xfe])), code: 1007},
    {name: 'an unmasked frame', sent: Buffer.from([0x81, 0x01, 0x78]), code: 1002},
    {name: 'an unknown kind of frame', sent: frame(3, 'x'), code: 1002},
    {name: 'a frame marked as compressed', sent: Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), code: 1002},
  ];
  for (const {name, sent, code} of wrong) {
    test(`that sends ${name} is closed with ${code} (B9)`, async () => {
      const feed = new Feed();
      const server = await start(() => feed);
      const client = await openRaw(server);
      void client.send(sent);
      expect((await readClose(client)).code).toBe(code);
      await expect.poll(() => feed.returned).toBe(true);
      expect(server.errors).toEqual([]);
    });
  }

  test('that answers no ping is disconnected at the next one (B9)', async () => {
    const feed = new Feed();
    const client = await openRaw(await start(() => feed, {timeouts: TIMEOUTS}));
    await client.readUntil(PING_FRAME);
    await client.readEnd();
    await expect.poll(() => feed.returned).toBe(true);
  });

  test('that answers pings stays connected', async () => {
    const feed = new Feed();
    const client = await openRaw(await start(() => feed, {timeouts: TIMEOUTS}));
    for (let round = 0; round < 3; round++) {
      await client.readUntil(PING_FRAME);
      await client.send(frame(PONG, ''));
    }
    expect([client.ended, feed.returned]).toEqual([false, false]);
    feed.push('still here');
    await client.readUntil('still here');
  });

  test('that does not read gets backpressure (B9)', async () => {
    const feed = new Feed();
    const server = await start(() => feed);
    const client = await openRaw(server);
    client.socket.pause();
    const chunks = Array.from({length: 192}, () => 'x'.repeat(64 * 1024));
    feed.push(...chunks);
    let before = -1;
    await expect
      .poll(async () => {
        const same = before === feed.taken && feed.taken > 0;
        before = feed.taken;
        await exchange({port: server.port}, formatRequest('GET /other', []));
        return same;
      })
      .toBe(true);
    expect(feed.taken).toBeLessThan(chunks.length);
    client.socket.resume();
    await expect.poll(() => feed.taken).toBe(chunks.length);
  });

  test('that closes gets a closing handshake', async () => {
    const client = await openRaw(await start(() => new Feed()));
    await client.send(frame(CLOSE, Buffer.from([0x03, 0xe8])));
    expect((await readClose(client)).code).toBe(1000);
  });
});

describe('frames that end', () => {
  const ends = [
    {
      name: 'because the subscriber is too slow have the cursor in the reason',
      error: new AppError({code: 'too-slow', what: 'subscriber', cursor: '57'}),
      code: 1013,
      reason: '{"code":"too-slow","what":"subscriber","cursor":"57"}',
      told: 0,
    },
    {
      name: 'with a failure have its code in the reason',
      error: new AppError({code: 'entry-corrupt', key: 'k'.repeat(200)}),
      code: 1011,
      reason: '{"code":"entry-corrupt"}',
      told: 1,
    },
    {
      name: 'with a defect have no details in the reason',
      error: new Error('secret'),
      code: 1011,
      reason: '{"code":"internal"}',
      told: 1,
    },
  ];
  for (const {name, error, code, reason, told} of ends) {
    test(name, async () => {
      const feed = new Feed();
      const server = await start(() => feed);
      const {webSocket, closed} = open(server);
      await once(webSocket, 'open');
      feed.fail(error);
      expect(await closed).toEqual({code, reason});
      expect(server.errors).toHaveLength(told);
    });
  }

  test('regularly close as if the service stopped', async () => {
    const feed = new Feed();
    const {webSocket, closed} = open(await start(() => feed));
    await once(webSocket, 'open');
    feed.push('end');
    expect((await closed).code).toBe(1001);
  });
});

describe('WebSockets', () => {
  test('do not count as connections', async () => {
    const server = await start(() => new Feed(), {limits: {connectionsMax: 1}});
    for (let count = 0; count < 5; count++) await openRaw(server);
    expect((await exchange({port: server.port}, formatRequest('GET /other', []))).status).toBe(200);
  });

  test('are closed with 1001 when the server stops, without waiting for clients', async () => {
    const server = await start(() => new Feed(), {limits: {connectionsMax: 100}, timeouts: {stopTimeoutMs: 500}});
    const polite = Array.from({length: 20}, () => open(server));
    await Promise.all(polite.map(({webSocket}) => once(webSocket, 'open')));
    const rude = await openRaw(server);
    await server[Symbol.asyncDispose]();
    for (const {closed} of polite) expect((await closed).code).toBe(1001);
    expect((await readClose(rude)).code).toBe(1001);
  });

  for (const [name, leave] of [
    ['ends', (client: RawClient) => client.socket.end()],
    ['resets', (client: RawClient) => client.socket.resetAndDestroy()],
  ] as const)
    test(`free their place if the client ${name} the connection before they are open`, async () => {
      const opening: AbortSignal[] = [];
      const handle: HttpHandler = ({signal}) => {
        opening.push(signal);
        return new Promise(() => {});
      };
      const server = await startTestServer(handle, {limits: {connectionsMax: 1}});
      const client = await server.connect();
      await client.send(UPGRADE);
      await expect.poll(() => opening.length).toBe(1);
      leave(client);
      await expect.poll(() => opening[0]?.aborted).toBe(true);
      expect(server.statistics().open).toBe(0);
      expect(server.errors).toEqual([]);
    });

  test('that open while the server stops are closed too', async () => {
    const opening: (() => void)[] = [];
    const frames = async (): Promise<Feed> => {
      await new Promise<void>(resolve => opening.push(resolve));
      return new Feed();
    };
    const server = await start(frames, {timeouts: {stopTimeoutMs: 500}});
    const client = await server.connect();
    await client.send(UPGRADE);
    await expect.poll(() => opening.length).toBe(1);
    const stopped = server[Symbol.asyncDispose]();
    opening[0]?.();
    expect((await readClose(client)).code).toBe(1001);
    await stopped;
  });
});

describe('a body after a request to upgrade', () => {
  test('is refused if it is malformed, and the bytes after it have no effect', async () => {
    const targets: string[] = [];
    const handle: HttpHandler = async request => {
      targets.push(request.target);
      try {
        await request.readBody(100);
        return jsonAnswer(200);
      } catch {
        return jsonAnswer(400, {status: 400});
      }
    };
    const server = await startTestServer(handle, {timeouts: {requestTimeoutMs: 600, lingerMs: 200}});
    const client = await server.connect();
    const head = 'PUT /first HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n';
    await client.send(`${head}nonsense\r\nPUT /second HTTP/1.1\r\nContent-Length: 1\r\n\r\n1`);
    const answered = await client.readAnswer();
    expect([answered.status, answered.headers.get('connection')]).toEqual([400, 'close']);
    await client.send('PUT /third HTTP/1.1\r\nContent-Length: 1\r\n\r\n1');
    await client.readEnd();
    expect(targets).toEqual(['/first']);
  });
});
