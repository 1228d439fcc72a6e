import {describe, expect, test} from 'vitest';
import {exchange, formatRequest, type RawClient} from '../../../test/support/raw-client.ts';
import {startTestServer as start} from '../../../test/support/test-server.ts';
import type {AppError} from '../../core/failures/app-error.ts';
import {answer, type HttpHandler, type HttpRequest, jsonAnswer} from '../core/message.ts';
import {PATIENCE_MS, PIPELINED_MAX, WORK_PATIENCE_MS} from './connections/connection.ts';
import type {RunningServer} from './server.ts';

/** Reads the body, and rejects also if that fails at once. */
async function readBody(request: HttpRequest): Promise<Uint8Array> {
  return request.readBody(1000);
}

/** Answers with the method, the target and the body. */
const echo: HttpHandler = async request => {
  const body = await readBody(request).catch(error => `! ${error.failure.code}`);
  return jsonAnswer(`${request.method} ${request.target} ${Buffer.from(body)}`);
};

/** Creates a handler that answers when the test says so. */
function holdAnswers(): {handle: HttpHandler; asked: () => number; release: () => void} {
  const waiting: (() => void)[] = [];
  const handle: HttpHandler = async ({target}) => {
    await new Promise<void>(resolve => waiting.push(resolve));
    return jsonAnswer(target);
  };
  return {handle, asked: () => waiting.length, release: () => waiting.shift()?.()};
}

const GET = formatRequest('GET /', []);

/** Returns the status of an answer on a new connection. */
async function statusOf({port}: RunningServer): Promise<number> {
  return (await exchange({port}, GET)).status;
}

/** Times short enough for a test, and long enough for a busy machine. */
const TIMEOUTS = {headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50, lingerMs: 200};

describe('a client that is too slow', () => {
  const late = [
    {name: 'with its first byte', sent: ''},
    {name: 'with its headers', sent: 'GET / HTTP/1.1\r\nHost: x\r\n'},
    {name: 'with its body', sent: 'PUT / HTTP/1.1\r\nContent-Length: 10\r\n\r\n123'},
    {name: 'with its chunks', sent: 'PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n'},
    {
      name: 'with its body after 100 Continue',
      sent: 'PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
    },
  ];
  const readAll = async (request: HttpRequest) => answer(await request.readBody(1000));
  for (const {name, sent} of late) {
    test(`${name} gets a 408, and its connection is closed`, async () => {
      const handle: HttpHandler = request => readAll(request).catch(error => jsonAnswer(error.failure, {status: 408}));
      const server = await start(handle, {timeouts: TIMEOUTS});
      const client = await server.connect();
      await client.send(sent);
      let answered = await client.readAnswer();
      if (answered.status === 100) answered = await client.readAnswer();
      expect(answered.status).toBe(408);
      expect(answered.json).toMatchObject({code: 'too-slow', what: 'request'});
      expect(answered.headers.get('connection')).toBe('close');
      await client.readEnd();
    });
  }

  test('with its second request gets a 408 too', async () => {
    const server = await start(echo, {timeouts: TIMEOUTS});
    const client = await server.connect();
    await client.send(GET);
    expect((await client.readAnswer()).status).toBe(200);
    await client.send('GET / HTTP/1.1\r\n');
    expect((await client.readAnswer()).status).toBe(408);
    await client.readEnd();
  });

  test('cannot send the rest later: the request has no effect', async () => {
    const targets: string[] = [];
    const handle: HttpHandler = async ({target}) => {
      targets.push(target);
      return jsonAnswer(1);
    };
    const server = await start(handle, {timeouts: {...TIMEOUTS, lingerMs: 1000}});
    const client = await server.connect();
    await client.send('PUT /late HTTP/1.1\r\n');
    expect((await client.readAnswer()).status).toBe(408);
    await client.send('\r\n');
    await statusOf(server);
    expect((await client.readEnd()).length).toBe(0);
    expect(targets).toEqual(['/']);
  });

  test('is answered at once if the operation needs no body', async () => {
    const server = await start(async () => jsonAnswer('no', {status: 403}), {timeouts: TIMEOUTS});
    const client = await server.connect();
    await client.send('PUT / HTTP/1.1\r\nContent-Length: 10\r\n\r\n123');
    const answered = await client.readAnswer();
    expect([answered.status, answered.headers.get('connection')]).toEqual([403, 'close']);
    await client.readEnd();
  });

  test('is disconnected if it never reads its answer', async () => {
    const large = Buffer.alloc(64 * 1024 * 1024);
    const targets: string[] = [];
    const handle: HttpHandler = async ({target}) => {
      targets.push(target);
      return answer(target === '/large' ? large : '"small"');
    };
    // The clock stands still, so the connection is not evicted before.
    const server = await start(handle, {limits: {connectionsMax: 1}, timeouts: {idleTimeoutMs: 500}, nowMs: () => 0});
    const client = await server.connect();
    client.socket.pause();
    await client.send(formatRequest('GET /large', []));
    await expect.poll(() => targets).toEqual(['/large']);
    // Its place is free as soon as it is disconnected.
    expect(await statusOf(server)).toBe(503);
    await expect.poll(() => statusOf(server)).toBe(200);
  });

  test('is disconnected when it is idle for too long', async () => {
    const server = await start(echo, {timeouts: {idleTimeoutMs: 100}});
    const client = await server.connect();
    await client.send(GET);
    expect((await client.readAnswer()).status).toBe(200);
    expect((await client.readEnd()).length).toBe(0);
  });
});

