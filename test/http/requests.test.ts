import {once} from 'node:events';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {WebSocket} from 'ws';
import {type HttpSubscriber, openEventStream} from '../support/event-stream.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {callService, connectInTest, startInTest, startService, type TestService} from '../support/service.ts';

interface Requested {
  readonly sequence: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly [member: string]: unknown;
}

interface Page {
  readonly requests: readonly Requested[];
  readonly cursor: string;
  readonly missed: number;
}

async function readPage({url}: Pick<TestService, 'url'>, query = ''): Promise<Page> {
  const response = await fetch(`${url}/api/requests${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

/** Sends a request, and returns it as it was recorded. */
async function recorded(service: TestService, line: string, headers: readonly string[] = []): Promise<Requested> {
  await callService(service, line, {headers});
  const last = (await readPage(service)).requests.at(-1);
  if (last === undefined) throw new Error('nothing was recorded');
  return last;
}

async function openStream({url}: TestService, query = '', lastEventId?: string): Promise<HttpSubscriber> {
  const stream = await openEventStream(`${url}/api/requests${query}`, {
    headers: {Accept: 'text/event-stream'},
    ...(lastEventId === undefined ? {} : {lastEventId}),
  });
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  return stream;
}

async function nextPage(stream: HttpSubscriber): Promise<Page> {
  return JSON.parse((await stream.next()).data) as Page;
}

describe('GET /api/requests', () => {
  test('takes a foreign Last-Event-ID for none, and refuses a foreign parameter', async () => {
    const service = await startInTest({ephemeral: true});
    const headers = ['Last-Event-ID: of another program'];
    expect((await callService(service, 'GET /api/requests', {headers})).status).toBe(200);
    expect((await callService(service, 'GET /api/requests?after=of-another')).status).toBe(400);
  });

  test('has requests in their order, with time, status, duration and size', async () => {
    const service = await startInTest({ephemeral: true});
    await callService(service, 'POST /api/store/a%2Fb', {body: '1'});
    await callService(service, 'GET /api/store/a%2Fb');
    await callService(service, 'HEAD /api/store/a%2Fb');
    const {requests, cursor, missed} = await readPage(service);
    expect(requests).toEqual([
      expect.objectContaining({sequence: 1, method: 'POST', path: '/api/store/a%2Fb', status: 200, sizeBytes: 2}),
      expect.objectContaining({sequence: 2, method: 'GET', path: '/api/store/a%2Fb', status: 200, sizeBytes: 1}),
      expect.objectContaining({sequence: 3, method: 'HEAD', status: 200, sizeBytes: 0}),
    ]);
    expect([missed, cursor]).toEqual([0, expect.stringMatching(/^[0-9a-f]{8}-3$/)]);
    for (const {requestedAt, durationMs} of requests) {
      expect(Math.abs(Date.parse(String(requestedAt)) - Date.now())).toBeLessThan(60_000);
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
  });

  test('names in one header what the answer depends on, also for a page', async () => {
    const service = await startInTest({ephemeral: true});
    const {headers} = await callService(service, 'GET /api/requests', {
      headers: [`Origin: http://localhost:${service.port}`],
    });
    // `get` joins those that occur twice.
    expect(headers.get('vary')).toBe('Accept, Origin');
  });

  test('has the headers of each request, however many programs send them', async () => {
    const service = await startInTest({ephemeral: true});
    const programs = Array.from({length: 40}, (_, index) => `program/${index % 11}`);
    for (const program of programs) await callService(service, 'GET /livez', {headers: [`User-Agent: ${program}`]});
    const {requests} = await readPage(service);
    expect(requests.map(({headers}) => (headers as Record<string, string>)['user-agent'])).toEqual(programs);
  });

  test('omits requests for itself and for metrics', async () => {
    const service = await startInTest({ephemeral: true});
    for (const line of ['GET /metrics', 'GET /api/requests', 'GET /api/requests?x=1', 'HEAD /api/requests'])
      await callService(service, line);
    expect((await readPage(service)).requests).toEqual([]);
  });

  test('returns only requests after `after`, which is a cursor or a number', async () => {
    const service = await startInTest({ephemeral: true});
    for (let count = 0; count < 3; count++) await callService(service, 'GET /livez');
    const {cursor} = await readPage(service);
    expect(await readPage(service, `?after=${cursor}`)).toEqual({requests: [], cursor, missed: 0});
    expect((await readPage(service, '?after=2')).requests.map(({sequence}) => sequence)).toEqual([3]);
    await callService(service, 'GET /livez');
    expect((await readPage(service, `?after=${cursor}`)).requests.map(({sequence}) => sequence)).toEqual([4]);
  });

  test('returns everything after a cursor of an earlier run of the service', async () => {
    const service = await startInTest({ephemeral: true});
    await callService(service, 'GET /livez');
    for (const after of ['00000000-57', '00000000-1', '57'])
      expect((await readPage(service, `?after=${after}`)).requests.length, after).toBe(1);
  });

  test('keeps the last 1,000, and reports how many a reader missed', async () => {
    const service = await startInTest({ephemeral: true});
    const client = await connectInTest(service);
    const head = Buffer.from(`GET /livez HTTP/1.1\r\nHost: localhost:${service.port}\r\n\r\n`);
    for (let count = 0; count < 1007; count++) {
      await client.send(head);
      await client.readAnswer();
    }
    const page = await readPage(service, '?after=3');
    expect(page.requests.map(({sequence}) => sequence)).toEqual(Array.from({length: 1000}, (_, index) => index + 8));
    expect(page.missed).toBe(4);
    expect((await readPage(service)).missed).toBe(0);
  });

  for (const query of ['?after=x', '?after=-1', '?after=01', '?after=1&after=2', '?since=1']) {
    test(`refuses ${query}`, async () => {
      const service = await startInTest({ephemeral: true});
      for (const headers of [[], ['Accept: text/event-stream']]) {
        const answer = await callService(service, `GET /api/requests${query}`, {headers});
        expect([answer.status, answer.json['code']]).toEqual([400, 'invalid-parameter']);
      }
    });
  }

  const callers = [
    {name: 'a local program', headers: [], status: 200},
    {name: 'a page of the service', headers: ['Origin: http://localhost:PORT'], status: 200},
    {name: 'a page of the service, without an origin', headers: ['Referer: http://localhost:PORT/'], status: 200},
    {
      name: 'a page of an allowed origin',
      headers: ['Origin: http://localhost:5173'],
      status: 403,
      code: 'foreign-page',
    },
    {name: 'a page of another origin', headers: ['Origin: https://evil.example'], status: 403, code: 'foreign-page'},
    {name: 'a page without an origin', headers: ['Sec-Fetch-Site: cross-site'], status: 403, code: 'foreign-page'},
    {
      name: 'an address bar',
      headers: ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
      status: 403,
      code: 'not-a-page',
    },
  ];
  for (const {name, headers, status, code} of callers) {
    test(`answers ${status} to ${name}`, async () => {
      const service = await startInTest({ephemeral: true, allowOrigins: ['http://localhost:5173']});
      const sent = headers.map(header => header.replace('PORT', String(service.port)));
      for (const accept of [[], ['Accept: text/event-stream']]) {
        const client = await connectInTest(service);
        const lines = [`GET /api/requests HTTP/1.1`, `Host: localhost:${service.port}`, ...sent, ...accept];
        await client.send(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
        // An answer with 200 is a stream, which has no end.
        const head = await client.readUntil('\r\n\r\n');
        expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        const body = code === undefined ? '' : await client.readUntil('}');
        expect(body).toContain(code ?? '');
      }
    });
  }
});

