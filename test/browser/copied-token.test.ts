import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, driveChromium} from '../support/browsers/chromium.ts';
import {consoleAddress} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.opening';
/** It opens the window that it is told to, and says when it can. */
const PAGE = `<!doctype html><title>opening</title><script>
onmessage = ({data}) => void window.open(data);
fetch('/api/store/shown', {method: 'POST', body: 'true'});
</script>`;

const TEXT = 'document.body.innerText';
const OWNERS = 'Stop being the owner';
const READS = 'This page only reads';
const KEPT = 'JSON.stringify({...sessionStorage})';

let service: TestService;
let pages: PageServer;
/** True once an address of the other site leads on. */
let isTurned = false;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  const home = await makeTemporaryDirectory();
  await writePlugin(join(home.path, ID), {'ui/index.html': PAGE});
  service = await startService({pluginsDir: home.path, ephemeral: true});
  pages = await servePages(({url = ''}, response) => {
    const {searchParams} = new URL(url, 'http://localhost');
    const to = searchParams.get('to');
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('Cache-Control', 'no-store');
    if (to !== null && isTurned) response.writeHead(302, {Location: to});
    response.end('<!doctype html><title>a page</title>');
  });
  disposables.push(service, pages, home);
  await service.crewroom.plugins.ready();
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

const BROWSERS = [
  {name: 'Chromium', present: CAN_BROWSE, drive: driveChromium},
  {name: 'Firefox', present: CAN_BROWSE_FIREFOX, drive: driveFirefox},
];

for (const {name, present, drive} of BROWSERS)
  describe.skipIf(!present)(`the token of the owner (needs ${name})`, () => {
    let browser: DrivenBrowser;
    beforeAll(async () => {
      browser = await drive();
    });
    afterAll(() => browser?.[Symbol.asyncDispose]());

    function closeAfterTest(tab: Tab): Tab {
      onTestFinished(() => tab.close().catch(() => {}));
      return tab;
    }

    async function untilShown(tab: Tab, text: string): Promise<void> {
      await expect.poll(() => tab.run(TEXT).catch(() => ''), {timeout: 20_000}).toContain(text);
    }

    /** Opens a console of the owner, which shows the page of the plugin. */
    async function openOwnersConsole(): Promise<Tab> {
      const tab = closeAfterTest(await browser.newTab());
      await service.crewroom.entries.put('shown', false);
      await tab.open(`${consoleAddress(service.url)}/#code=${await createOwnerCode(service)}/plugins/${ID}`);
      await expect
        .poll(async () => Buffer.from((await service.crewroom.entries.get('shown'))?.json ?? []).toString(), {
          timeout: 20_000,
        })
        .toBe('true');
      expect(await tab.run(KEPT)).toContain('crewroom_');
      return tab;
    }

    /** Makes the frame of the plugin open a window. */
    async function openFromFrame(tab: Tab, url: string): Promise<Tab> {
      const act = `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(url)}, '*')`;
      return closeAfterTest(await tab.openWindow(url, act));
    }

    async function expectNoRights(tab: Tab): Promise<void> {
      await untilShown(tab, READS);
      expect(await tab.run(TEXT)).not.toContain(OWNERS);
      expect(await tab.run(KEPT)).not.toContain('crewroom_');
    }

    const view = (): string => `${consoleAddress(service.url)}/#/faults`;

    test('is not in a console that the frame of a plugin opens, and stays in that of the owner', async () => {
      const owners = await openOwnersConsole();
      await expectNoRights(await openFromFrame(owners, view()));
      await owners.reload();
      expect(await owners.run(KEPT)).toContain('crewroom_');
      await owners.run(`void (location.hash = '#/faults')`);
      await untilShown(owners, OWNERS);
    });

    test('is not in such a window either once another site, or the documentation, has led it to the console', async () => {
      const owners = await openOwnersConsole();
      const foreign = await openFromFrame(owners, `http://127.0.0.2:${pages.port}/`);
      const docs = await openFromFrame(owners, `${consoleAddress(service.url)}/docs/access`);
      await expect.poll(() => docs.run(`document.querySelector('a[href="/"]') !== null`), {timeout: 20_000}).toBe(true);
      await owners.close();
      await foreign.run(`void setTimeout(() => { location.href = ${JSON.stringify(view())} })`);
      await expectNoRights(foreign);
      await docs.run(`void setTimeout(() => document.querySelector('a[href="/"]').click())`);
      await expect
        .poll(() => docs.run('location.href').catch(() => ''), {timeout: 20_000})
        .toBe(`${consoleAddress(service.url)}/`);
      await docs.run(`void (location.hash = '#/faults')`);
      await expectNoRights(docs);
    });

    for (const {act, pathsOf} of [
      {act: 'history.back()', pathsOf: (leading: string) => [leading, '/second']},
      {act: 'location.reload()', pathsOf: (leading: string) => ['/first', leading]},
    ])
      test(`is not in such a window either if a page of another site leads to the console since, by ${act}`, async () => {
        isTurned = false;
        const owners = await openOwnersConsole();
        const site = `http://127.0.0.2:${pages.port}`;
        const [first, second] = pathsOf(`/?to=${encodeURIComponent(view())}`).map(path => site + path);
        const foreign = await openFromFrame(owners, String(first));
        await owners.close();
        await foreign.run(`void setTimeout(() => { location.href = ${JSON.stringify(second)} })`);
        await expect.poll(() => foreign.run('location.href').catch(() => ''), {timeout: 20_000}).toBe(second);
        isTurned = true;
        await foreign.run(`void setTimeout(() => ${act})`);
        await expectNoRights(foreign);
      });

    test('stays in a window that another page opened if its user became the owner in it, also after a reload', async () => {
      const owners = await openOwnersConsole();
      const opened = await openFromFrame(owners, view());
      await expectNoRights(opened);
      const code = await createOwnerCode(service);
      await opened.run(`void (location.href = location.origin + '/#code=' + ${JSON.stringify(code)})`);
      await untilShown(opened, OWNERS);
      await opened.reload();
      await untilShown(opened, OWNERS);
    });

    test('stays in its tab if the address of the console is opened there again, and after a reload of one that localhost led to', async () => {
      const tab = closeAfterTest(await browser.newTab());
      await tab.open(`http://localhost:${service.port}/#code=${await createOwnerCode(service)}/faults`);
      await untilShown(tab, OWNERS);
      expect(await tab.run('location.origin')).toBe(consoleAddress(service.url));
      await tab.reload();
      await untilShown(tab, OWNERS);
      await tab.open('about:blank');
      await tab.open(view());
      await untilShown(tab, OWNERS);
    });
  });
