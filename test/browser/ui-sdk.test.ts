import {readdir, readFile} from 'node:fs/promises';
import type {RequestListener} from 'node:http';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import type {Browser, Frame, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.page';
const SDK = fileURLToPath(new URL('../../packages/ui-sdk/', import.meta.url));

const PAGE = `<!doctype html><title>a plugin</title><link rel="stylesheet" href="/plugins/${ID}/smartcars.css">
<script type="module" src="/plugins/${ID}/page.js"></script><p>text</p>`;

/** Gives the SDK to the scripts of a test. */
const SCRIPT = `window.sdk = await import('/plugins/${ID}/sdk/index.js'); document.body.append('ready');`;

let browser: Browser;
let service: TestService;
/** Serves the same page elsewhere, as development servers do, under a strict policy; shows it in a frame; and answers requests. */
let outside: PageServer;
let files: Readonly<Record<string, string>>;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchShell();
  files = {'page.js': SCRIPT, 'smartcars.css': await readFile(join(SDK, 'css/smartcars.css'), 'utf8')};
  for (const name of await readdir(join(SDK, 'dist')))
    if (name.endsWith('.js')) files = {...files, [`sdk/${name}`]: await readFile(join(SDK, 'dist', name), 'utf8')};
  const home = await makeTemporaryDirectory();
  const inFolder = Object.entries({...files, 'index.html': PAGE}).map(([name, content]) => [`ui/${name}`, content]);
  await writePlugin(join(home.path, ID), Object.fromEntries(inFolder));
  outside = await servePages(answer);
  service = await startService({pluginsDir: home.path, ephemeral: true});
  disposables.push(service, home);
  await service.crewroom.plugins.ready();
});
afterAll(async () => {
  await browser?.close();
  for (const each of disposables) await each[Symbol.asyncDispose]();
  await outside?.[Symbol.asyncDispose]();
});

