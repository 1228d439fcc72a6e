import {describe, expect, test} from 'vitest';
import {exchange, formatRequest} from '../../../test/support/raw-client.ts';
import {startTestServer as start} from '../../../test/support/test-server.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type HttpAnswer, type HttpHandler, jsonAnswer} from '../core/message.ts';

/** Times short enough for a test, and long enough for a busy machine. */
const TIMEOUTS = {headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50, lingerMs: 200};

/** Answers with the size of a body that it reads in chunks, or with the failure. */
const count: HttpHandler = async request => {
  let sizeBytes = 0;
  try {
    for await (const chunk of request.readChunks()) sizeBytes += chunk.length;
    return jsonAnswer({sizeBytes});
  } catch (error) {
    return answerFailure(error);
  }
};

function answerFailure(error: unknown): HttpAnswer {
  if (error instanceof AppError) return jsonAnswer(error.failure, {status: 400});
  throw error;
}

/** Head of a request with a chunked body; the tests send the chunks. */
const CHUNKED = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n';

describe('a body that is read in chunks', () => {
  const bodies = [
    {name: 'with a Content-Length', sent: formatRequest('POST /', [], 'x'.repeat(200_000)), sizeBytes: 200_000},
    {name: 'of length 0', sent: formatRequest('POST /', [], ''), sizeBytes: 0},
    {name: 'that is absent', sent: formatRequest('POST /', []), sizeBytes: 0},
    {name: 'with chunked encoding', sent: `${CHUNKED}\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`, sizeBytes: 5},
  ];
  for (const {name, sent, sizeBytes} of bodies) {
    test(`${name} arrives whole, and its connection stays usable`, async () => {
      const client = await (await start(count)).connect();
      for (let round = 0; round < 2; round++) {
        void client.send(sent);
        expect((await client.readAnswer()).json).toEqual({sizeBytes});
      }
    });
  }

  test('is requested with 100 Continue if its client waits for that', async () => {
    const client = await (await start(count)).connect();
    await client.send(`${CHUNKED}Expect: 100-continue\r\n\r\n`);
    expect((await client.readAnswer()).status).toBe(100);
    await client.send('1\r\nx\r\n0\r\n\r\n');
    expect((await client.readAnswer()).json).toEqual({sizeBytes: 1});
  });

  test('arrives as it is sent', async () => {
    const seen: string[] = [];
    const server = await start(async request => {
      for await (const chunk of request.readChunks()) seen.push(Buffer.from(chunk).toString());
      return jsonAnswer(seen);
    });
    const client = await server.connect();
    await client.send(`${CHUNKED}\r\n1\r\na\r\n`);
    await expect.poll(() => seen).toEqual(['a']);
    await client.send('1\r\nb\r\n');
    await expect.poll(() => seen).toEqual(['a', 'b']);
    await client.send('0\r\n\r\n');
    expect((await client.readAnswer()).json).toEqual(['a', 'b']);
  });

  test('may be answered before it is read, and then its connection ends', async () => {
    const server = await start(async request => {
      for await (const chunk of request.readChunks()) return jsonAnswer(`enough: ${chunk.length > 0}`);
      return jsonAnswer('none');
    });
    const client = await server.connect();
    await client.send(`${CHUNKED}\r\n1\r\nx\r\n`);
    const {json, headers} = await client.readAnswer();
    expect([json, headers.get('connection')]).toEqual(['enough: true', 'close']);
  });

  test('is drained while its answer is worked on, and its connection stays usable', async () => {
    let answer = (): void => {};
    const sent = new Promise<void>(resolve => (answer = resolve));
    const server = await start(async request => {
      if (request.method === 'GET') return jsonAnswer('another');
      for await (const _ of request.readChunks()) break;
      await sent;
      return jsonAnswer('refused');
    });
    const client = await server.connect();
    await client.send('POST / HTTP/1.1\r\nContent-Length: 200001\r\n\r\nx');
    await client.send('y'.repeat(200_000));
    // What was sent before these arrived before them.
    for (let round = 0; round < 3; round++) await exchange({port: server.port}, formatRequest('GET /', []));
    answer();
    const {json, headers} = await client.readAnswer();
    expect([json, headers.get('connection')]).toEqual(['refused', 'keep-alive']);
    await client.send(formatRequest('GET /', []));
    expect((await client.readAnswer()).json).toBe('another');
  });

  const early = [
    {name: 'in the middle of its length', sent: 'POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n123'},
    {name: 'in the middle of its chunks', sent: `${CHUNKED}\r\n3\r\nabc\r\n`},
    {name: 'in the middle of a chunk', sent: `${CHUNKED}\r\n3\r\na`},
  ];
  for (const {name, sent} of early) {
    test(`that ends ${name} is a failure`, async () => {
      const client = await (await start(count)).connect();
      await client.send(sent);
      client.socket.end();
      expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request'});
    });
  }

  test('that is malformed later is a failure', async () => {
    const client = await (await start(count)).connect();
    await client.send(`${CHUNKED}\r\n3\r\nabc\r\n`);
    await client.send('nonsense\r\n');
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request'});
  });

  test('ends with its connection', async () => {
    const failures: unknown[] = [];
    const server = await start(async request => {
      const answered = await count(request);
      failures.push(JSON.parse(String(answered.body)));
      return answered;
    });
    const client = await server.connect();
    await client.send(`${CHUNKED}\r\n3\r\nabc\r\n`);
    await exchange({port: server.port}, formatRequest('POST /', [], ''));
    client.socket.resetAndDestroy();
    await expect.poll(() => failures).toContainEqual(expect.objectContaining({code: 'malformed-request'}));
    expect(server.errors).toEqual([]);
  });
});

