import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {createServer, type ViteDevServer} from 'vite';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.hot';

const PAGE = `<!doctype html><title>hot</title><link rel="icon" href="data:,"><p id="word"></p><p id="pilot"></p>
<script type="module" src="/src/main.js"></script>`;

/** Keeps the time at which the page was loaded, which a reload would change, and calls the address of published pages. */
const MAIN = `
import {word} from './word.js';
import './page.css';
document.querySelector('#word').textContent = word;
window.loadedAt ??= performance.timeOrigin;
const identity = await fetch('http://localhost:7172/api/identity');
const route = await fetch('/api/${ID}/greeting');
document.querySelector('#pilot').textContent = (await identity.json()).va_user.firstName + ' ' + await route.json();
import.meta.hot?.accept('./word.js', module => { document.querySelector('#word').textContent = module.word; });`;

const BACKGROUND = `exports.routes = {get: {greeting: {description: '', handler: (req, res) => res.json('hello')}}};`;

describe.skipIf(!CAN_BROWSE)('the page of a Vite in Chromium, under the origin of the service', () => {
  let browser: Browser;
  let vite: ViteDevServer;
  let service: TestService;
  let page: Page;
  let folder: string;
  let port: number;
  const problems: string[] = [];
  const disposables: AsyncDisposable[] = [];

  beforeAll(async () => {
    browser = await launchShell();
    const home = await makeTemporaryDirectory();
    folder = join(home.path, 'work');
    await writePlugin(folder, {'plugin.json': manifestOf(ID), 'background/index.js': BACKGROUND, 'index.html': PAGE});
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/main.js'), MAIN);
    await writeFile(join(folder, 'src/word.js'), `export const word = 'one';`);
    await writeFile(join(folder, 'src/page.css'), 'p { color: rgb(1, 2, 3); }');
    port = await findFreePort();
    await startVite();
    service = await startService({devPlugins: [folder], ephemeral: true}, {pageServer: `http://localhost:${port}`});
    disposables.push(service, home);
    await untilRunning(service.crewroom.plugins, ID);
    page = await browser.newPage();
    page.on('console', message => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', error => problems.push(error.message));
    page.on('requestfailed', request => problems.push(request.url()));
    await page.goto(`${service.url}/plugins/${ID}/?darkmode=true`);
    await page.getByRole('button', {name: 'Show'}).click();
  });
  async function startVite(): Promise<void> {
    const server = {port, strictPort: true};
    vite = await createServer({root: folder, configFile: false, base: `/plugins/${ID}/`, logLevel: 'silent', server});
    await vite.listen();
  }
  afterAll(async () => {
    await browser?.close();
    await vite?.close();
    for (const each of disposables) await each[Symbol.asyncDispose]();
  });

  test('calls the service and its background without CORS', async () => {
    await expect.poll(() => page.textContent('#pilot')).toBe('Ada hello');
    expect(new URL(page.url()).origin).toBe(service.url);
    expect(problems).toEqual([]);
  });

  test('gets a changed module and a changed style without a reload', async () => {
    await expect.poll(() => page.textContent('#word')).toBe('one');
    const loadedAt = await page.evaluate('window.loadedAt');
    await page.evaluate(`window.kept = true`);
    await writeFile(join(folder, 'src/word.js'), `export const word = 'two';`);
    await expect.poll(() => page.textContent('#word'), {timeout: 20_000}).toBe('two');
    await writeFile(join(folder, 'src/page.css'), 'p { color: rgb(3, 2, 1); }');
    await expect
      .poll(() => page.evaluate(`getComputedStyle(document.querySelector('p')).color`), {timeout: 20_000})
      .toBe('rgb(3, 2, 1)');
    expect(await page.evaluate('[window.loadedAt, window.kept]')).toEqual([loadedAt, true]);
    expect(problems).toEqual([]);
  });

  test('is loaded again by the dev server when its HTML changes', async () => {
    await writeFile(join(folder, 'index.html'), PAGE.replace('<title>hot', '<title>hotter'));
    await expect.poll(() => page.title(), {timeout: 20_000}).toBe('hotter');
  });

  test('is shown in the console without its dev server, as soon as that ends, and with it again', async () => {
    const {page: shown} = await openConsole(browser, service.url, {fragment: `#/plugins/${ID}`});
    const frame = shown.frameLocator('iframe');
    await frame.getByText('Ada hello').waitFor();
    await vite.close();
    await frame.getByText('The dev server of this page does not answer').waitFor();
    await startVite();
    await frame.getByText('Ada hello').waitFor();
    const [before] = service.crewroom.plugins.list();
    await shown.evaluate(`location.hash = '#/plugins'`);
    await shown.evaluate(`location.hash = '#/plugins/${ID}'`);
    await frame.getByText('Ada hello').waitFor();
    // A page that is left, and a dev server that is there, load nothing anew.
    expect(service.crewroom.plugins.list()[0]?.page).toBe(before?.page);
  }, 30_000);
});
