import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Browser, Frame, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {consoleAddress, openConsole} from '../support/browsers/console.ts';
import {servePages} from '../support/browsers/pages.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const HOSTILE = 'com.example.hostile';
const VICTIM = 'com.example.victim';

/** A background whose route sends a page. */
const ROUTE = `exports.routes = {post: {page: {description: 'A page', handler: (req, res) => res.sendFile(__dirname + '/page.html')}}};`;

let browser: Browser;
let service: TestService;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  const home = await makeTemporaryDirectory();
  for (const id of [HOSTILE, VICTIM]) {
    await writePlugin(join(home.path, id), {
      'plugin.json': manifestOf(id, {name: `Page ${id}`}),
      'ui/index.html': `<!doctype html><title>${id}</title><h1>${id}</h1><script src="page.js"></script>`,
      'background/index.js': ROUTE,
      'ui/page.js': `const service = 'http://localhost:7172'; localStorage.visits = Number(localStorage.visits ?? 0) + 1;`,
      'ui/menu_icon_light.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    await writeFile(join(home.path, id, 'background', 'page.html'), '<!doctype html><h1>acting</h1>');
    await writeFile(join(home.path, id, 'ui', 'evil.html'), '<!doctype html><script src="page.js"></script>');
  }
  service = await startService({pluginsDir: home.path, ephemeral: true});
  disposables.push(service, home);
  await service.crewroom.plugins.ready();
  await untilRunning(service.crewroom.plugins, HOSTILE);
});
afterAll(async () => {
  await browser?.close();
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

function originOf(id: string): string {
  return `http://${service.crewroom.plugins.status(id).label}.crewroom.localhost:${service.port}`;
}

/** Opens the console with the page of a plugin, and returns its frame. */
async function openPlugin(
  id: string,
  options: {readonly code?: string; readonly mayViolatePolicy?: boolean} = {},
): Promise<{readonly page: Page; readonly frame: Frame; readonly problems: readonly string[]}> {
  const {page, problems} = await openConsole(browser, service.url, {fragment: `#/plugins/${id}`, ...options});
  await page.frameLocator('iframe').locator('h1').waitFor();
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('There is no frame');
  return {page, frame, problems};
}

/** Runs an expression in a page, and returns its result, or the name of what it throws. */
function attempt(page: Page | Frame, expression: string): Promise<unknown> {
  return page.evaluate(`(async () => ${expression})().catch(error => error.name)`);
}

async function openWindow(url: string): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

describe.skipIf(!CAN_BROWSE)('the origins of the console and of plugins (needs Chromium)', () => {
  for (const name of ['localhost', '127.0.0.1', '[::1]'])
    test(`the console at ${name} leads to its own origin, with its fragment`, async () => {
      const page = await openWindow(`http://${name}:${service.port}/#/plugins/${VICTIM}`);
      await page.getByRole('button', {name: `Show Page ${VICTIM}`}).click();
      await page.frameLocator('iframe').locator('h1').waitFor();
      expect(page.url()).toBe(`${consoleAddress(service.url)}/#/plugins/${VICTIM}`);
    });

  test('the console stays where it is if the browser does not resolve its name', async () => {
    const other = await launchChromium('--host-resolver-rules=MAP *.localhost ~NOTFOUND');
    onTestFinished(() => other.close());
    const page = await other.newPage();
    // Without what only browsers of Chromium send, which all resolve it.
    await page.route(
      ({pathname}) => pathname === '/',
      async route => {
        const {'sec-ch-ua': _, ...headers} = route.request().headers();
        await route.fulfill({response: await route.fetch({headers})});
      },
    );
    await page.goto(`http://localhost:${service.port}/#/plugins/${VICTIM}`);
    await page.getByRole('button', {name: `Show Page ${VICTIM}`}).click();
    await page.frameLocator('iframe').locator('h1').waitFor();
    expect(page.url()).toBe(`http://localhost:${service.port}/#/plugins/${VICTIM}`);
  });

  test('the page of a plugin has its own origin, where its storage and its addresses work', async () => {
    const {frame, problems} = await openPlugin(VICTIM);
    const own = originOf(VICTIM);
    expect(new URL(frame.url()).origin).toBe(own);
    expect(await attempt(frame, 'localStorage.visits')).toBe('1');
    expect(await attempt(frame, 'service')).toBe(own);
    for (const [path, status] of [
      ['/api/identity', 200],
      [`/plugins/${VICTIM}/page.js`, 200],
      [`/plugins/${HOSTILE}/page.js`, 404],
      ['/', 404],
      ['/console/favicon.svg', 404],
      ['/openapi.json', 404],
      ['/metrics', 404],
    ] as const)
      expect([path, await attempt(frame, `(await fetch('${path}')).status`)]).toEqual([path, status]);
    const write = `(await fetch(service + '/api/store/a', {method: 'POST', body: '1'})).status`;
    expect(await attempt(frame, write)).toBe(200);
    const constant = `(await fetch('http://localhost:${service.port}/api/identity')).status`;
    expect(await attempt(frame, constant)).toBe(200);
    expect(problems.filter(problem => !problem.includes('404'))).toEqual([]);
  });

  test('a hostile page reads neither the console nor another plugin', async () => {
    await openPlugin(VICTIM);
    const {frame} = await openPlugin(HOSTILE);
    for (const [expression, result] of [
      ['parent.document.title', 'SecurityError'],
      ['parent.location.href', 'SecurityError'],
      ['parent.localStorage', 'SecurityError'],
      ['top.history.length', 'SecurityError'],
      [`(await fetch('${originOf(VICTIM)}/plugins/${VICTIM}/page.js')).status`, 'TypeError'],
      [`(await fetch('${originOf(VICTIM)}/api/identity')).status`, 'TypeError'],
      [`(await fetch('${consoleAddress(service.url)}/api/identity')).status`, 'TypeError'],
      [`document.domain = 'crewroom.localhost'`, 'SecurityError'],
    ] as const)
      expect([expression, await attempt(frame, expression)]).toEqual([expression, result]);
    expect(await attempt(frame, 'Object.keys(localStorage).join()')).toBe('visits');
  });

  test('a hostile page in the console of the owner gets neither its token nor its permissions', async () => {
    const code = await createOwnerCode(service);
    const tokens = new Set<string>();
    const {page, frame} = await openPlugin(HOSTILE, {code});
    page.on('request', request => {
      const [, token] = /^Bearer (.+)$/.exec(request.headers()['authorization'] ?? '') ?? [];
      if (token !== undefined) tokens.add(token);
    });
    await frame.evaluate(
      `window.received = [], addEventListener('message', ({data}) => received.push(JSON.stringify(data)))`,
    );
    // The console acts with its token while the hostile page looks on.
    await page.evaluate(`location.hash = '#/faults'`);
    await page.getByRole('button', {name: 'Switch on'}).click();
    await page.getByText('Delay: 500 ms').first().waitFor();
    await page.getByRole('button', {name: 'Clear Delay: 500 ms'}).click();
    await page.getByText('Nothing fails on purpose.').waitFor();
    const [token = ''] = tokens;
    expect([tokens.size, token.length > 20]).toEqual([1, true]);
    await page.evaluate(`location.hash = '#/plugins/${HOSTILE}'`);
    await page.frameLocator('iframe').locator('h1').waitFor();
    const again = page.frames()[1] as Frame;
    const places = `JSON.stringify([location.href, document.referrer, name, {...localStorage}, {...sessionStorage}, document.cookie, window.received])`;
    expect(await attempt(again, places)).not.toMatch(new RegExp(`${token}|${code}`));
    // The token is in the session storage of the console, which only its own origin reads, and in nothing that outlives the tab.
    const kept = `JSON.stringify([location.href, document.documentElement.outerHTML, {...localStorage}, document.cookie,
      (await indexedDB.databases()).length, (await caches.keys()).length, history.state])`;
    const keptByConsole = String(await attempt(page, kept));
    expect(keptByConsole).not.toMatch(new RegExp(`${token}|${code}`));
    for (const [path, method] of [
      ['/api/faults', 'PUT'],
      ['/api/allowed-origins', 'POST'],
      [`/api/plugins/${VICTIM}/restart`, 'POST'],
      ['/api/access/codes', 'POST'],
    ] as const) {
      const call = `(await fetch('${path}', {method: '${method}', body: '{"faults": [], "origin": "http://evil.example"}'})).status`;
      expect([401, 403, 404]).toContain(await attempt(again, call));
    }
    expect(await page.context().cookies()).toEqual([]);
  });

  test('a hostile page frames neither the console nor another plugin', async () => {
    const {frame} = await openPlugin(HOSTILE);
    for (const address of [
      `${originOf(VICTIM)}/plugins/${VICTIM}/`,
      `${consoleAddress(service.url)}/`,
      `${service.url}/plugins/${VICTIM}/`,
    ]) {
      const loaded = `new Promise(resolve => {
        const child = document.createElement('iframe');
        child.onload = () => resolve(child.contentDocument === null);
        child.src = '${address}';
        document.body.append(child);
      })`;
      expect([address, await attempt(frame, loaded)]).toEqual([address, true]);
    }
    const texts = await Promise.all(
      frame.childFrames().map(child => child.evaluate('document.body.textContent').catch(() => '')),
    );
    expect(texts.join()).not.toMatch(new RegExp(`${VICTIM}|Crewroom`));
  });

  test('a page that opens the console as a window gets no hold of it, and the console asks before it shows a plugin', async () => {
    const {page, frame} = await openPlugin(HOSTILE);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      frame.evaluate(`void (window.opened = window.open('${consoleAddress(service.url)}/#/plugins/${VICTIM}'))`),
    ]);
    await opened.getByRole('button', {name: `Show Page ${VICTIM}`}).waitFor();
    expect(await attempt(frame, 'opened.closed || opened.document.title')).not.toContain('Crewroom');
    expect(await attempt(opened, 'String(window.opener)')).toBe('null');
  });

  test('no file of a plugin runs in the origin of the console', async () => {
    const {page} = await openPlugin(VICTIM);
    const script = `new Promise(resolve => {
      const child = document.createElement('script');
      child.onload = () => resolve('loaded');
      child.onerror = () => resolve('refused');
      child.src = '/plugins/${HOSTILE}/page.js';
      document.head.append(child);
    })`;
    expect(await attempt(page, script)).toBe('refused');
    expect(await attempt(page, `(await fetch('/plugins/${HOSTILE}/page.js')).status`)).toBe(404);
    const image = `new Promise(resolve => {
      const child = new Image();
      child.onload = () => resolve('loaded');
      child.onerror = () => resolve('refused');
      child.src = '/plugins/${HOSTILE}/menu_icon_light.svg';
    })`;
    expect(await attempt(page, image)).toBe('loaded');
    const window = await openWindow(`${consoleAddress(service.url)}/plugins/${HOSTILE}/evil.html`);
    expect(await window.evaluate(`document.querySelector('h1').textContent`)).toBe('There is no such page');
    expect(
      await attempt(page, `(await navigator.serviceWorker.register('/plugins/${HOSTILE}/page.js')).scope`),
    ).not.toContain('http');
  });

  test('a form of a hostile page brings no page of its own into another origin', async () => {
    const {page, frame} = await openPlugin(HOSTILE);
    for (const [origin, status] of [
      [consoleAddress(service.url), 403],
      [service.url, 403],
      [originOf(VICTIM), 403],
      [originOf(HOSTILE), 200],
    ] as const) {
      const address = `${origin}/api/${HOSTILE}/page`;
      const send = `(() => {
        const child = document.createElement('iframe');
        child.name = 'child';
        const form = document.createElement('form');
        Object.assign(form, {method: 'POST', target: 'child', action: '${address}'});
        document.body.append(child, form);
        form.submit();
      })()`;
      const [answer] = await Promise.all([page.waitForResponse(address), frame.evaluate(send)]);
      expect([origin, answer.status()]).toEqual([origin, status]);
      await frame.evaluate(`document.querySelectorAll('iframe, form').forEach(each => each.remove())`);
    }
    const answer = await fetch(`${originOf(HOSTILE).replace(/com[^.]*\.crewroom\./, '')}/api/${HOSTILE}/page`, {
      method: 'POST',
    });
    expect(answer.headers.get('Content-Security-Policy')).toBe('sandbox');
  });

  test('the frame of a plugin shows no page of another origin', async () => {
    const {page, frame} = await openPlugin(HOSTILE, {mayViolatePolicy: true});
    await using outside = await servePages();
    await frame.evaluate(`location.href = 'http://127.0.0.1:${outside.port}/'`);
    await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
  });
});
