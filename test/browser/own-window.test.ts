import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {keepScreenshot} from '../support/browsers/console.ts';
import {servePages} from '../support/browsers/pages.ts';
import {findFreePort} from '../support/free-port.ts';
import {readGuide} from '../support/guide.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService} from '../support/service.ts';

describe.skipIf(!CAN_BROWSE)('the page of window-of-your-own.md (needs Chromium)', () => {
  const disposables: AsyncDisposable[] = [];
  let browser: Browser;
  let address: string;

  /** A page that says its theme, and notifies and asks with its buttons. */
  const page = (name: string): string => `<!doctype html><title>${name}</title><h1></h1>
<button onclick="parent.postMessage({kind: 'crewroom-notification', message: 'from ${name}'}, '*')">notify</button>
<button onclick="fetch('/api/play-sound', {method: 'POST', body: JSON.stringify({url: '/chime.wav'})})">play</button>
<script>document.querySelector('h1').textContent = new URLSearchParams(location.search).get('backcolor')</script>`;

  beforeAll(async () => {
    const home = await makeTemporaryDirectory();
    for (const name of ['left', 'right'])
      await writePlugin(join(home.path, `com.example.${name}`), {'ui/index.html': page(name)});
    const html = readGuide('window-of-your-own.md').find(({language}) => language === 'html')?.text ?? '';
    const servicePort = await findFreePort();
    const pages = await servePages((_request, response) => {
      response
        .setHeader('Content-Type', 'text/html')
        .end(html.replaceAll('localhost:7172', `localhost:${servicePort}`));
    });
    address = `http://localhost:${pages.port}`;
    const options = {port: servicePort, allowOrigins: [address], pluginsDir: home.path, ephemeral: true};
    disposables.push(pages, await startService(options), home);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    for (const each of disposables) await each[Symbol.asyncDispose]();
  });

  test('shows two plugins in its theme, says what they notify of, and plays what they ask for', async () => {
    const tab = await browser.newPage();
    onTestFinished(() => tab.close());
    const played = tab.waitForRequest('**/chime.wav');
    await tab.goto(address);
    for (const name of ['left', 'right']) {
      const frame = tab.frameLocator(`[title="com.example.${name}"]`);
      await expect.poll(() => frame.locator('h1').textContent()).toBe('#1B3A5C');
      await frame.getByRole('button', {name: 'notify'}).click();
      await expect.poll(() => tab.textContent('#said')).toBe(`com.example.${name}: from ${name}`);
    }
    await tab.frameLocator('[title="com.example.left"]').getByRole('button', {name: 'play'}).click();
    await played;
    await keepScreenshot(tab, 'window-of-your-own');
  });
});