describe('connections have a limit', () => {
  test('from half of the maximum, the longest idle one without a request is evicted', async () => {
    let now = 0;
    const server = await start(echo, {limits: {connectionsMax: 6}, nowMs: () => now});
    const first = await server.connect();
    // It is counted before the clock moves on.
    await first.send('GET / HTTP/1.1\r\n');
    expect(await statusOf(server)).toBe(200);
    now = 1;
    const later = [await server.connect(), await server.connect()];
    now = 1000;
    later.push(await server.connect());
    for (const client of later) {
      await client.send(GET);
      expect((await client.readAnswer()).status).toBe(200);
    }
    expect((await first.readEnd()).length).toBe(0);
  });

  test('one between two requests is evicted only if no place is free and no client is late', async () => {
    let now = 0;
    const server = await start(echo, {limits: {connectionsMax: 4}, nowMs: () => now});
    const [used, usedLater, late] = [await server.connect(), await server.connect(), await server.connect()];
    const use = async (client: RawClient): Promise<void> => {
      await client.send(GET);
      expect((await client.readAnswer()).status).toBe(200);
    };
    await use(used);
    now = 1;
    await use(usedLater);
    await late.send('GET / HTTP/1.1\r\n');
    now = 1_000_000;
    // Its next request may be on its way, and its client may be unable to retry it.
    await use(await server.connect());
    await use(await server.connect());
    expect((await late.readEnd()).length).toBe(0);
    await use(used);
    await use(await server.connect());
    expect((await usedLater.readEnd()).length).toBe(0);
  });

  test('one that is evicted while its next request arrives has either both an answer and an effect, or neither', async () => {
    const targets: string[] = [];
    const handle: HttpHandler = ({target}) => {
      targets.push(target);
      return jsonAnswer(target);
    };
    const server = await start(handle, {limits: {connectionsMax: 1}, nowMs: () => 0, timeouts: {lingerMs: 100}});
    for (let round = 0; round < 10; round++) {
      const idle = await server.connect();
      await idle.send(GET);
      await idle.readAnswer();
      // Both reach the server before its next tick. A connection starts at the end of a tick.
      const arriving = server.connect();
      process.nextTick(() => idle.send(formatRequest(`PUT /${round}`, ['Connection: close'], '1')));
      const answered = (await idle.readEnd()).length > 0;
      expect(targets.includes(`/${round}`)).toBe(answered);
      (await arriving).socket.destroy();
    }
  });

  test('one whose first request is on its way is not evicted for a second', async () => {
    let now = 0;
    const server = await start(echo, {limits: {connectionsMax: 2}, nowMs: () => now, timeouts: {lingerMs: 100}});
    const [used, fresh] = [await server.connect(), await server.connect()];
    await used.send(GET);
    expect((await used.readAnswer()).status).toBe(200);
    now = PATIENCE_MS - 1;
    // The one that was used is evicted first, although the other has been idle for longer.
    expect(await statusOf(server)).toBe(200);
    await used.readEnd();
    const third = await server.connect();
    expect(await statusOf(server)).toBe(503);
    for (const client of [fresh, third]) {
      await client.send(GET);
      expect((await client.readAnswer()).status).toBe(200);
    }
  });

  test('if all are busy a new one is refused, and its request has no effect', async () => {
    const {handle, asked, release} = holdAnswers();
    const server = await start(handle, {limits: {connectionsMax: 2}, timeouts: {lingerMs: 200}});
    const busy = [await server.connect(), await server.connect()];
    for (const client of busy) await client.send(GET);
    await expect.poll(asked).toBe(2);
    const refused = await server.connect();
    void refused.send(formatRequest('PUT /', [], '1'));
    const answered = await refused.readAnswer();
    expect(answered.status).toBe(503);
    expect(answered.json).toMatchObject({code: 'busy', what: 'connections', max: 2});
    expect((await refused.readEnd()).length).toBe(0);
    expect(server.refused).toEqual([{code: 'busy', what: 'connections', max: 2}]);
    expect(asked()).toBe(2);
    release();
    release();
    for (const client of busy) expect((await client.readAnswer()).status).toBe(200);
    const next = await server.connect();
    await next.send(GET);
    await expect.poll(asked).toBe(1);
    release();
    expect((await next.readAnswer()).status).toBe(200);
  });

  test('unread answers are limited too: a large one is refused, small ones are not', async () => {
    const targets: string[] = [];
    const handle: HttpHandler = async ({target}) => {
      targets.push(target);
      return answer(target === '/large' ? Buffer.alloc(64 * 1024 * 1024) : Buffer.from('1'));
    };
    const server = await start(handle, {limits: {heldBytesMax: 2000}, nowMs: () => 0});
    const taking = await server.connect();
    taking.socket.pause();
    await taking.send(formatRequest('GET /large', []));
    await expect.poll(() => targets).toEqual(['/large']);
    const other = await server.connect();
    await other.send(formatRequest('GET /large', []));
    expect((await other.readAnswer()).json).toMatchObject({code: 'busy', what: 'memory'});
    expect(await statusOf(server)).toBe(200);
  });

  test('reserved memory counts until the answer exists', async () => {
    let made = 0;
    let makeAll = (): void => {};
    const whenMade = new Promise<void>(resolve => (makeAll = resolve));
    const handle: HttpHandler = async request => {
      if (request.target === '/free') return jsonAnswer(made);
      try {
        request.reserveMemory(1500);
      } catch (error) {
        return jsonAnswer((error as AppError).failure, {status: 503});
      }
      made++;
      await whenMade;
      return jsonAnswer(made);
    };
    const server = await start(handle, {limits: {heldBytesMax: 2000}, nowMs: () => 0});
    const client = await server.connect();
    await client.send(formatRequest('GET /', []));
    await expect.poll(async () => (await exchange(server, formatRequest('GET /free', []))).json).toBe(1);
    expect((await exchange(server, formatRequest('GET /', []))).json).toMatchObject({code: 'busy', what: 'memory'});
    makeAll();
    expect((await client.readAnswer()).json).toBe(1);
    expect((await exchange(server, formatRequest('GET /', []))).json).toBe(2);
  });

  test('slow clients are evicted too, with a 408 if possible', async () => {
    let now = 0;
    const {handle: hold, asked, release} = holdAnswers();
    const large = Buffer.alloc(64 * 1024 * 1024);
    const targets: string[] = [];
    const handle: HttpHandler = async request => {
      targets.push(request.target);
      if (request.target === '/large') return answer(large);
      if (request.method === 'GET') return hold(request);
      return readBody(request).then(answer, error => jsonAnswer(error.failure, {status: 408}));
    };
    const server = await start(handle, {limits: {connectionsMax: 3}, nowMs: () => now});
    const [working, sending, taking] = [await server.connect(), await server.connect(), await server.connect()];
    taking.socket.pause();
    await working.send(formatRequest('GET /working', []));
    await sending.send('PUT /sending HTTP/1.1\r\nContent-Length: 10\r\n\r\n123');
    await taking.send(formatRequest('GET /large', []));
    await expect.poll(() => targets.toSorted()).toEqual(['/large', '/sending', '/working']);

    now = PATIENCE_MS - 1;
    expect(await statusOf(server)).toBe(503);
    now = PATIENCE_MS;
    const first = await server.connect();
    await first.send(formatRequest('GET /first', []));
    expect((await sending.readAnswer()).json).toMatchObject({code: 'too-slow', what: 'request'});
    await expect.poll(() => targets).toContain('/first');
    const second = await server.connect();
    await second.send(formatRequest('GET /second', []));
    await expect.poll(() => targets).toContain('/second');
    await expect.poll(() => taking.send('x').then(() => taking.socket.destroyed)).toBe(true);
    // A client that waits for the service has more time.
    now = WORK_PATIENCE_MS - 1;
    expect(await statusOf(server)).toBe(503);
    expect(asked()).toBe(3);
    for (const client of [working, first, second]) {
      release();
      expect((await client.readAnswer()).status).toBe(200);
    }
  });

  test('a request that is not answered loses its place in the end, and soon if its client has ended its side', async () => {
    let now = 0;
    const {handle: hold, asked} = holdAnswers();
    const handle: HttpHandler = request => (request.target === '/now' ? jsonAnswer('now') : hold(request));
    const server = await start(handle, {limits: {connectionsMax: 1}, nowMs: () => now});
    const ask = async (): Promise<number> =>
      (await exchange({port: server.port}, formatRequest('GET /now', []))).status;
    const ended = await server.connect();
    await ended.send(GET);
    await expect.poll(asked).toBe(1);
    ended.socket.end();
    now = PATIENCE_MS;
    // By default it waits until a timeout of Node closes the connection.
    await expect.poll(ask, {timeout: 5000}).toBe(200);
    await ended.readEnd();
    const staying = await server.connect();
    await staying.send(GET);
    await expect.poll(asked).toBe(2);
    now += WORK_PATIENCE_MS - 1;
    expect(await ask()).toBe(503);
    now += 1;
    expect(await ask()).toBe(200);
    await staying.readEnd();
  });

  test('refused ones are closed even if the client stays', async () => {
    const {handle, asked, release} = holdAnswers();
    const server = await start(handle, {limits: {connectionsMax: 1}, timeouts: {lingerMs: 100}});
    const busy = await server.connect();
    await busy.send(GET);
    await expect.poll(asked).toBe(1);
    const refused = await Promise.all(Array.from({length: 20}, () => server.connect()));
    for (const client of refused) {
      expect((await client.readAnswer()).status).toBe(503);
      await client.readEnd();
      // The client keeps its side open; its further bytes cause a reset.
      await expect.poll(() => client.send('x').then(() => client.socket.destroyed)).toBe(true);
    }
    release();
  });

  test('an aborted one releases its permit', async () => {
    const server = await start(echo, {limits: {connectionsMax: 1}});
    for (let round = 0; round < 5; round++) {
      const aborted = await server.connect();
      await aborted.send('PUT / HTTP/1.1\r\nContent-Length: 10\r\n\r\n123');
      aborted.socket.resetAndDestroy();
      await expect.poll(() => statusOf(server)).toBe(200);
    }
  });
});

