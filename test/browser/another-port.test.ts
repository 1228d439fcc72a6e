import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {createServer, type ViteDevServer} from 'vite';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {servePages} from '../support/browsers/pages.ts';
import {bundleClient} from '../support/bundle-client.ts';
import {findFreePort} from '../support/free-port.ts';
import {fileOf, readGuide} from '../support/guide.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const GUIDE = readGuide('page-on-another-port.md');

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A page of a Vite dev server, beside a service. */
interface Development {
  readonly service: TestService;
  readonly page: Page;
  /** Origin of the page. */
  readonly origin: string;
  /** Texts that the browser logged. */
  readonly console: readonly string[];
}

interface DevelopmentOptions {
  /** False to start the service without the flag. */
  readonly isAllowed?: boolean;
  /** Changes the configuration of the guide; without it there is no proxy. */
  readonly configure?: (config: string) => string;
  readonly script?: string;
}

/** Opens a page of a dev server, which ends with the test. */
async function develop({isAllowed = true, configure, script = ''}: DevelopmentOptions): Promise<Development> {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const service = await startService(isAllowed ? {allowOrigins: [origin]} : {});
  onTestFinished(() => service[Symbol.asyncDispose]());
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const address = (text: string): string => text.replaceAll('localhost:7172', `localhost:${service.port}`);
  const config = configure === undefined ? 'export default {};' : configure(fileOf(GUIDE, 'vite.config.js').text);
  await writeFile(join(directory.path, 'vite.config.mjs'), address(config));
  await writeFile(join(directory.path, 'client.js'), (await bundleClient()).code);
  await writeFile(join(directory.path, 'page.js'), address(script));
  await writeFile(join(directory.path, 'index.html'), '<!doctype html><script type="module" src="/page.js"></script>');
  const vite: ViteDevServer = await createServer({
    root: directory.path,
    configFile: join(directory.path, 'vite.config.mjs'),
    logLevel: 'silent',
    server: {port, strictPort: true, host: 'localhost'},
  });
  await vite.listen();
  onTestFinished(() => vite.close());
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const console: string[] = [];
  page.on('console', message => console.push(message.text()));
  await page.goto(origin);
  return {service, page, origin, console};
}

const READ = `fetch('/api/identity').then(async answer => [answer.status, (await answer.json()).va_user?.pilotID])`;

describe.skipIf(!CAN_BROWSE)('a page on another port (needs Chromium)', () => {
  const shown = `window.show = identity => { document.title = identity.va_user.pilotID; };\n${fileOf(GUIDE, 'page.js').text}`;

  test('reads the pilot if its origin is allowed', async () => {
    const {page} = await develop({script: shown});
    await expect.poll(() => page.title()).toBe('CRW0042');
  });

  test('is refused without the flag, and the failure of the client and the service name it', async () => {
    const {page, origin, service, console} = await develop({isAllowed: false, script: shown});
    const baseUrl = `http://localhost:${service.port}`;
    const failure = await page.evaluate(`import('/client.js').then(({createClient}) =>
      createClient({baseUrl: ${JSON.stringify(baseUrl)}}).entries.get('a').catch(error => error.message))`);
    expect(failure).toMatch(`Cannot reach the service at ${baseUrl}: it needs --allow-origin ${origin}, or is away: `);
    const asked = (await service.crewroom.requests.read()).requests.filter(({path}) => path === '/api/store/a');
    expect(asked.map(({status}) => status)).toEqual([403]);
    expect(await page.title()).toBe('');
    expect(console.join()).toContain('blocked by CORS policy');
    const answer = await fetch(`${baseUrl}/api/identity`, {headers: {Origin: origin}});
    expect(await answer.text()).toContain(`--allow-origin ${origin}`);
  });
});

describe.skipIf(!CAN_BROWSE)('a page behind the proxy of Vite (needs Chromium)', () => {
  test('reads and writes under its own origin', async () => {
    const {page, service} = await develop({configure: config => config});
    expect(await page.evaluate(READ)).toEqual([200, 'CRW0042']);
    const write = `fetch('/api/store/a', {method: 'POST', body: '{"n":1.0}'}).then(answer => answer.status)`;
    expect(await page.evaluate(write)).toBe(200);
    expect((await service.crewroom.entries.get('a'))?.text).toBe('{"n":1.0}');
  });

  for (const [name, listen] of [
    ['EventSource', `new EventSource('/api/events?prefix=a').addEventListener('entry-written', take)`],
    ['WebSocket', `new WebSocket(origin.replace('http', 'ws') + '/api/events?prefix=a').onmessage = take`],
  ] as const)
    test(`receives events by ${name}`, async () => {
      const {page, service} = await develop({configure: config => config});
      await page.evaluate(
        `window.taken = []; window.take = ({data}) => taken.push(JSON.parse(data).key); ${listen}; 0`,
      );
      let writes = 0;
      // The subscription begins at a moment that the page does not see.
      const write = async (): Promise<unknown> => {
        await service.crewroom.entries.put('a', Buffer.from(String(++writes)));
        return page.evaluate('taken.length > 0');
      };
      await expect.poll(write, {interval: 100}).toBe(true);
    });

  test('is refused without the flag, and the answer names it', async () => {
    const {page, origin} = await develop({isAllowed: false, configure: config => config});
    const text = await page.evaluate(`fetch('/api/identity').then(answer => answer.text())`);
    expect(text).toContain('foreign-page');
    expect(text).toContain(`--allow-origin ${origin}`);
  });

  test('gets 421 without changeOrigin', async () => {
    const {page} = await develop({configure: config => config.replace('changeOrigin: true, ', '')});
    expect(await page.evaluate(READ)).toEqual([421, undefined]);
  });

  /** Sends requests that a page may send to any address, and reports what arrived in the store. */
  async function attack(development: Development): Promise<boolean> {
    await using pages = await servePages((_request, response) => response.end('<!doctype html>'));
    const foreign = await browser.newPage();
    await foreign.goto(`http://127.0.0.1:${pages.port}`);
    const send = `fetch('${development.origin}/api/store/attacked', {method: 'POST', mode: 'no-cors', body: '1'})`;
    await foreign.evaluate(`${send}.catch(() => {}).then(() => 0)`);
    await foreign.close();
    return (await development.service.crewroom.entries.get('attacked')) !== undefined;
  }

  test('is not imitated by a page of another site', async () => {
    expect(await attack(await develop({configure: config => config}))).toBe(false);
  });

  test('would be imitated if the proxy removed what names the page, as the guide warns', async () => {
    const remove = `configure: proxy => proxy.on('proxyReq', request => ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'].forEach(name => request.removeHeader(name)))`;
    const configure = (config: string): string => config.replace('ws: true', remove);
    const development = await develop({isAllowed: false, configure});
    expect(await development.page.evaluate(READ)).toEqual([200, 'CRW0042']);
    expect(await attack(development)).toBe(true);
  });
});
