import {readdir, readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gunzipSync, gzipSync} from 'node:zlib';
import {describe, expect, onTestFinished, test} from 'vitest';
import {AppError} from '../../src/core/failures/app-error.ts';
import {openMemoryStore} from '../../src/store/memory/memory-store.ts';
import {callService, startService, useService} from '../support/service.ts';

const service = useService();

/** Folder of the built console. */
const BUILT = fileURLToPath(new URL('../../dist/console', import.meta.url));

/** Largest size of the files that the page loads at first, in bytes, compressed with gzip. */
const COMPRESSED_BYTES_MAX = 100_000;

/** Calls the console at its own name. */
function callConsole(
  line: string,
  options: {readonly headers?: readonly string[]} = {},
): ReturnType<typeof callService> {
  return callService(service(), line, {...options, host: `crewroom.localhost:${service().port}`});
}

async function listFiles(): Promise<readonly string[]> {
  const entries = await readdir(BUILT, {recursive: true, withFileTypes: true});
  return entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name).slice(BUILT.length + 1));
}

describe('the console', () => {
  test('is answered with all its files, which browsers keep and revalidate', async () => {
    const {headers, text} = await callConsole('GET /');
    const entrance = await callService(service(), 'GET /');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const names = await listFiles();
    const scripts = await Promise.all(
      names.filter(name => name.endsWith('.js')).map(name => readFile(join(BUILT, name), 'utf8')),
    );
    for (const name of names) {
      const isLoaded = [text, entrance.text, ...scripts].some(each => each.includes(basename(name)));
      expect([name, name.endsWith('.html') || isLoaded]).toEqual([name, true]);
      const answer = await callService(service(), `GET /console/${name}`);
      expect([name, answer.status, answer.headers.get('cache-control')]).toEqual([name, 200, 'no-cache']);
      const again = await callService(service(), `GET /console/${name}`, {
        headers: [`If-None-Match: ${answer.headers.get('etag')}`],
      });
      expect(again.status).toBe(304);
    }
  });

  test('has its files compressed for clients that take that, each form with a tag of its own', async () => {
    const names = (await listFiles()).filter(name => /\.(?:js|css|svg)$/.test(name));
    for (const name of names) {
      const get = (...headers: readonly string[]) => callService(service(), `GET /console/${name}`, {headers});
      const [plain, coded, refused] = [
        await get(),
        await get('Accept-Encoding: br, gzip;q=0.5'),
        await get('Accept-Encoding: gzip;q=0'),
      ];
      expect([plain, coded, refused].map(({headers}) => headers.get('content-encoding'))).toEqual([
        undefined,
        'gzip',
        undefined,
      ]);
      expect([plain, coded, refused].map(({headers}) => headers.get('vary'))).toEqual(Array(3).fill('Accept-Encoding'));
      expect(gunzipSync(coded.body)).toEqual(plain.body);
      expect(refused.headers.get('etag')).toBe(plain.headers.get('etag'));
      expect(coded.headers.get('etag')).not.toBe(plain.headers.get('etag'));
      const tag = `If-None-Match: ${coded.headers.get('etag')}`;
      const [again, other] = [await get(tag, 'Accept-Encoding: gzip'), await get(tag)];
      expect([again.status, again.headers.get('vary'), other.status]).toEqual([304, 'Accept-Encoding', 200]);
    }
  });

  test('is small when it is opened, and has no script or style inside of the page', async () => {
    const {text} = await callConsole('GET /');
    const names = [...text.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThanOrEqual(3);
    const files = await Promise.all(['index.html', ...names].map(name => readFile(join(BUILT, name))));
    const sizes = files.map(content => gzipSync(content).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(COMPRESSED_BYTES_MAX);
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style=/);
  });

  for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
    test(`is at ${host} a page that loads one small file, and leads to the console's own name`, async () => {
      const {headers, text} = await callService(service(), 'GET /', {host: `${host}:${service().port}`});
      expect(text.match(/(?:src|href)="[^"]+"/g)).toEqual([
        'href="data:,"',
        'src="/console/entrance.js"',
        'href="/docs"',
      ]);
      const script = await readFile(join(BUILT, 'entrance.js'));
      expect(gzipSync(text).length + gzipSync(script).length).toBeLessThan(2000);
      expect(headers.get('content-security-policy')).toContain(`connect-src 'self' http://crewroom.localhost:`);
    });

  const CHROMIUM = ['Sec-CH-UA: "Chromium";v="156"', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
  for (const host of ['localhost', 'LocalHost'])
    test(`is at ${host} its own name for browsers of Chromium, without a page between`, async () => {
      const {port} = service();
      const {status, headers} = await callService(service(), 'GET /', {host: `${host}:${port}`, headers: CHROMIUM});
      expect([status, headers.get('location')]).toEqual([308, `http://crewroom.localhost:${port}/`]);
      expect(headers.get('cache-control')).toBe('no-store');
    });

  for (const {name, host, headers} of [
    {name: 'a browser of Chromium at an address', host: '127.0.0.1', headers: CHROMIUM},
    {name: 'a browser that may not resolve names below localhost', host: 'localhost', headers: CHROMIUM.slice(1)},
    ...['Forwarded: for=192.0.2.1', 'Via: 1.1 proxy', 'X-Forwarded-Proto: https', 'x-forwarded-for: 192.0.2.1'].map(
      sent => ({
        name: `a request that came through a proxy, with ${sent}`,
        host: 'localhost',
        headers: [...CHROMIUM, sent],
      }),
    ),
    {name: 'a script in a page', host: 'localhost', headers: [...CHROMIUM.slice(0, 1), 'Sec-Fetch-Site: same-origin']},
  ])
    test(`is a page that tries its own name for ${name}`, async () => {
      const answer = await callService(service(), 'GET /', {host: `${host}:${service().port}`, headers});
      expect([answer.status, answer.text.includes('entrance.js')]).toEqual([200, true]);
    });

  for (const [settings, theme] of [
    [{}, 'light dark'],
    [{darkMode: true}, 'dark'],
    [{darkWithSystem: false}, 'light'],
  ] as const)
    test(`begins with the theme "${theme}" of the settings ${JSON.stringify(settings)}`, async () => {
      const {crewroom} = service();
      const before = await callConsole('GET /');
      await crewroom.settings.update('core', settings);
      onTestFinished(async () => void (await crewroom.settings.update('core', {darkMode: null, darkWithSystem: null})));
      for (const answer of [await callConsole('GET /'), await callService(service(), 'GET /')])
        expect(answer.text).toContain(`<meta name="color-scheme" content="${theme}">`);
      const again = await callConsole('GET /', {headers: [`If-None-Match: ${before.headers.get('etag')}`]});
      expect(again.status).toBe(theme === 'light dark' ? 304 : 200);
    });

  test('begins with the theme of the system if the store does not answer', async () => {
    const store = openMemoryStore({nowMs: Date.now});
    store.get = () => Promise.reject(new AppError({code: 'unavailable', what: 'store', problem: 'it is down'}));
    await using broken = await startService({ephemeral: true}, {openStore: async () => store});
    const {status, text} = await callService(broken, 'GET /');
    expect([status, text.includes('content="light dark"')]).toEqual([200, true]);
  });

  test('does not wait for a store that is away: it begins with the theme of the system', async () => {
    const store = openMemoryStore({nowMs: Date.now});
    await using slow = await startService({ephemeral: true}, {openStore: async () => store});
    store.get = () => new Promise(() => {});
    const {status, text} = await callService(slow, 'GET /');
    expect([status, text.includes('content="light dark"')]).toEqual([200, true]);
  });

  for (const path of ['/console/none.js', '/console/', '/console/..%2findex.js', '/console/%2e%2e/index.js']) {
    test(`has no file at ${path}`, async () => {
      expect((await callService(service(), `GET ${path}`)).json).toMatchObject({code: 'no-resource', status: 404});
    });
  }

  const WINDOW = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
  for (const {name, headers, mark} of [
    {name: 'a page of its own', headers: ['Sec-Fetch-Site: same-origin', ...WINDOW], mark: 'opened-by-own-page'},
    {name: 'a typed address', headers: ['Sec-Fetch-Site: none', ...WINDOW], mark: 'opened-from-outside'},
    {name: 'a program', headers: [], mark: 'opened-from-outside'},
    {name: 'a link of another site', headers: ['Sec-Fetch-Site: cross-site', ...WINDOW], mark: 'opened-from-outside'},
    {name: 'a page of another port', headers: ['Sec-Fetch-Site: same-site', ...WINDOW], mark: 'opened-from-outside'},
  ]) {
    test(`knows that it was opened by ${name}`, async () => {
      const answer = await callService(service(), 'GET /', {headers});
      expect(answer.status).toBe(200);
      expect(answer.headers.get('server-timing')?.split(', ')).toContain(mark);
    });
  }

  test('is marked if the browser shows that another page opened it, and only then', async () => {
    for (const site of ['same-origin', 'same-site', 'cross-site', 'none']) {
      const {headers} = await callService(service(), 'GET /', {headers: [`Sec-Fetch-Site: ${site}`, ...WINDOW]});
      const marks = headers.get('server-timing')?.split(', ') ?? [];
      expect([site, marks.includes('opened-by-other-page')]).toEqual([site, site.endsWith('-site')]);
    }
  });

  for (const {name, command} of [
    {name: 'npm', command: 'npx crewroom'},
    {name: 'an installer', command: 'crewroom'},
  ] as const)
    test(`names the command of users who have it from ${name}`, async () => {
      await using other = await startService({ephemeral: true}, {command});
      const {headers} = await callService(other, 'GET /');
      expect(headers.get('server-timing')).toContain(`command;desc="${command}"`);
    });
});
