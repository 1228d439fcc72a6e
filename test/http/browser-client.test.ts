import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {fileURLToPath} from 'node:url';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/chromium.ts';
import {startService, type TestService} from '../support/service.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

let browser: Browser;
let pages: Server;
let service: TestService;
let origin: string;

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  // A page, and beside it the modules of the client as they are published.
  pages = createServer(async ({url = '/'}, response) => {
    const isModule = /^\/(client|domain)\/[a-z-]+\.js$/.test(url);
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? await readFile(`${DIST}${url}`) : '<!doctype html><title>a page</title>');
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  service = await startService({allowOrigin: [origin]});
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  pages?.close();
  pages?.closeAllConnections();
});

/** What runs inside the page; as text, since the types of pages are not those of this program. */
const USE_CLIENT = `(async baseUrl => {
  const {AppError, createClient, decodeJsonText} = await import('/client/index.js');
  const {entries, identity, readiness} = createClient({baseUrl});
  const failureOf = call => call.then(() => 'none', error => error instanceof AppError && error.failure.code);
  const {created, revision} = await entries.put('plugin/a', '{"id": 9007199254740993}', {expected: 'absent'});
  const entry = await entries.get('plugin/a');
  const {entries: [listed]} = await entries.list({prefix: 'plugin/', values: true});
  return {
    pilot: (await identity()).document.va_user.pilotID,
    ready: (await readiness()).ready,
    written: [created, entry.revision === revision],
    read: [decodeJsonText(entry.json), decodeJsonText(listed.json), entry.updatedAtMs > 0],
    absent: await entries.get('plugin/b') === undefined,
    failures: [
      await failureOf(entries.put('plugin/a', '1', {expected: 'absent'})),
      await failureOf(entries.put('plugin/a', '{bad')),
      await failureOf(entries.delete('plugin/b')),
    ],
    deleted: await entries.deleteRange({prefix: 'plugin/'}),
  };
})`;

test.skipIf(!CAN_BROWSE)(
  'the client works in a real browser (needs Chromium), from a page of an allowed origin',
  async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const json = '{"id": 9007199254740993}';
    expect(await page.evaluate(`${USE_CLIENT}(${JSON.stringify(`http://localhost:${service.port}`)})`)).toEqual({
      pilot: 'CRW0042',
      ready: true,
      written: [true, true],
      read: [json, json, true],
      absent: true,
      failures: ['revision-conflict', 'invalid-json', 'no-entry'],
      deleted: 1,
    });
  },
);
