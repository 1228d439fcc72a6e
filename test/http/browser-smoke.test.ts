import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {startService} from '../support/service.ts';

describe.skipIf(!CAN_BROWSE)('in a real browser (needs Chromium; `npm run test:browser` has the rest)', () => {
  test('a page of an allowed origin reads the identity, and another one does not', async () => {
    const pages = createServer((_request, response) => {
      response.writeHead(200, {'Content-Type': 'text/html'}).end('<!doctype html><title>a page</title>');
    }).listen(0);
    onTestFinished(() => void pages.close());
    await once(pages, 'listening');
    const {port} = pages.address() as AddressInfo;
    const service = await startService({allowOrigin: [`http://127.0.0.1:${port}`]});
    onTestFinished(() => service[Symbol.asyncDispose]());
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const read = `fetch('http://localhost:${service.port}/api/identity').then(answer => answer.json(), String)`;
    await page.goto(`http://127.0.0.1:${port}`);
    expect(await page.evaluate(read)).toHaveProperty('va_user');
    await page.goto(`http://localhost:${port}`);
    expect(await page.evaluate(read)).toMatch(/^TypeError/);
  });
});