const answer: RequestListener = async (request, response) => {
  const {pathname} = new URL(request.url ?? '', 'http://localhost');
  const file = files[pathname.replace(`/plugins/${ID}/`, '')];
  if (file !== undefined) {
    response.setHeader('Content-Type', pathname.endsWith('.css') ? 'text/css' : 'text/javascript');
    response.end(file);
  } else if (pathname === `/plugins/${ID}/`) {
    response.setHeader('Content-Type', 'text/html');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self'; connect-src 'self' http://localhost:7172",
    );
    response.end(PAGE);
  } else if (pathname === '/frame') {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><script>window.got = []; onmessage = ({data}) => got.push(data);</script>
      <iframe src="/plugins/${ID}/"></iframe>`);
  } else if (pathname === '/echo') {
    const body = await text(request);
    response.end(
      JSON.stringify({url: request.url, method: request.method, type: request.headers['content-type'], body}),
    );
  } else if (pathname.startsWith('/answer/')) {
    response.statusCode = Number(pathname.split('/')[2]);
    response.end(decodeURIComponent(pathname.split('/')[3] ?? ''));
  } else {
    response.statusCode = 404;
    response.end('nothing here');
  }
};

async function open(url: string): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  await untilReady(url.endsWith('/frame') ? page.frames()[1] : page.mainFrame());
  return page;
}

const untilReady = async (frame: Frame | undefined): Promise<void> => frame?.getByText('ready').waitFor();

const openInService = (): Promise<Page> => open(`${service.url}/plugins/${ID}/`);
const openOutside = (): Promise<Page> => open(`http://localhost:${outside.port}/plugins/${ID}/`);

describe.skipIf(!CAN_BROWSE)('localApi() in Chromium', () => {
  test('calls the service that serves the page, whatever its port', async () => {
    const page = await openInService();
    expect(await page.evaluate(`sdk.localApi('api/identity').then(({va_user}) => va_user.pilotID)`)).toBe('CRW0042');
    const key = 'api/store/com.example.page%2Fa';
    await page.evaluate(`sdk.localApi('${key}', 'POST', {volume: 5})`);
    expect(await page.evaluate(`sdk.localApi('/${key}')`)).toEqual({volume: 5});
  });

  test('calls the server that serves the page if the service answers there, as behind a development server', async () => {
    const page = await openOutside();
    await page.route('**/api', route => route.fulfill({json: {name: 'crewroom'}}));
    await page.route('**/api/identity', route => route.fulfill({json: {from: new URL(route.request().url()).origin}}));
    expect(await page.evaluate(`sdk.localApi('api/identity')`)).toEqual({from: `http://localhost:${outside.port}`});
  });

  test('calls the original address if the page comes from another server, even from /plugins/', async () => {
    const page = await openOutside();
    await page.route('http://localhost:7172/api/identity', route =>
      route.fulfill({json: {from: 'the service'}, headers: {'access-control-allow-origin': '*'}}),
    );
    expect(await page.evaluate(`sdk.localApi('api/identity')`)).toEqual({from: 'the service'});
  });

  test('asks again whether the service answers there, if it did not respond the first time', async () => {
    const page = await openOutside();
    await page.route('**/api/identity', route => route.fulfill({json: {from: new URL(route.request().url()).origin}}));
    await page.route('**/api', route => route.fulfill({json: {name: 'crewroom'}}));
    await page.route('**/api', route => route.fulfill({status: 503}), {times: 1});
    await page.route('**/api', route => route.abort(), {times: 1});
    const call = (): Promise<unknown> => page.evaluate(`sdk.localApi('api/identity').catch(({name}) => name)`);
    expect([await call(), await call()]).toEqual(['TypeError', 'RequestError']);
    expect(await call()).toEqual({from: `http://localhost:${outside.port}`});
  });

  test('shows a failure to the user, and throws it', async () => {
    const page = await openInService();
    const thrown = await page.evaluate(`sdk.localApi('api/store/none').catch(({name, status}) => ({name, status}))`);
    expect(thrown).toEqual({name: 'RequestError', status: 404});
    expect(await page.textContent('[role=alert]')).toMatch(/^api\/store\/none: .*none.*\. Keys are exact/);
  });

  test('shows the advice of the service to a plugin that it knows, and that of a page to one that it does not', async () => {
    const strict = await startService({
      pluginsDir: service.crewroom.config.pluginsDir,
      ephemeral: true,
      access: 'strict',
    });
    onTestFinished(() => strict[Symbol.asyncDispose]());
    await strict.crewroom.plugins.ready();
    const refusedAt = async (origin: string): Promise<string | null> => {
      const page = await open(`${origin}/plugins/${ID}/`);
      await page.evaluate(`sdk.localApi('api/settings').catch(() => {})`);
      return page.textContent('[role=alert]');
    };
    const {label} = strict.crewroom.plugins.status(ID);
    const known = await refusedAt(`http://${label}.crewroom.localhost:${strict.port}`);
    expect(known).toMatch(/^api\/settings: .+\. .*"crewroom console"/);
    const page = await openOutside();
    await page.route('**/api', route => route.fulfill({json: {name: 'crewroom'}}));
    await page.route('**/api/settings', async route => {
      const answer = await fetch(`${strict.url}/api/settings`);
      await route.fulfill({status: answer.status, json: await answer.json()});
    });
    await page.evaluate(`sdk.localApi('api/settings').catch(() => {})`);
    const unknown = await page.textContent('[role=alert]');
    expect(unknown).toMatch(
      /^api\/settings: .+\. Open this page in the console that "crewroom console" opens: there it is known$/,
    );
    expect(unknown).not.toMatch(/token-file|--token|header/i);
  });

  test('shows that the service does not respond', async () => {
    const page = await openInService();
    await page.route('**/api/config', route => route.abort());
    expect(await page.evaluate(`sdk.localApi('api/config').catch(({name}) => name)`)).toBe('TypeError');
    expect(await page.textContent('[role=alert]')).toBe(
      'api/config: The local service did not respond. Is it running?',
    );
  });
});

describe.skipIf(!CAN_BROWSE)('request() in Chromium', () => {
  const sent = [
    {what: 'an address and a method', call: `'/echo', 'DELETE'`, got: {url: '/echo', method: 'DELETE', body: ''}},
    {
      what: 'parameters, without those that are not there',
      call: `{url: '/echo?a=1#b', params: {q: 'ä b', all: true, of: [1, 2], none: null, no: undefined}}`,
      got: {url: '/echo?a=1&q=%C3%A4+b&all=true&of=1&of=2', method: 'GET', body: ''},
    },
    {
      what: 'data as JSON',
      call: `{url: '/echo', method: 'post', data: {a: [1]}}`,
      got: {url: '/echo', method: 'POST', type: 'application/json', body: '{"a":[1]}'},
    },
    {
      what: 'a form as it is',
      call: `{url: '/echo', method: 'PUT', data: new URLSearchParams({a: 'b'})}`,
      got: {url: '/echo', method: 'PUT', type: 'application/x-www-form-urlencoded;charset=UTF-8', body: 'a=b'},
    },
    {
      what: 'data of a type of its own',
      call: `{url: '/echo', method: 'PATCH', data: {a: 1}, headers: {'content-type': 'application/merge-patch+json'}}`,
      got: {url: '/echo', method: 'PATCH', type: 'application/merge-patch+json', body: '{"a":1}'},
    },
  ];
  for (const {what, call, got} of sent) {
    test(`sends ${what}`, async () => {
      expect(await (await openOutside()).evaluate(`sdk.request(${call})`)).toEqual(got);
    });
  }

  const answers = [
    {what: 'JSON', path: '200/[1]', got: [1]},
    {what: 'a text', path: '200/hello', got: 'hello'},
    {what: 'nothing', path: '204/', got: undefined},
    {
      what: 'a failure with its detail',
      path: '409/{"detail":"taken"}',
      got: {message: 'taken', status: 409, data: {detail: 'taken'}},
    },
    {
      what: 'a failure with its message',
      path: '401/{"message":"no"}',
      got: {message: 'no', status: 401, data: {message: 'no'}},
    },
    {
      what: 'a failure without words',
      path: '500/',
      got: {message: 'The request failed with status 500 Internal Server Error', status: 500},
    },
  ];
  for (const {what, path, got} of answers) {
    test(`gets ${what}`, async () => {
      const call = `sdk.request(${JSON.stringify(`/answer/${encodeURI(path)}`)})`;
      const caught = `${call}.catch(({message, status, data}) => ({message, status, data}))`;
      expect(await (await openOutside()).evaluate(caught)).toEqual(got);
    });
  }

  test('ends with its signal', async () => {
    const call = `sdk.request({url: '/echo', signal: AbortSignal.abort()}).catch(({name}) => name)`;
    expect(await (await openOutside()).evaluate(call)).toBe('AbortError');
  });
});

describe.skipIf(!CAN_BROWSE)('notify() in Chromium', () => {
  const kind = 'crewroom-notification';
  const forms = [
    {
      what: 'all members',
      call: `{message: 'Booked', type: 'warning', source: 'a', quiet: true, toast: false}`,
      got: {kind, message: 'Booked', type: 'warning', source: 'a', quiet: true, toast: false},
    },
    {what: 'a message alone', call: `{message: 'Booked'}`, got: {kind, message: 'Booked', type: 'success'}},
    {
      what: 'the older form',
      call: `'com.example.a', null, null, {message: 'Lost', type: 'danger'}`,
      got: {kind, message: 'Lost', type: 'danger', source: 'com.example.a'},
    },
    {
      what: 'members of other types',
      call: `{message: 7, type: 'loud', source: {}, quiet: 'yes'}`,
      got: {kind, message: '7', type: 'success'},
    },
  ];
  for (const {what, call, got} of forms) {
    test(`tells the program around a frame: ${what}`, async () => {
      const page = await open(`http://localhost:${outside.port}/frame`);
      const frame = page.frames()[1];
      await frame?.evaluate(`sdk.notify(${call})`);
      await page.waitForFunction('got.length > 0');
      expect(await page.evaluate('got')).toEqual([got]);
      expect(await frame?.locator('.crewroom-toast').count()).toBe(0);
    });
  }

  test('is shown by the console', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${ID}`});
    await page.frameLocator('iframe').getByText('ready').waitFor();
    await page.frames()[1]?.evaluate(`sdk.notify('Gate 4', null, null, {message: 'Boarding', type: 'warning'})`);
    const card = page.getByRole('log', {name: 'New notifications'}).locator('.notice');
    await expect.poll(() => card.textContent()).toMatch(/Gate 4.*Boarding/);
  });

  test('has the background of the console in both themes', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${ID}`});
    for (const isDark of [false, true]) {
      // The console replaces the frame, to tell its page of the theme.
      await expect.poll(() => page.frames()[1]?.url()).toMatch(isDark ? /darkmode=true/ : /darkmode=false/);
      await page.frameLocator('iframe').getByText('ready').waitFor();
      const color = await page
        .frames()[1]
        ?.evaluate(`sdk.applyAppColor(document, ${isDark}), getComputedStyle(document.body).backgroundColor`);
      const background = `getComputedStyle(document.querySelector('iframe')).backgroundColor`;
      await expect.poll(() => page.evaluate(background)).toBe(color);
      if (!isDark) await page.getByLabel('Theme').selectOption('Dark');
    }
  });

  test('shows a toast in a window of its own, under a strict policy, until it is closed', async () => {
    const page = await openOutside();
    const refused: string[] = [];
    page.on('console', message => void refused.push(message.text()));
    await page.evaluate(`sdk.notify('My plugin', null, null, {message: '<b>Lost</b>', type: 'danger'})`);
    const toast = page.getByRole('alert');
    expect(await toast.textContent()).toBe('My plugin: <b>Lost</b>');
    const colors = `getComputedStyle(document.querySelector('.crewroom-toast')).backgroundColor`;
    expect(await page.evaluate(colors)).toBe('rgb(179, 38, 30)');
    await page.getByRole('button', {name: 'Close'}).click();
    expect(await toast.count()).toBe(0);
    expect(refused).toEqual([]);
  });

  test('takes no clicks from the page below its toasts, but those on their buttons', async () => {
    const page = await openOutside();
    await page.evaluate(`
      window.clicks = 0;
      const below = document.createElement('button');
      for (const [name, value] of Object.entries({position: 'fixed', inset: '0', width: '100%', height: '100%'}))
        below.style.setProperty(name, value);
      below.onclick = () => clicks++;
      document.body.append(below);
      for (const message of ['one', 'two']) sdk.notify({message});
    `);
    const toast = page.locator('.crewroom-toast').first();
    const {x = 0, y = 0, height = 0} = (await toast.boundingBox()) ?? {};
    // On its text, on its edge, and between it and the next one.
    for (const down of [height / 2, 2, height + 4]) await page.mouse.click(x + 18, y + down);
    expect(await page.evaluate('clicks')).toBe(3);
    await page.getByRole('button', {name: 'Close'}).first().click();
    expect(await page.getByRole('status').allTextContents()).toEqual(['two']);
    expect(await page.evaluate('clicks')).toBe(3);
  });

  test('shows no more than four toasts, the latest', async () => {
    const page = await openOutside();
    await page.evaluate(`for (let i = 1; i <= 6; i++) sdk.notify({message: 'n' + i})`);
    expect(await page.getByRole('status').allTextContents()).toEqual(['n3', 'n4', 'n5', 'n6']);
  });
});

