import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService} from '../support/service.ts';

describe.skipIf(!CAN_BROWSE)('in a real browser (needs Chromium; `npm run test:browser` has the rest)', () => {
  test('a page of an allowed origin reads the identity, and another one does not', async () => {
    const pages = createServer((_request, response) => {
      response.writeHead(200, {'Content-Type': 'text/html'}).end('<!doctype html><title>a page</title>');
    }).listen(0);
    onTestFinished(() => void pages.close());
    await once(pages, 'listening');
    const {port} = pages.address() as AddressInfo;
    const service = await startService({allowOrigins: [`http://127.0.0.1:${port}`]});
    onTestFinished(() => service[Symbol.asyncDispose]());
    const browser = await launchShell();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const read = `fetch('http://localhost:${service.port}/api/identity').then(answer => answer.json(), String)`;
    await page.goto(`http://127.0.0.1:${port}`);
    expect(await page.evaluate(read)).toHaveProperty('va_user');
    await page.goto(`http://localhost:${port}`);
    expect(await page.evaluate(read)).toMatch(/^TypeError/);
  });

  test('the console shows the page of a plugin, and every request of it succeeds', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    await writePlugin(join(home.path, 'com.example.page'), {'ui/index.html': '<!doctype html><p>hello</p>'});
    const service = await startService({pluginsDir: home.path, ephemeral: true});
    onTestFinished(() => service[Symbol.asyncDispose]());
    const browser = await launchShell();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('response', answer => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
    page.on('console', message => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', error => problems.push(String(error)));
    await page.goto(`${service.url}/`);
    await page.getByRole('navigation').getByRole('link', {name: 'Plugin com.example.page'}).click();
    await expect.poll(() => page.frameLocator('iframe').locator('p').textContent()).toBe('hello');
    expect(problems).toEqual([]);
    expect(await findViolations(page)).toEqual([]);
  });
});
