import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, driveChromium} from '../support/browsers/chromium.ts';
import {consoleAddress} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const HOSTILE = 'com.example.hostile';
const VICTIM = 'com.example.victim';

/** Sets as many cookies as a browser keeps for a site, each as large as it may be, and a small one that another page would notice. */
const SET_COOKIES = `(() => {
  for (let index = 0; index < 180; index++)
    document.cookie = 'c' + index + '=' + 'x'.repeat(4000) + '; domain=crewroom.localhost; path=/; max-age=31536000';
  return document.cookie.length;
})()`;

let service: TestService;
let pages: PageServer;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  const home = await makeTemporaryDirectory();
  for (const id of [HOSTILE, VICTIM])
    await writePlugin(join(home.path, id), {'ui/index.html': `<!doctype html><title>${id}</title><h1>${id}</h1>`});
  service = await startService({pluginsDir: home.path, ephemeral: true});
  pages = await servePages();
  disposables.push(service, pages, home);
  await service.crewroom.plugins.ready();
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

function pageOf(id: string): string {
  return `http://${service.crewroom.plugins.status(id).label}.crewroom.localhost:${service.port}/plugins/${id}/`;
}

/** Waits until a tab shows a page with this title. */
async function expectTitle(tab: Tab, title: string): Promise<void> {
  await expect.poll(() => tab.run('document.title').catch(() => ''), {timeout: 5000}).toBe(title);
}

for (const {name, present, drive} of [
  {name: 'Chromium', present: CAN_BROWSE, drive: driveChromium},
  {name: 'Firefox', present: CAN_BROWSE_FIREFOX, drive: driveFirefox},
])
  describe.skipIf(!present)(`cookies that a page of a plugin sets (needs ${name})`, () => {
    let browser: DrivenBrowser;
    beforeAll(async () => {
      browser = await drive();
    });
    afterAll(() => browser?.[Symbol.asyncDispose]());

    async function open(url: string): Promise<Tab> {
      const tab = await browser.newTab();
      onTestFinished(() => tab.close().catch(() => {}));
      await tab.open(url);
      return tab;
    }

    test('keep no page from loading at the next try, and are gone; those of localhost stay', async () => {
      const other = await open(`http://localhost:${pages.port}/`);
      await other.run(`void (document.cookie = 'session=kept; max-age=31536000')`);
      for (const {address, title} of [
        {address: `${consoleAddress(service.url)}/`, title: 'Crewroom'},
        {address: pageOf(VICTIM), title: VICTIM},
      ]) {
        const hostile = await open(pageOf(HOSTILE));
        await expectTitle(hostile, HOSTILE);
        expect(Number(await hostile.run(SET_COOKIES))).toBeGreaterThan(100_000);
        const tab = await open(address);
        // The failure at the host of a plugin leads to that of the console.
        await expect
          .poll(() => tab.run('location.hostname').catch(() => ''), {timeout: 5000})
          .toBe('crewroom.localhost');
        await tab.open(address);
        await expectTitle(tab, title);
        expect(await tab.run('document.cookie')).toBe('');
      }
      await other.open(`http://localhost:${pages.port}/`);
      expect(await other.run('document.cookie')).toBe('session=kept');
    });

    test('are led around by a page, if other programs set too many for localhost', async () => {
      const other = await open(`http://localhost:${pages.port}/`);
      const set = (value: string, age: number) =>
        other.run(`[1, 2, 3, 4, 5].forEach(n => void (document.cookie = 'large' + n + '=${value}; max-age=${age}'))`);
      await set('x'.repeat(4000), 60);
      const tab = await open(`http://localhost:${service.port}/`);
      await expectTitle(tab, 'Too many cookies – Crewroom');
      await tab.run(`void document.querySelector('a').click()`);
      await expectTitle(tab, 'Crewroom');
      expect(await tab.run('location.hostname')).toBe('crewroom.localhost');
      await set('', 0);
    });

    test('are not read by scripts of another plugin after the console was opened', async () => {
      const hostile = await open(pageOf(HOSTILE));
      await expectTitle(hostile, HOSTILE);
      await hostile.run(`void (document.cookie = 'told=secret; domain=crewroom.localhost; path=/')`);
      await expectTitle(await open(`${consoleAddress(service.url)}/`), 'Crewroom');
      const victim = await open(pageOf(VICTIM));
      await expectTitle(victim, VICTIM);
      expect(await victim.run('document.cookie')).toBe('');
    });
  });
