import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, driveChromium} from '../support/browsers/chromium.ts';
import {consoleAddress, keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.acting';
/** It acts as soon as it opens. */
const PAGE = `<!doctype html><title>acting</title><script>fetch('/api/store/acted', {method: 'POST', body: JSON.stringify(location.search + location.hash)});</script>`;

let service: TestService;
let pages: PageServer;
/** True if the foreign page at `/turning` redirects now. */
let isTurned = false;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  const home = await makeTemporaryDirectory();
  await writePlugin(join(home.path, ID), {
    'plugin.json': manifestOf(ID, {name: 'Acting <b>{id}</b>'}),
    'ui/index.html': PAGE,
    'ui/worker.js': `onfetch = event => event.respondWith(new Response('from the worker'));`,
  });
  service = await startService({pluginsDir: home.path, ephemeral: true});
  pages = await servePages(({url = '/'}, response) => {
    const {pathname, searchParams} = new URL(url, 'http://any');
    response.setHeader('Cache-Control', 'no-store').setHeader('Content-Type', 'text/html');
    const isRedirected = pathname === '/redirect' || (pathname === '/turning' && isTurned);
    if (isRedirected) response.writeHead(302, {Location: searchParams.get('to') ?? ''});
    response.end('<!doctype html><title>foreign</title>');
  });
  disposables.push(service, pages, home);
  await service.crewroom.plugins.ready();
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});
beforeEach(async () => {
  isTurned = false;
  await service.crewroom.entries.put('acted', 'nothing');
});

async function acted(): Promise<string> {
  return JSON.parse(Buffer.from((await service.crewroom.entries.get('acted'))?.json ?? []).toString());
}

function foreign(path: string, to: string): string {
  return `http://127.0.0.2:${pages.port}${path}?to=${encodeURIComponent(to)}`;
}

/** Waits until a tab shows the question. */
async function expectCard(tab: Tab): Promise<void> {
  await expect
    .poll(() => tab.run('document.body.innerText').catch(() => ''), {timeout: 5000})
    .toMatch(/Show the plugin/);
  expect(await acted()).toBe('nothing');
}

/** Waits until a tab is at an address: its page may act before the driver of the browser knows it. */
async function untilAt(tab: Tab, address: string): Promise<void> {
  await expect.poll(() => tab.run('location.href').catch(() => ''), {timeout: 5000}).toBe(address);
}

async function click(tab: Tab): Promise<void> {
  await tab.run(`void setTimeout(() => document.querySelector('main button').click())`);
}

const BROWSERS = [
  {name: 'Chromium', present: CAN_BROWSE, drive: driveChromium},
  {name: 'Firefox', present: CAN_BROWSE_FIREFOX, drive: driveFirefox},
];

