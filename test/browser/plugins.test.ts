import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {afterAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

const ID = 'com.example.page';

const PAGE = `<!doctype html><title>a plugin</title><p id="greeting"></p>
<script type="module" crossorigin src="/plugins/${ID}/assets/page.js"></script>`;

/** Script with the address as a constant, like those of published pages. */
const SCRIPT = `
const base = 'http://localhost:7172/api/';
const {greeting} = await (await fetch(base + '${ID}/greeting?for=' + location.pathname)).json();
const missing = (await fetch('/plugins/${ID}/none.json')).status;
document.querySelector('#greeting').textContent = greeting + ' ' + missing;`;

const BACKGROUND = `exports.routes = {get: {greeting: {description: '', handler: (req, res) => res.json({greeting: 'hello ' + req.query.for})}}};`;

let browser: Browser;
let service: TestService;
let outside: PageServer;
let allowed: string;
let foreign: string;

usePlugins(
  async directory => {
    await writePlugin(join(directory, ID), {
      'ui/index.html': PAGE,
      'ui/assets/page.js': SCRIPT,
      'background/index.js': BACKGROUND,
    });
    outside = await servePages((_, response) => {
      const base = service.url;
      const frame = `<!doctype html><iframe src="${base}/plugins/${ID}/"></iframe><a href="${base}/plugins/${ID}/">link</a>`;
      response.writeHead(200, {'Content-Type': 'text/html'}).end(frame);
    });
    const {port} = outside;
    allowed = `http://localhost:${port}`;
    foreign = `http://127.0.0.1:${port}`;
  },
  started => {
    ({browser, service} = started);
  },
  pluginsDir => ({pluginsDir, allowOrigins: [allowed]}),
);
afterAll(() => outside?.[Symbol.asyncDispose]());

async function open(url: string): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  return page;
}

describe.skipIf(!CAN_BROWSE)('the page of a plugin in Chromium', () => {
  test('calls its background, whatever the port of the service', async () => {
    const page = await open(`${service.url}/plugins/${ID}/`);
    await expect.poll(() => page.textContent('#greeting')).toBe(`hello /plugins/${ID}/ 404`);
  });

  test('may use client-side routes, which survive a reload', async () => {
    const page = await open(`${service.url}/plugins/${ID}/flights/7`);
    // Another page may have chosen the path.
    await page.click('main button');
    await expect.poll(() => page.textContent('#greeting')).toBe(`hello /plugins/${ID}/flights/7 404`);
    await page.reload();
    await expect.poll(() => page.textContent('#greeting')).toBe(`hello /plugins/${ID}/flights/7 404`);
  });

  test('is shown in a frame of an allowed page', async () => {
    const page = await open(allowed);
    await expect.poll(() => page.frameLocator('iframe').locator('#greeting').textContent()).toContain('hello');
  });

  test('is shown neither in a frame of a foreign page nor from its links', async () => {
    const page = await open(foreign);
    const frame = page.frames().find(each => each !== page.mainFrame());
    expect(await frame?.evaluate('document.title').catch(() => '')).not.toBe('a plugin');
    const [response] = await Promise.all([
      page.waitForResponse(answer => answer.url().startsWith(service.url)),
      page.click('a'),
    ]);
    expect(response.status()).toBe(403);
    expect(await page.title()).not.toBe('a plugin');
  });
});