describe.skipIf(!CAN_BROWSE)('the colours of a page in Chromium', () => {
  const NAMES = ['background', 'background-accent', 'foreground', 'foreground-accent', 'background-interactive'];
  const VARIABLES = JSON.stringify([
    ...NAMES.map(name => `--${name}-color`),
    '--va-accent-fore-color',
    '--va-accent-back-color',
  ]);
  const read = `${VARIABLES}.map(name => getComputedStyle(document.documentElement).getPropertyValue(name))`;

  test('are the same in the style sheet and in applyAppColor()', async () => {
    const page = await openInService();
    const initial = await page.evaluate(read);
    await page.evaluate(`sdk.applyAppColor(document, false)`);
    expect(await page.evaluate(read)).toEqual(initial);
  });

  test('change with the dark mode', async () => {
    const page = await openInService();
    const background = `getComputedStyle(document.body).backgroundColor`;
    expect(await page.evaluate(`[sdk.getAppColor(), ${background}]`)).toEqual(['#f4f6f9', 'rgb(244, 246, 249)']);
    await page.evaluate(`sdk.applyAppColor(document, true)`);
    expect(await page.evaluate(`[sdk.getAppColor(true), ${background}]`)).toEqual(['#12171f', 'rgb(18, 23, 31)']);
  });

  const given = [
    {what: 'six digits', call: `'#fEdCbA', '#0A0b0c'`, got: ['#fEdCbA', '10,11,12']},
    {what: 'three digits, without #', call: `'fff', '123'`, got: ['#ffffff', '17,34,51']},
    {what: 'none', call: `null, undefined`, got: ['#ffffff', '192, 0, 0']},
    {what: 'something else', call: `'red', 'url(x)'`, got: ['#ffffff', '192, 0, 0']},
  ];
  for (const {what, call, got} of given) {
    test(`are those of the airline: ${what}`, async () => {
      const page = await openInService();
      await page.evaluate(`sdk.applyVAColor(document, ${call})`);
      expect(((await page.evaluate(read)) as string[]).slice(-2)).toEqual(got);
    });
  }
});
