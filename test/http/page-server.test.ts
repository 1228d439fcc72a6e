import {once} from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http';
import {type AddressInfo, createServer as createTcpServer, type Server as TcpServer} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {type WebSocket as Socket, WebSocket, WebSocketServer} from 'ws';
import {TUNNELS_MAX} from '../../src/http/proxy/page-server.ts';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.work';
const PAGE = `/plugins/${ID}/`;

let home: AsyncDisposable & {readonly path: string};
let server: Server;
let address: string;
let service: TestService;
/** Answers the requests of the test that runs. */
let answer: RequestListener;
/** Requests that the dev server received, newest last. */
const received: IncomingMessage[] = [];

beforeAll(async () => {
  home = await makeTemporaryDirectory();
  await writePlugin(join(home.path, 'work'), {'plugin.json': manifestOf(ID), 'background/index.js': ''});
  await writePlugin(join(home.path, 'installed', 'com.example.other'), {'ui/index.html': 'the files of the other'});
  server = createServer((request, response) => {
    received.push(request);
    answer(request, response);
  });
  const sockets = new WebSocketServer({server, handleProtocols: () => 'vite-hmr'});
  sockets.on('connection', (socket, request) => {
    received.push(request);
    socket.on('message', data => socket.send(`echo ${data}`));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://localhost:${portOf(server)}`;
  service = await startFor(address);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  server?.closeAllConnections();
  server?.close();
  await home?.[Symbol.asyncDispose]();
});

async function startFor(pageServer: string): Promise<TestService> {
  const started = await startService(
    {devPlugins: [join(home.path, 'work')], pluginsDir: join(home.path, 'installed'), ephemeral: true},
    {pageServer},
  );
  await started.crewroom.plugins.ready();
  return started;
}

function portOf(listening: Server | TcpServer): number {
  return (listening.address() as AddressInfo).port;
}

/** Sends a request whose path is not changed on the way, and reads the whole answer. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
  const sent = request({
    host: '127.0.0.1',
    port: service.port,
    path,
    headers: {Host: `localhost:${service.port}`, ...headers},
  });
  const [found] = (await once(sent.end(), 'response')) as [IncomingMessage];
  const chunks = (await found.toArray()) as Buffer[];
  return {status: found.statusCode, headers: found.headers, text: Buffer.concat(chunks).toString()};
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Opens a WebSocket on the service. */
async function open(path: string, origin = `http://localhost:${service.port}`): Promise<Socket> {
  const socket = new WebSocket(`ws://localhost:${service.port}${path}`, 'vite-hmr', {origin});
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

describe('the page of a plugin with a dev server', () => {
  test('comes from that server, with the path and the query as they were sent', async () => {
    answer = (request, response) => response.setHeader('Content-Type', 'text/plain').end(`from ${request.url}`);
    expect((await get(`${PAGE}src/a%2Fb.ts?t=1&x=%7e`)).text).toBe(`from ${PAGE}src/a%2Fb.ts?t=1&x=%7e`);
    expect((await get(PAGE)).text).toBe(`from ${PAGE}`);
    expect(await (await fetch(`${service.url}/api/plugins/${ID}`)).json()).toMatchObject({hasPage: true});
  });

  test('is that of this plugin only: other plugins have their files', async () => {
    expect((await get('/plugins/com.example.other/')).text).toBe('the files of the other');
    expect((await get('/plugins/com.example.none/')).status).toBe(404);
  });

  test('has no path that leads out of it', async () => {
    received.length = 0;
    for (const path of ['../x', '%2e%2e/x', '..%2fx', 'a%5C..%5C..%5cx', '.%2E', 'a/../../x', '..\\x']) {
      const {status} = await get(`${PAGE}${path}`);
      expect(status, path).toBe(404);
    }
    expect(received).toEqual([]);
  });

  test('keeps status, type, tags and caching, and answers HEAD and 304 without a body', async () => {
    answer = (request, response) => {
      const status = request.headers['if-none-match'] === '"1"' ? 304 : 404;
      response.writeHead(status, {'Content-Type': 'text/css', ETag: '"1"', 'Cache-Control': 'no-cache'}).end('body');
    };
    const found = await get(`${PAGE}a.css`);
    expect([found.status, found.headers['content-type'], found.headers['etag']]).toEqual([404, 'text/css', '"1"']);
    expect(found.headers['x-content-type-options']).toBe('nosniff');
    expect(found.headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(found.headers['content-security-policy']).toContain("frame-ancestors 'self'");
    expect((await get(`${PAGE}a.css`, {'If-None-Match': '"1"'})).status).toBe(304);
    const head = await fetch(`${service.url}${PAGE}a.css`, {method: 'HEAD'});
    expect([head.status, await head.text()]).toEqual([404, '']);
  });

  test('has the address of this service in its texts, wherever a chunk ends', async () => {
    const text = `http://localhost:7172/a "http://127.0.0.1:7172" http://localhost:71720 https ht`;
    const moved = text
      .replace('localhost:7172/', `localhost:${service.port}/`)
      .replace('127.0.0.1:7172', `localhost:${service.port}`);
    for (let cut = 1; cut < text.length; cut += 3) {
      answer = async (_, response) => {
        response.setHeader('Content-Type', 'text/javascript');
        response.write(text.slice(0, cut));
        await new Promise(resolve => response.write('', resolve));
        setImmediate(() => response.end(text.slice(cut)));
      };
      expect((await get(`${PAGE}a.js`)).text).toBe(moved);
    }
    answer = (_, response) => response.setHeader('Content-Type', 'image/png').end(text);
    expect((await get(`${PAGE}a.png`)).text).toBe(text);
  });

  test('has a script that reports its errors in documents only', async () => {
    answer = (_, response) => response.setHeader('Content-Type', 'text/html').end('<!DOCTYPE html>\n<p>x');
    const navigation = {'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin'};
    expect((await get(PAGE, navigation)).text).toMatch(/^<!DOCTYPE html><script>[^\n]+<\/script>\n<p>x$/);
    expect((await get(PAGE)).text).toBe('<!DOCTYPE html>\n<p>x');
  });

  test('is streamed with backpressure', async () => {
    let sentBytes = 0;
    answer = (request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const send = (): void => {
        while (sentBytes < 64 * 1024 * 1024 && !request.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    };
    const {body} = await fetch(`${service.url}${PAGE}large.bin`);
    const reader = body?.getReader();
    await reader?.read();
    const [{socket}] = received.slice(-1) as [IncomingMessage];
    // Nothing is sent any more once every buffer on the way is full.
    for (let before = -1; before !== sentBytes; ) {
      before = sentBytes;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
    const closed = new Promise(resolve => socket.on('error', () => {}).once('close', resolve));
    await reader?.cancel();
    await closed;
  });
});

describe('the dev server of a page', () => {
  test('gets no credentials, no headers of the connection, and its own address', async () => {
    answer = (_, response) => response.end();
    await get(PAGE, {
      Authorization: 'Bearer secret',
      'Proxy-Authorization': 'secret',
      Cookie: 'a=secret',
      'X-Named': 'secret',
      Connection: 'X-Named',
      'Keep-Alive': 'secret',
      TE: 'secret',
      'X-Forwarded-Host': 'secret',
      Origin: `http://localhost:${service.port}`,
      Referer: `http://localhost:${service.port}/secret`,
      'X-Kept': 'kept',
    });
    const [got] = received.slice(-1) as [IncomingMessage];
    expect(JSON.stringify(got.rawHeaders)).not.toContain('secret');
    expect(got.headers).toMatchObject({host: address.slice(7), origin: address, 'x-kept': 'kept'});
  });

  test('cannot set cookies, ask for a password, open its answers to others, or change what applies to the whole origin', async () => {
    answer = (_, response) => {
      const refused = [
        'Set-Cookie',
        'WWW-Authenticate',
        'Access-Control-Allow-Origin',
        'Clear-Site-Data',
        'Service-Worker-Allowed',
        'Origin-Agent-Cluster',
      ];
      for (const name of refused) response.setHeader(name, 'x');
      response.writeHead(401, {Connection: 'X-Named', 'X-Named': '1', 'X-Kept': 'kept'}).end();
    };
    const {status, headers} = await get(PAGE);
    expect(status).toBe(401);
    expect(Object.keys(headers).sort()).toEqual([
      ...[
        'connection',
        'content-security-policy',
        'crewroom-api',
        'cross-origin-opener-policy',
        'cross-origin-resource-policy',
        'date',
      ],
      ...['keep-alive', 'origin-agent-cluster', 'transfer-encoding', 'x-content-type-options', 'x-kept'],
    ]);
  });

  test('redirects within the service', async () => {
    answer = (_, response) => response.writeHead(302, {Location: `${address}${PAGE}next`}).end();
    expect((await get(PAGE)).headers['location']).toBe(`${PAGE}next`);
    answer = (_, response) => response.writeHead(302, {Location: 'https://elsewhere.example/'}).end();
    expect((await get(PAGE)).headers['location']).toBe('https://elsewhere.example/');
  });

  test('is asked only for what the guard admits', async () => {
    received.length = 0;
    const foreign = [
      {Origin: 'https://evil.example'},
      {'Sec-Fetch-Site': 'cross-site'},
      {Referer: 'http://localhost:3000/'},
      {'Sec-Purpose': 'prefetch'},
      {Host: `evil.example:${service.port}`},
    ];
    for (const headers of foreign)
      expect((await get(PAGE, headers)).status, JSON.stringify(headers)).toBeOneOf([403, 421]);
    const socket = new WebSocket(`ws://localhost:${service.port}${PAGE}`, {origin: 'https://evil.example'});
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(403);
    expect(received).toEqual([]);
  });

  test('gets GET and HEAD only', async () => {
    expect((await fetch(`${service.url}${PAGE}x`, {method: 'POST', body: '{}'})).status).toBe(405);
  });

  test('is named with the reason if it does not answer', async () => {
    const port = await findFreePort();
    await using other = await startFor(`http://localhost:${port}`);
    const refused = await fetch(`${other.url}${PAGE}`);
    expect(refused.status).toBe(502);
    expect(await refused.json()).toMatchObject({
      ...{code: 'dev-server-failed', url: `http://localhost:${port}`, problem: 'nothing listens there'},
      advice: expect.stringContaining('crewroom dev --ui'),
    });
    const hostile = createTcpServer(socket => socket.on('error', () => {}).end('SSH-2.0-x\r\n\r\n'));
    onTestFinished(() => void hostile.close());
    await once(hostile.listen(port, '127.0.0.1'), 'listening');
    expect(await (await fetch(`${other.url}${PAGE}`)).json()).toMatchObject({problem: 'its answer is not HTTP'});
  });

  test('that does not answer is a page in windows and frames, which is loaded again until it does', async () => {
    const port = await findFreePort();
    await using other = await startFor(`http://localhost:${port}`);
    for (const dest of ['iframe', 'document']) {
      const headers = {'Sec-Fetch-Dest': dest, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin'};
      const refused = await fetch(`${other.url}${PAGE}`, {headers});
      expect([refused.status, refused.headers.get('refresh')]).toEqual([502, '2']);
      expect(refused.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await refused.text()).toContain(`the dev server at http://localhost:${port}: nothing listens there`);
    }
  });

  test('is never reached by a name or an address that is not of this machine', async () => {
    for (const wrong of [
      'http://192.0.2.1:80',
      'http://0.0.0.0:1',
      'http://[::ffff:192.0.2.1]:1',
      'https://localhost',
      'http://a:b@localhost',
      'http://localhost/x',
      'file:///etc',
      'x',
    ])
      await expect(startFor(wrong), wrong).rejects.toMatchObject({failure: {code: 'invalid-configuration'}});
    // The name of this machine in its network, or one that does not exist.
    await using other = await startFor('http://dev-server.invalid:80');
    expect(await (await fetch(`${other.url}${PAGE}`)).json()).toMatchObject({
      code: 'dev-server-failed',
      url: 'http://dev-server.invalid',
    });
  });
});

describe('a WebSocket of a page', () => {
  test('goes to the dev server, with its subprotocol, and back', async () => {
    const socket = await open(`${PAGE}?token=abc`);
    expect(socket.protocol).toBe('vite-hmr');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
    const [got] = received.slice(-1) as [IncomingMessage];
    expect([got.url, got.headers.origin, got.headers.host]).toEqual([`${PAGE}?token=abc`, address, address.slice(7)]);
    const closed = once(got.socket, 'close');
    socket.close();
    await closed;
  });

  test('may have the path of webpack-dev-server', async () => {
    const socket = await open('/ws');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
  });

  test('is refused for other plugins', async () => {
    const socket = new WebSocket(`ws://localhost:${service.port}/plugins/com.example.other/`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(404);
  });

  test('has a limit of their number, and those that have closed do not count', async () => {
    const sockets = await Promise.all(Array.from({length: TUNNELS_MAX}, () => open(PAGE)));
    const refused = new WebSocket(`ws://localhost:${service.port}${PAGE}`);
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(503);
    for (const socket of sockets) socket.terminate();
    await expect
      .poll(() =>
        open(PAGE).then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('open');
  });

  test('is refused with the reason if the dev server opens none', async () => {
    const plain = createServer((_, response) => response.writeHead(404).end());
    onTestFinished(() => void plain.close());
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    await using other = await startFor(`http://127.0.0.1:${portOf(plain)}`);
    const socket = new WebSocket(`ws://127.0.0.1:${other.port}${PAGE}`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(502);
  });

  test('is closed if the dev server resets it', async () => {
    const hostile = createTcpServer(socket => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
          setImmediate(() => socket.resetAndDestroy());
        });
    });
    onTestFinished(() => void hostile.close());
    await once(hostile.listen(0, '127.0.0.1'), 'listening');
    await using other = await startFor(`http://127.0.0.1:${portOf(hostile)}`);
    for (let attempt = 0; attempt < 20; attempt++) {
      const socket = new WebSocket(`ws://127.0.0.1:${other.port}${PAGE}`).on('error', () => {});
      await new Promise(resolve => socket.once('close', resolve));
    }
    expect((await fetch(`${other.url}/livez`)).status).toBe(200);
  });

  test('is closed when the service stops', async () => {
    const other = await startFor(address);
    const socket = new WebSocket(`ws://127.0.0.1:${other.port}${PAGE}`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await other[Symbol.asyncDispose]();
    await closed;
  });
});