describe('the bodies of all requests together', () => {
  const upload = (sizeBytes: number): Buffer =>
    Buffer.from(`PUT / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(sizeBytes)}`);
  const measure = (read: (request: HttpRequest) => Promise<number>): HttpHandler => {
    return request => read(request).then(jsonAnswer, error => jsonAnswer(error.failure, {status: 400}));
  };
  const ways: readonly {readonly name: string; readonly handle: HttpHandler}[] = [
    {name: 'that are read whole', handle: measure(async request => (await request.readBody(10_000)).length)},
    {
      name: 'that are read in chunks',
      handle: measure(async request => {
        let sizeBytes = 0;
        for await (const chunk of request.readChunks()) sizeBytes += chunk.length;
        return sizeBytes;
      }),
    },
  ];
  for (const {name, handle} of ways) {
    test(`${name} have a limit: one too many is refused, unless another makes no progress`, async () => {
      let now = 0;
      const server = await start(handle, {limits: {heldBytesMax: 2000}, nowMs: () => now});
      const [first, second, third, fourth] = await Promise.all(Array.from({length: 4}, () => server.connect()));
      await first?.send(upload(900));
      await statusOf(server);
      await second?.send(upload(900));
      await statusOf(server);
      await third?.send(upload(900));
      expect((await third?.readAnswer())?.json).toMatchObject({code: 'busy', what: 'memory'});
      now = 2 * PATIENCE_MS;
      await fourth?.send(upload(900));
      expect((await first?.readAnswer())?.json).toMatchObject({code: 'too-slow', what: 'request'});
      for (const client of [second, fourth]) {
        await client?.send('x'.repeat(100));
        expect((await client?.readAnswer())?.json).toBe(1000);
      }
      // An answered request holds no memory.
      for (const client of [second, fourth]) {
        await client?.send(upload(900));
        await statusOf(server);
      }
    });

    test(`${name} may exceed the limit if there is only one`, async () => {
      const server = await start(handle, {limits: {heldBytesMax: 10}, nowMs: () => 0});
      const client = await server.connect();
      await client.send(upload(900));
      await statusOf(server);
      await client.send('x'.repeat(100));
      expect((await client.readAnswer()).json).toBe(1000);
    });
  }

  test('hold no memory for an answer that was created after its client disconnected', async () => {
    let asked = 0;
    let sent = 0;
    const handle: HttpHandler = async request => {
      if (request.method === 'PUT') return jsonAnswer((await request.readBody(10_000)).length);
      asked++;
      await new Promise(resolve => request.signal.addEventListener('abort', resolve, {once: true}));
      sent++;
      return answer('x'.repeat(1500));
    };
    const server = await start(handle, {limits: {heldBytesMax: 2000}, nowMs: () => 0});
    const gone = await server.connect();
    await gone.send(GET);
    await expect.poll(() => asked).toBe(1);
    gone.socket.resetAndDestroy();
    await expect.poll(() => sent).toBe(1);
    const client = await server.connect();
    await client.send(upload(900));
    await exchange(server, formatRequest('PUT /', [], '1'));
    await client.send('x'.repeat(100));
    expect((await client.readAnswer()).json).toBe(1000);
  });
});

