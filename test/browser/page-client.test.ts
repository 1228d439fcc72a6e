import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {pageOrigin} from '../support/access-callers.ts';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {type PluginService, startPlugins} from '../support/plugin-service.ts';
import {startInTest} from '../support/service.ts';

const ID = 'com.example.greeter';

/** A page without a build that keeps and reads an entry of its own, and greets the pilot. */
function pageWith(source: string): string {
  return `<!doctype html><title>waiting</title><body><script type="module">
    import {createClient} from '${source}';
    const {entries, identity} = createClient();
    try {
      await entries.put('${ID}/greeting', {n: 1});
      const kept = (await entries.get('${ID}/greeting')).text;
      const {document: {va_user}} = await identity();
      document.title = 'Hello ' + va_user.firstName + ' ' + kept;
    } catch (error) { document.title = error.message; }
    document.body.append(document.title);
  </script>`;
}

const GREETED = 'Hello Ada {"n":1}';

function startPlugin(access: 'open' | 'attributed' | 'strict'): Promise<PluginService> {
  return startPlugins(directory => writePlugin(join(directory, ID), {'ui/index.html': pageWith('/client.js')}), {
    ephemeral: true,
    access,
  });
}

/** Serves a page at an origin of its own, for the rest of a test. */
async function servePage(html: (origin: string) => string): Promise<string> {
  const server = createServer((_, response) => {
    const {port} = server.address() as AddressInfo;
    response.setHeader('Content-Type', 'text/html').end(html(`http://localhost:${port}`));
  });
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!CAN_BROWSE)('/client.js in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchShell();
  });
  afterAll(() => browser?.close());

  for (const access of ['open', 'attributed', 'strict'] as const)
    test(`serves the page of a plugin in the mode ${access}`, async () => {
      const service = await startPlugin(access);
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      const origin = await pageOrigin(service, access === 'strict' ? 'page in the console' : 'page', ID);
      await page.goto(`${origin}/plugins/${ID}/`);
      await expect.poll(() => page.title(), {timeout: 10_000}).toBe(GREETED);
    });

  test('serves the page of an allowed origin, and no other', async () => {
    let url = '';
    const origin = await servePage(() => pageWith(`${url}/client.js`));
    const allowing = await startInTest({ephemeral: true, allowOrigins: [origin]});
    const refusing = await startInTest({ephemeral: true});
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    url = allowing.url;
    await page.goto(origin);
    await expect.poll(() => page.title(), {timeout: 10_000}).toBe(GREETED);
    url = refusing.url;
    await page.goto(origin);
    expect(await page.title()).toBe('waiting');
    const {requests} = await refusing.crewroom.requests.read();
    expect(requests.map(({path, status}) => [path, status])).toEqual([['/client.js', 403]]);
    // Nor without CORS, as a classic script.
    const classic = `new Promise(resolve => document.body.append(Object.assign(document.createElement('script'),
      {src: '${refusing.url}/client.js', onload: () => resolve('loaded'), onerror: () => resolve('refused')})))`;
    expect(await page.evaluate(classic)).toBe('refused');
  });
});

describe.skipIf(!CAN_BROWSE_FIREFOX)('/client.js in Firefox', () => {
  let browser: DrivenBrowser;
  beforeAll(async () => {
    browser = await driveFirefox();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  test('serves the page of a plugin in the mode attributed', async () => {
    const service = await startPlugin('attributed');
    const tab: Tab = await browser.newTab();
    await tab.open(`${await pageOrigin(service, 'page', ID)}/plugins/${ID}/`);
    await expect.poll(() => tab.run('document.title'), {timeout: 10_000}).toBe(GREETED);
    await keepScreenshot(tab, 'firefox-page-client');
  });
});