describe('a body that is read in chunks has no total timeout', () => {
  test('while chunks arrive', async () => {
    const requestTimeoutMs = 2000;
    const server = await start(count, {timeouts: {requestTimeoutMs}});
    const client = await server.connect();
    await client.send(`${CHUNKED}\r\n`);
    const startedMs = performance.now();
    let chunks = 0;
    while (performance.now() - startedMs < 2 * requestTimeoutMs) {
      await client.send('1\r\nx\r\n');
      chunks++;
      await exchange({port: server.port}, formatRequest('POST /', [], ''));
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    await client.send('0\r\n\r\n');
    expect((await client.readAnswer()).json).toEqual({sizeBytes: chunks});
  });

  test('but fails if no chunk arrives for too long', async () => {
    const client = await (await start(count, {timeouts: TIMEOUTS})).connect();
    await client.send(`${CHUNKED}\r\n3\r\nabc\r\n`);
    const answered = await client.readAnswer();
    expect(answered.json).toMatchObject({code: 'too-slow', what: 'request'});
    expect(answered.headers.get('connection')).toBe('close');
    await client.readEnd();
  });

  test('and never fails because the service is slow', async () => {
    let goOn = (): void => {};
    const busy = new Promise<void>(resolve => (goOn = resolve));
    let taken = 0;
    const requestTimeoutMs = 1500;
    const server = await start(
      async request => {
        for await (const chunk of request.readChunks()) {
          taken += chunk.length;
          await busy;
        }
        return jsonAnswer(taken);
      },
      {timeouts: {requestTimeoutMs}},
    );
    const sizeBytes = 32 * 1024 * 1024;
    // Created before: on a busy machine this takes longer than the timeout for headers.
    const upload = formatRequest('POST /', [], Buffer.alloc(sizeBytes));
    const client = await server.connect();
    let sent = false;
    void client.send(upload).then(() => (sent = true));
    await expect.poll(() => taken).toBeGreaterThan(0);
    // Longer than the timeout; meanwhile most of the body stays with the client.
    await new Promise(resolve => setTimeout(resolve, 2 * requestTimeoutMs));
    expect([sent, client.ended]).toEqual([false, false]);
    goOn();
    expect((await client.readAnswer()).json).toBe(sizeBytes);
  });

  test('and is evicted only without progress: a byte now and then is not progress', async () => {
    let now = 0;
    let taken = 0;
    const handle: HttpHandler = async request => {
      try {
        for await (const chunk of request.readChunks()) taken += chunk.length;
        return jsonAnswer('all');
      } catch (error) {
        return answerFailure(error);
      }
    };
    const server = await start(handle, {limits: {connectionsMax: 1}, nowMs: () => now});
    const client = await server.connect();
    await client.send(`${CHUNKED}\r\n1\r\nx\r\n`);
    await expect.poll(() => taken).toBe(1);
    const status = async (): Promise<number> =>
      (await exchange({port: server.port}, formatRequest('POST /', [], ''))).status;
    expect(await status()).toBe(503);
    now = 200;
    await client.send(`4000\r\n${'y'.repeat(0x4000)}\r\n`);
    await expect.poll(() => taken).toBe(1 + 0x4000);
    now = 400;
    expect(await status()).toBe(503);
    await client.send('1\r\nz\r\n');
    await expect.poll(() => taken).toBe(2 + 0x4000);
    now = 500;
    await expect.poll(status).toBe(200);
    expect((await client.readAnswer()).json).toMatchObject({code: 'too-slow', what: 'request'});
  });
});