describe('requests of one connection', () => {
  test('are answered one after the other', async () => {
    const {handle, asked, release} = holdAnswers();
    const server = await start(handle);
    const client = await server.connect();
    await client.send(Buffer.concat(['/1', '/2', '/3'].map(target => formatRequest(`GET ${target}`, []))));
    for (const target of ['/1', '/2', '/3']) {
      await expect.poll(asked).toBe(1);
      release();
      expect((await client.readAnswer()).json).toBe(target);
    }
  });

  test('are answered before a malformed one is refused', async () => {
    const {handle, asked, release} = holdAnswers();
    const server = await start(handle);
    const client = await server.connect();
    await client.send(Buffer.concat([GET, Buffer.from('nonsense\r\n\r\n')]));
    await expect.poll(asked).toBe(1);
    release();
    expect((await client.readAnswer()).status).toBe(200);
    expect((await client.readAnswer()).status).toBe(400);
    await client.readEnd();
    expect(server.refused).toHaveLength(1);
  });

  test('may wait up to a maximum; then the connection is closed', async () => {
    const {handle, asked} = holdAnswers();
    const server = await start(handle);
    const client = await server.connect();
    await client.send(Buffer.concat(Array.from({length: PIPELINED_MAX + 1}, () => GET)));
    await expect.poll(asked).toBe(1);
    expect(client.ended).toBe(false);
    await client.send(GET);
    expect((await client.readEnd()).length).toBe(0);
    expect(server.refused).toMatchObject([{code: 'malformed-request'}]);
  });

  test('end it alone if one asks for a tunnel and the client resets it before the answers', async () => {
    const {handle, asked, release} = holdAnswers();
    const server = await start(handle);
    const client = await server.connect();
    await client.send(Buffer.concat([GET, formatRequest('CONNECT example:443', [])]));
    await expect.poll(asked).toBe(1);
    client.socket.resetAndDestroy();
    // Without a listener for the error of its socket, the process would end.
    await expect.poll(() => server.statistics().open).toBe(0);
    release();
    expect(server.errors).toEqual([]);
  });

  test('have no effect once their client has disconnected', async () => {
    const targets: string[] = [];
    let release = (): void => {};
    const handle: HttpHandler = async ({target}) => {
      targets.push(target);
      if (target === '/1') await new Promise<void>(resolve => (release = resolve));
      return jsonAnswer(target);
    };
    const server = await start(handle, {limits: {connectionsMax: 1}});
    const client = await server.connect();
    await client.send(Buffer.concat([formatRequest('GET /1', []), formatRequest('GET /2', [])]));
    await expect.poll(() => targets).toEqual(['/1']);
    client.socket.resetAndDestroy();
    await expect.poll(() => statusOf(server)).toBe(200);
    release();
    await statusOf(server);
    expect(targets).not.toContain('/2');
  });
});