describe('a recorded request', () => {
  test('names the page that was refused, and how to allow it', async () => {
    const service = await startInTest({ephemeral: true});
    const request = await recorded(service, 'GET /api/identity', ['Origin: http://localhost:5173']);
    expect(request).toMatchObject({
      status: 403,
      origin: 'http://localhost:5173',
      failure: {
        code: 'foreign-page',
        why: 'origin',
        detail: expect.stringContaining('http://localhost:5173'),
        advice: 'If the page is yours, start the service with --allow-origin http://localhost:5173',
        instance: expect.stringMatching(/^[0-9a-f]{8}-[0-9]+$/),
      },
    });
  });

  test('has the id of its answer', async () => {
    const service = await startInTest({ephemeral: true});
    const {json} = await callService(service, 'GET /nothing');
    const [request] = (await readPage(service)).requests;
    expect(request).toMatchObject({path: '/nothing', failure: {code: 'no-resource', instance: json['instance']}});
  });

  test('to another host is recorded too', async () => {
    const service = await startInTest({ephemeral: true});
    const client = await connectInTest(service);
    await client.send(Buffer.from('GET /api/identity HTTP/1.1\r\nHost: rebound.example\r\n\r\n'));
    await client.readAnswer();
    const [request] = (await readPage(service)).requests;
    expect(request).toMatchObject({status: 421, headers: {host: 'rebound.example'}, failure: {code: 'foreign-host'}});
  });

  test('shows no fragment, which only a program without a library sends, in its failure either', async () => {
    const service = await startInTest({ephemeral: true});
    const client = await connectInTest(service);
    await client.send(Buffer.from(`GET /nothing#secret HTTP/1.1\r\nHost: localhost:${service.port}\r\n\r\n`));
    await client.readAnswer();
    const {requests} = await readPage(service);
    expect(requests).toMatchObject([{path: '/nothing', failure: {code: 'no-resource'}}]);
    expect(JSON.stringify(requests)).not.toContain('secret');
  });

  const masked = [
    {target: '/api/keys?prefix=a/&limit=1&token=secret', path: '/api/keys?prefix=a/&limit=1&token=…'},
    {target: '/api/keys?limit=secret&after=secret', path: '/api/keys?limit=…&after=…'},
    {target: '/api/com.example.a/x?prefix=secret', path: '/api/com.example.a/x?prefix=…'},
    {target: '/nothing?secret', path: '/nothing?…'},
    {target: '/nothing?a=&=secret&b=secret=secret', path: '/nothing?a=&=…&b=…'},
    {target: 'http://user:secret@localhost:PORT/nothing?x=secret', path: '/nothing?x=…'},
  ];
  for (const {target, path} of masked) {
    test(`shows ${target} without the values`, async () => {
      const service = await startInTest({ephemeral: true});
      const request = await recorded(service, `GET ${target.replace('PORT', String(service.port))}`, [
        `Referer: http://user:secret@localhost:${service.port}/page?token=secret#secret`,
        'Cookie: secret=secret',
        'Authorization: Bearer secret',
        'X-Api-Key: secret',
        'User-Agent: test/1',
      ]);
      expect(request.path).toBe(path);
      expect(JSON.stringify(request)).not.toContain('secret');
      expect(request['headers']).toMatchObject({
        'user-agent': 'test/1',
        referer: `http://localhost:${service.port}/page?token=…`,
      });
    });
  }

  const pages = [
    {name: 'a first load of the console', line: 'GET /', headers: ['Sec-Fetch-Dest: document'], own: true},
    {name: 'an asset of it', line: 'GET /assets/x', headers: ['Sec-Fetch-Dest: script'], own: false},
    {name: 'the console', line: 'GET /api/identity', host: 'localhost', own: true},
    {name: 'a file of a page that is missing', line: 'GET /plugins/a/', host: 'localhost', own: false},
    {name: 'a page of a plugin', line: 'GET /livez', host: 'localhost', page: 'plugins/com.a/', own: false},
    {name: 'a program', line: 'GET /livez', own: false},
    {name: 'the console, refused', line: 'PUT /api/store/..', host: 'localhost', own: false},
  ];
  for (const {name, line, headers = [], host, page = '', own} of pages) {
    test(`is ${own ? '' : 'not '}our own: ${name}`, async () => {
      const service = await startInTest({ephemeral: true});
      const from = host === undefined ? [] : [`Referer: http://${host}:${service.port}/${page}`];
      expect((await recorded(service, line, [...from, ...headers]))['own']).toBe(own);
    });
  }

  test('of a file of a page is our own if it was answered, and otherwise not', async () => {
    const files = {'ui/index.html': '<!doctype html>', 'ui/main.js': ''};
    const service = await startPlugins(directory => writePlugin(join(directory, 'com.example.page'), files));
    const referer = `Referer: http://localhost:${service.port}/plugins/com.example.page/`;
    const isOwn = async (line: string, ...headers: readonly string[]): Promise<unknown> =>
      (await recorded(service, line, headers))['own'];
    expect(await isOwn('GET /plugins/com.example.page/')).toBe(true);
    expect(await isOwn('GET /plugins/com.example.page')).toBe(true);
    expect(await isOwn('GET /plugins/com.example.page/main.js', referer, 'Sec-Fetch-Dest: script')).toBe(true);
    expect(await isOwn('GET /client.js', referer, 'Sec-Fetch-Dest: script')).toBe(true);
    expect(await isOwn('GET /plugins/com.example.page/missing.js', referer, 'Sec-Fetch-Dest: script')).toBe(false);
    expect(await isOwn('GET /api/identity', referer)).toBe(false);
  });

  for (const query of [
    '?kinds=my-secret',
    '?my-secret',
    `?${'my-secret'.repeat(20)}`,
    `?${'my-secret'.repeat(20)}%FF`,
    '?after=my-secret',
    '?x=my-secret',
    '?x=my%2Dsecret%FF',
    '?initial=my-secret',
  ]) {
    test(`does not repeat the values of ${query} in the message of its failure`, async () => {
      const service = await startInTest({ephemeral: true});
      const request = await recorded(service, `GET /api/events${query}`);
      expect(request.status).toBe(400);
      expect(JSON.stringify(request)).not.toContain('secret');
      expect(request).toMatchObject({
        failure: {code: 'invalid-parameter', detail: expect.stringMatching(/^Cannot use /)},
      });
    });
  }

  const senders = [
    {name: 'a program that names a plugin', headers: ['X-Crewroom-Plugin: com.example.a'], plugin: undefined},
    {
      name: 'a page',
      headers: ['Referer: http://localhost:PORT/plugins/com.example.b/index.html'],
      plugin: 'com.example.b',
    },
    {
      name: 'a page of another origin',
      headers: ['Referer: http://localhost:5173/plugins/com.example.b/'],
      plugin: undefined,
    },
    {name: 'a program', headers: [], plugin: undefined},
  ];
  test('of a background is of its plugin, by its token', async () => {
    const source = `exports.onStart = () => fetch('http://localhost:7172/api/limits');`;
    const id = 'com.example.a';
    const service = await startPlugins(plugins => writePlugin(join(plugins, id), {'background/index.js': source}));
    const ofBackground = async (): Promise<Requested | undefined> =>
      (await readPage(service)).requests.find(({path}) => path === '/api/limits');
    await expect.poll(ofBackground).toMatchObject({plugin: id});
    expect(JSON.stringify(await ofBackground())).not.toContain('crewroom_');
  });

  for (const {name, headers, plugin} of senders) {
    test(`of ${name} is of ${plugin ?? 'no plugin'}`, async () => {
      const service = await startInTest({ephemeral: true});
      const sent = headers.map(header => header.replace('PORT', String(service.port)));
      expect((await recorded(service, 'GET /api/identity', sent))['plugin']).toBe(plugin);
    });
  }

  test('is short, however long its parts are', async () => {
    const service = await startInTest({ephemeral: true});
    const long = await recorded(service, `GET /${'a'.repeat(5000)}?${'b'.repeat(2000)}`, [
      `Referer: http://localhost:${service.port}/${'c'.repeat(4000)}`,
      `User-Agent: ${'d'.repeat(3000)}`,
      'User-Agent: second',
    ]);
    expect(long.path).toMatch(/^\/a{1000,1024}\.\.\.$/);
    expect(JSON.stringify(long).length).toBeLessThan(4000);
    expect(Object.keys(long['headers'] as object).sort()).toEqual(['host', 'referer', 'user-agent']);
  });

  test('of a browser with large cookies has the headers that are shown', async () => {
    const service = await startInTest({ephemeral: true});
    const {headers} = await recorded(service, 'GET /api/identity', [
      `Cookie: ${'c'.repeat(5000)}`,
      'User-Agent: test/1',
      'Sec-Fetch-Site: same-origin',
    ]);
    expect(headers).toMatchObject({'user-agent': 'test/1', 'sec-fetch-site': 'same-origin'});
    expect(JSON.stringify(headers)).not.toContain('ccc');
  });

  test('of the embedding program is recorded, and shown to it', async () => {
    const {crewroom, url} = await startInTest({ephemeral: true});
    await crewroom.fetch(new Request(`${url}/api/identity?x=1`));
    const {requests, missed} = await crewroom.requests.read();
    expect(requests).toMatchObject([{method: 'GET', path: '/api/identity?x=…', status: 400}]);
    expect(missed).toBe(0);
  });

  test('that opens a stream or a WebSocket is recorded when it begins', async () => {
    const service = await startInTest({ephemeral: true});
    const events = await openEventStream(`${service.url}/api/events`);
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/events`);
    await once(socket, 'open');
    expect((await readPage(service)).requests).toMatchObject([
      {path: '/api/events', status: 200},
      {path: '/api/events', status: 101, sizeBytes: 0},
    ]);
    expect((await readPage(service)).requests[0]).not.toHaveProperty('sizeBytes');
    socket.close();
    await events[Symbol.asyncDispose]();
  });
});

describe('the stream of requests', () => {
  test('begins with those that are kept, and continues with new ones', async () => {
    const service = await startInTest({ephemeral: true});
    await callService(service, 'GET /livez');
    await using stream = await openStream(service);
    expect((await nextPage(stream)).requests.map(({path}) => path)).toEqual(['/livez']);
    await callService(service, 'GET /readyz');
    const page = await nextPage(stream);
    expect(page.requests.map(({sequence, path}) => [sequence, path])).toEqual([[2, '/readyz']]);
    expect(stream.parser.lastEventId).toBe(page.cursor);
    expect(stream.parser.retryMs).toBe(10_000);
  });

  test('resumes after the last id that a browser received, whatever its address says', async () => {
    const service = await startInTest({ephemeral: true});
    for (let count = 0; count < 3; count++) await callService(service, 'GET /livez');
    const {cursor} = await readPage(service);
    await callService(service, 'GET /readyz');
    await using stream = await openStream(service, '?after=0', cursor);
    expect((await nextPage(stream)).requests.map(({sequence}) => sequence)).toEqual([4]);
  });

  test('reports how many requests a slow reader missed', async () => {
    const {crewroom, url} = await startInTest({ephemeral: true});
    const ended = new AbortController();
    const pages = crewroom.requests.follow({signal: ended.signal})[Symbol.asyncIterator]();
    const send = async (count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent++) await crewroom.fetch(new Request(`${url}/livez`));
    };
    await send(1);
    expect((await pages.next()).value).toMatchObject({missed: 0, requests: [{sequence: 1}]});
    await send(1200);
    const {value} = await pages.next();
    expect(value?.missed).toBe(200);
    expect(value?.requests[0]?.sequence).toBe(202);
    ended.abort();
    expect(await pages.next()).toEqual({done: true, value: undefined});
  });

  test('ends when the service stops', async () => {
    const service = await startService({ephemeral: true});
    await using stream = await openStream(service);
    const ended = stream.end();
    await service[Symbol.asyncDispose]();
    expect(await ended).toEqual([]);
  });

  test('counts readers that have not asked for a page, and none that asks for the head only', async () => {
    const {crewroom, url} = await startInTest({ephemeral: true});
    const headers = {Accept: 'text/event-stream'};
    for (let count = 0; count < 65; count++) await fetch(`${url}/api/requests`, {method: 'HEAD', headers});
    const ended = new AbortController();
    for (let count = 0; count < 64; count++) crewroom.requests.follow({signal: ended.signal});
    expect(() => crewroom.requests.follow()).toThrow(/64/);
    ended.abort();
    crewroom.requests.follow();
  });

  test('has a limit of readers, and their places are free again when they are gone', async () => {
    const service = await startInTest({ephemeral: true});
    await callService(service, 'GET /livez');
    const streams: HttpSubscriber[] = [];
    for (let count = 0; count < 64; count++) streams.push(await openStream(service));
    for (const stream of streams) await stream.next();
    const headers = ['Accept: text/event-stream'];
    const refused = await callService(service, 'GET /api/requests', {headers});
    expect(refused.json).toMatchObject({code: 'busy', what: 'subscribers', max: 64, status: 503});
    await streams.shift()?.[Symbol.asyncDispose]();
    await expect
      .poll(async () => {
        const response = await fetch(`${service.url}/api/requests`, {headers: {Accept: 'text/event-stream'}});
        await response.body?.cancel();
        return response.status;
      })
      .toBe(200);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });
});
