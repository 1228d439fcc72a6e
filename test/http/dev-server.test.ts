import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createServer, type ViteDevServer} from 'vite';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {WebSocket} from 'ws';
import {findFreePort} from '../support/free-port.ts';
import {exchange, formatRequest, type RawAnswer} from '../support/raw-client.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

/** Starts a Vite that is configured as in docs/guides/page-on-another-port.md, in front of a service. */
interface Setup extends AsyncDisposable {
  readonly service: TestService;
  readonly port: number;
}

async function start(allowed: boolean): Promise<Setup> {
  const port = await findFreePort();
  const service = await startService(allowed ? {allowOrigins: [`http://localhost:${port}`]} : {});
  const directory = await makeTemporaryDirectory();
  const text = await readFile(new URL('../../docs/guides/page-on-another-port.md', import.meta.url), 'utf8');
  const config = /\/\/ vite\.config\.js\n(.+?)```/s.exec(text)?.[1] ?? '';
  const configFile = join(directory.path, 'vite.config.mjs');
  await writeFile(configFile, config.replace('localhost:7172', `127.0.0.1:${service.port}`));
  await writeFile(join(directory.path, 'index.html'), '<!doctype html>');
  const vite: ViteDevServer = await createServer({
    root: directory.path,
    configFile,
    logLevel: 'silent',
    server: {port, strictPort: true, host: '127.0.0.1'},
  });
  await vite.listen();
  const dispose = async (): Promise<void> => {
    await vite.close();
    await service[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  };
  return {service, port, [Symbol.asyncDispose]: dispose};
}

/** Returns the headers that a page of a site sends to the dev server. */
function call({port}: Setup, line: string, headers: readonly string[], body?: string): Promise<RawAnswer> {
  const all = [`Host: localhost:${port}`, 'Connection: close', ...headers];
  return exchange({port}, formatRequest(line, all, body));
}

function pageHeaders({port}: Setup): readonly string[] {
  return ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', `Referer: http://localhost:${port}/`];
}

describe('behind the proxy of Vite, configured as the documentation says,', () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await start(true);
  });
  afterAll(() => setup?.[Symbol.asyncDispose]());

  test('the page of an allowed origin reads and writes', async () => {
    const headers = [...pageHeaders(setup), `Origin: http://localhost:${setup.port}`];
    expect((await call(setup, 'PUT /api/store/k', headers, '{"a":1}')).status).toBe(201);
    expect((await call(setup, 'GET /api/store/k', pageHeaders(setup))).status).toBe(200);
    expect(Buffer.from((await setup.service.crewroom.entries.get('k'))?.json ?? []).toString()).toBe('{"a":1}');
  });

  test('it receives events over a WebSocket', async () => {
    const url = `ws://127.0.0.1:${setup.port}/api/events?prefix=followed`;
    const socket = new WebSocket(url, {origin: `http://localhost:${setup.port}`});
    const event = new Promise((resolve, reject) => {
      socket.on('error', reject).on('message', data => resolve(JSON.parse(String(data))));
    });
    await new Promise((resolve, reject) => socket.on('error', reject).on('open', resolve));
    await setup.service.crewroom.entries.put('followed', 1);
    expect(await event).toMatchObject({kind: 'entry-written', key: 'followed'});
    socket.terminate();
  });

  test('a page of another site that reaches the proxy gets nothing', async () => {
    const foreign = [
      ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'],
      ['Origin: http://localhost:3000', 'Sec-Fetch-Site: same-site'],
      ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'],
      ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
      ['Referer: https://evil.example/'],
    ];
    for (const headers of foreign) {
      const answer = await call(setup, 'GET /api/identity', headers);
      expect(answer.status, headers.join()).toBe(403);
      expect(answer.text).not.toContain('va_user');
    }
  });
});

describe('behind the proxy of Vite, without the flag that allows its origin,', () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await start(false);
  });
  afterAll(() => setup?.[Symbol.asyncDispose]());

  test('a page is refused with the missing flag', async () => {
    const origin = `http://localhost:${setup.port}`;
    const refused = {code: 'foreign-page', why: 'origin', origin, advice: expect.stringContaining('--allow-origin')};
    expect((await call(setup, 'GET /api/identity', pageHeaders(setup))).json).toMatchObject(refused);
    const written = await call(setup, 'PUT /api/store/k', [...pageHeaders(setup), `Origin: ${origin}`], '1');
    expect([written.status, written.json]).toEqual([403, expect.objectContaining(refused)]);
  });
});
