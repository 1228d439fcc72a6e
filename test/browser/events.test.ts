import {setTimeout} from 'node:timers/promises';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

let browser: Browser;
let pages: PageServer;
let origin: string;

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  pages = await servePages();
  origin = `http://127.0.0.1:${pages.port}`;
});

afterAll(async () => {
  await browser?.close();
  await pages?.[Symbol.asyncDispose]();
});

describe.skipIf(!CAN_BROWSE)('EventSource in a page of an allowed origin (needs Chromium)', () => {
  test('receives every event, also of changes made while the service was stopped', async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const start = async (port: number): Promise<TestService> => {
      const started = await startService({port, dataDir: `${directory.path}/data`, allowOrigins: [origin]});
      onTestFinished(() => started[Symbol.asyncDispose]());
      return started;
    };
    const before = await start(0);
    const page = await openPage();
    await page.evaluate(url => {
      const heard: [string, string, string][] = [];
      const source = new EventSource(url);
      for (const kind of ['entry-written', 'entry-deleted', 'reset'])
        source.addEventListener(kind, event => {
          const {type, data, lastEventId} = event as unknown as {type: string; data: string; lastEventId: string};
          heard.push([type, JSON.parse(data).key, lastEventId]);
        });
      Object.assign(globalThis, {heard});
      return new Promise(resolve => {
        source.onopen = resolve;
      }).then(() => {});
    }, `http://localhost:${before.port}/api/events?prefix=a/`);
    await before.crewroom.entries.put('a/1', Buffer.from('{\n"x":1}'));
    await before.crewroom.entries.put('b/1', 1);
    const service = await fetch(`http://localhost:${before.port}/api`);
    const {storeId} = (await service.json()) as {readonly storeId: string};
    await expectHeard(page, [['entry-written', 'a/1', `${storeId}-1`]]);

    await before[Symbol.asyncDispose]();
    // Changes made before the port is open again.
    const away = await startService({port: 0, dataDir: `${directory.path}/data`});
    await away.crewroom.entries.put('a/2', 2);
    await away.crewroom.entries.delete('a/1');
    await away[Symbol.asyncDispose]();
    const after = await start(before.port);
    await after.crewroom.entries.put('a/3', 3);
    await expectHeard(page, [
      ['entry-written', 'a/1', `${storeId}-1`],
      ['entry-written', 'a/2', `${storeId}-3`],
      ['entry-deleted', 'a/1', `${storeId}-4`],
      ['entry-written', 'a/3', `${storeId}-5`],
    ]);
  });
});

describe.skipIf(!CAN_BROWSE_FIREFOX)('EventSource in a page of an allowed origin (needs firefox-esr)', () => {
  test('survives a restart of the service, although Firefox gives up at the first connection that is refused', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = `${directory.path}/data`;
    await using firefox = await driveFirefox();
    const tab = await firefox.newTab();
    await using server = await servePages();
    const allowOrigins = [`http://127.0.0.1:${server.port}`];
    const before = await startService({port: 0, dataDir, allowOrigins});
    await tab.open(`http://127.0.0.1:${server.port}/`);
    const url = `http://localhost:${before.port}/api/events`;
    await tab.run(`void (window.heard = [], window.source = new EventSource('${url}'), source.addEventListener(
      'entry-written', event => heard.push(JSON.parse(event.data).key)))`);
    await expect.poll(() => tab.run('source.readyState')).toBe(1);
    await before.crewroom.entries.put('a', 1);
    await expect.poll(() => tab.run('heard')).toEqual(['a']);

    await before[Symbol.asyncDispose]();
    // A restart that takes long: nothing listens meanwhile.
    await setTimeout(3000);
    await using after = await startService({port: before.port, dataDir, allowOrigins});
    await after.crewroom.entries.put('b', 1);
    await expect.poll(() => tab.run('heard'), {timeout: 20_000}).toEqual(['a', 'b']);
  });
});

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(origin);
  return page;
}

/** Waits until a page has received this many events, and compares them. */
async function expectHeard(page: Page, expected: readonly (readonly string[])[]): Promise<void> {
  await page.waitForFunction(
    count => (globalThis as unknown as {heard: unknown[]}).heard.length >= count,
    expected.length,
  );
  const heard = await page.evaluate(() => (globalThis as unknown as {heard: unknown}).heard);
  expect(heard).toEqual(expected);
}