describe('an answer', () => {
  test('has a Keep-Alive header, unless it is the last one', async () => {
    const server = await start(echo, {timeouts: {idleTimeoutMs: 7000}});
    const client = await server.connect();
    await client.send(GET);
    expect((await client.readAnswer()).headers.get('keep-alive')).toBe('timeout=7');
    await client.send(formatRequest('GET /', ['Connection: close']));
    const last = (await client.readAnswer()).headers;
    expect([last.get('connection'), last.get('keep-alive')]).toEqual(['close', undefined]);
  });

  for (const [name, length] of [
    ['small', 1],
    ['large', 10_000],
  ] as const) {
    test(`contains a ${name} text of any characters, pipelined too`, async () => {
      const text = 'a\u00fc\u20ac\u{1f600}'.repeat(length);
      const server = await start(() => jsonAnswer(text));
      const client = await server.connect();
      await client.send(Buffer.concat([GET, GET]));
      for (let count = 0; count < 2; count++) expect((await client.readAnswer()).json).toBe(text);
    });
  }
});

describe('a server that stops', () => {
  test('lets requests in flight finish, and accepts no more', async () => {
    const {handle, asked, release} = holdAnswers();
    const server = await start(handle);
    const [busy, idle] = [await server.connect(), await server.connect()];
    await busy.send(Buffer.concat([formatRequest('GET /first', []), formatRequest('GET /second', [])]));
    await expect.poll(asked).toBe(1);
    const stopped = server[Symbol.asyncDispose]();
    expect((await idle.readEnd()).length).toBe(0);
    await expect(server.connect()).rejects.toThrow(/ECONNREFUSED/);
    release();
    const answered = await busy.readAnswer();
    expect(answered.json).toBe('/first');
    expect(answered.headers.get('connection')).toBe('close');
    expect((await busy.readEnd()).length).toBe(0);
    await stopped;
    expect(asked()).toBe(0);
  });

  test('lets a body finish that is being sent', async () => {
    const server = await start(echo);
    const client = await server.connect();
    await client.send('PUT /k HTTP/1.1\r\nContent-Length: 2\r\n\r\n1');
    // An answer to another connection shows that the server has seen the beginning.
    await exchange({port: server.port}, GET);
    const stopped = server[Symbol.asyncDispose]();
    await client.send('2');
    expect((await client.readAnswer()).json).toBe('PUT /k 12');
    await stopped;
  });

  test('disconnects requests that take too long', async () => {
    const {handle, asked} = holdAnswers();
    const server = await start(handle, {timeouts: {stopTimeoutMs: 200}});
    const client = await server.connect();
    await client.send(GET);
    await expect.poll(asked).toBe(1);
    await server[Symbol.asyncDispose]();
    expect((await client.readEnd()).length).toBe(0);
  });

  test('may be stopped twice', async () => {
    const server = await start(echo);
    await Promise.all([server[Symbol.asyncDispose](), server[Symbol.asyncDispose]()]);
    await server[Symbol.asyncDispose]();
  });
});

describe('a defect in sending', () => {
  test('closes its connection only, and is reported', async () => {
    const server = await start(async ({target}) =>
      target === '/bad' ? {status: 200, rawHeaders: ['X', 'a\nb']} : jsonAnswer('good'),
    );
    const client = await server.connect();
    await client.send(formatRequest('GET /bad', []));
    expect((await client.readEnd()).length).toBe(0);
    expect(server.errors).toHaveLength(1);
    expect((await exchange({port: server.port}, GET)).json).toBe('good');
  });
});

describe('HEAD', () => {
  test('with an unread body is answered at once', async () => {
    const server = await start(async () => jsonAnswer('refused', {status: 403}), {timeouts: {lingerMs: 60_000}});
    const client = await server.connect();
    await client.send('HEAD / HTTP/1.1\r\nContent-Length: 10\r\n\r\n123');
    expect((await client.readAnswer('HEAD')).status).toBe(403);
    // The rest has arrived: there is nothing to wait for.
    await client.send('4567890');
    expect((await client.readEnd()).length).toBe(0);
  });
});