for (const {name, present, drive} of BROWSERS)
  describe.skipIf(!present)(`the page of a plugin (needs ${name})`, () => {
    let browser: DrivenBrowser;
    beforeAll(async () => {
      browser = await drive();
    });
    afterAll(() => browser?.[Symbol.asyncDispose]());

    async function newTab(): Promise<Tab> {
      const tab = await browser.newTab();
      onTestFinished(() => tab.close().catch(() => {}));
      return tab;
    }

    function origins(): readonly string[] {
      const {label} = service.crewroom.plugins.status(ID);
      return [`http://${label}.crewroom.localhost:${service.port}`, `http://localhost:${service.port}`];
    }

    for (const index of [0, 1]) {
      const place = ['at its own origin', 'at localhost'][index];
      const address = (rest: string): string => `${origins()[index]}/plugins/${ID}/${rest}`;

      test(`opens without a question ${place} only at the address of the page itself, and by links inside it`, async () => {
        const tab = await newTab();
        for (const own of [address(''), `${origins()[index]}/plugins/${ID}`]) {
          await service.crewroom.entries.put('acted', 'nothing');
          await tab.open('about:blank');
          await tab.open(own);
          await expect.poll(acted).toBe('');
          await untilAt(tab, address(''));
        }
        for (const inside of ['deep/route', 'index.html?from=inside']) {
          await service.crewroom.entries.put('acted', 'nothing');
          await tab.run(`void setTimeout(() => { location.href = ${JSON.stringify(address(inside))} })`);
          await expect.poll(acted).toBe(new URL(address(inside)).search);
          await untilAt(tab, address(inside));
        }
      });

      for (const rest of ['deep/route', '/', 'index.html', '?a=1', '#a', '?a=1&b=%3Cb%3E#/route', '?shown#b']) {
        test(`is shown ${place} after one question per tab if the address ends in ${rest}`, async () => {
          const tab = await newTab();
          await tab.open(address(rest));
          await expectCard(tab);
          const text = String(await tab.run('document.body.innerText'));
          expect(text).toContain('Acting <b>{id}</b>');
          expect(text).toContain(ID);
          expect(text).toContain(rest);
          const {search, hash} = new URL(address(rest));
          await click(tab);
          await expect.poll(acted).toBe(search + hash);
          await untilAt(tab, address(rest));
          expect(await tab.run('document.title')).toBe('acting');
          await service.crewroom.entries.put('acted', 'nothing');
          await tab.reload();
          await expect.poll(acted).toBe(search + hash);
          await service.crewroom.entries.put('acted', 'nothing');
          await tab.open('about:blank');
          await tab.open(address(rest));
          await expect.poll(acted).toBe(search + hash);
          await service.crewroom.entries.put('acted', 'nothing');
          await tab.open('about:blank');
          await tab.open(address('?other'));
          await expectCard(tab);
        });
      }

      test(`registers no service worker ${place}, which would answer in place of the question`, async () => {
        const tab = await newTab();
        await tab.open(address(''));
        await expect.poll(acted).toBe('');
        const register = `navigator.serviceWorker.register('/plugins/${ID}/worker.js')`;
        expect(await tab.run(`${register}.then(() => 'registered', () => 'refused')`)).toBe('refused');
        expect(await tab.run(`fetch('/plugins/${ID}/worker.js').then(({status}) => status)`)).toBe(200);
      });

      for (const rest of ['delete/all-flights', '?evil', '#evil']) {
        test(`asks ${place} if a foreign page goes back to an address that leads to ${rest}`, async () => {
          const tab = await newTab();
          // A browser may have the page already.
          await tab.open(address(''));
          await expect.poll(acted).toBe('');
          await service.crewroom.entries.put('acted', 'nothing');
          await tab.open(foreign('/turning', address(rest)));
          await tab.open(foreign('/', ''));
          isTurned = true;
          await tab.run('void setTimeout(() => history.back())');
          await expectCard(tab);
        });

        test(`asks ${place} if an opened address leads to ${rest}`, async () => {
          const tab = await newTab();
          await tab.open(foreign('/redirect', address(rest)));
          await expectCard(tab);
        });
      }
    }

    test('is not opened by a link of a foreign page', async () => {
      const tab = await newTab();
      await tab.open(foreign('/', ''));
      await tab.run(`void setTimeout(() => { location.href = '${origins()[0]}/plugins/${ID}/?evil' })`);
      await expect.poll(() => tab.run('document.documentElement.textContent').catch(() => '')).toContain('Cannot');
      expect(await acted()).toBe('nothing');
    });

    test('asks in the console once per tab, whatever led there, and not after a click in it', async () => {
      const view = `${consoleAddress(service.url)}/#/plugins/${ID}`;
      const tab = await newTab();
      await tab.open(foreign('/turning', view));
      await tab.open(foreign('/', ''));
      isTurned = true;
      await tab.run('void setTimeout(() => history.back())');
      await expectCard(tab);
      await keepScreenshot(tab, `opening-card-console-${name.toLowerCase()}`);
      expect(await tab.run('document.querySelectorAll("iframe").length')).toBe(0);
      await click(tab);
      await expect.poll(acted).toContain('?darkmode');
      await service.crewroom.entries.put('acted', 'nothing');
      await tab.reload();
      await expect.poll(acted).toContain('?darkmode');
      const clicked = await newTab();
      await service.crewroom.entries.put('acted', 'nothing');
      await clicked.open(`${consoleAddress(service.url)}/`);
      await expect.poll(() => clicked.run(`document.querySelectorAll('nav a[href*="plugins/${ID}"]').length`)).toBe(1);
      await clicked.run(`void document.querySelector('nav a[href*="plugins/${ID}"]').click()`);
      await expect.poll(acted).toContain('?darkmode');
    });

    test('is shown in the console without a question if a code of the owner is accepted with it, and only then', async () => {
      const tab = await newTab();
      for (const origin of [consoleAddress(service.url), `http://localhost:${service.port}`]) {
        await tab.open('about:blank');
        await tab.open(`${origin}/#code=anything/plugins/${ID}`);
        await expectCard(tab);
      }
      await tab.open('about:blank');
      await tab.open(`${consoleAddress(service.url)}/#code=${await createOwnerCode(service)}/plugins/${ID}`);
      await expect.poll(acted).toContain('?darkmode');
    });

    test('asks in words that a screenshot shows', async () => {
      const tab = await newTab();
      await tab.open(`${origins()[0]}/plugins/${ID}/?flight=CRW42#/briefing`);
      await expectCard(tab);
      await keepScreenshot(tab, `opening-card-${name.toLowerCase()}`);
    });
  });
