import type {Browser, Locator, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {Crewroom} from '../../src/app/crewroom.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';

/** The published files: the page needs files that the build puts beside it. */
const PUBLISHED = '../../dist/app/index.js';

let browser: Browser;
let crewroom: Crewroom;
let base: string;
let pages: PageServer;
let foreign: string;

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchShell();
  const {openCrewroom} = (await import(PUBLISHED)) as typeof import('../../src/app/index.ts');
  crewroom = await openCrewroom({store: 'memory', port: 0});
  base = `http://localhost:${(await crewroom.listen()).port}`;
  pages = await servePages();
  foreign = `http://127.0.0.1:${pages.port}`;
});
afterAll(async () => {
  await browser?.close();
  await crewroom?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
});
beforeEach(() => crewroom.entries.put('com.example.hello', 'untouched'));

/** Opens a page of the documentation, as a link to an operation does. */
async function openDocs(tag: string, id: string): Promise<{page: Page; operation: Locator}> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${base}/docs/api#/${tag}/${id}`);
  const operation = page.locator(`#operations-${tag}-${id}`);
  await operation.locator('.opblock-body').waitFor();
  return {page, operation};
}

/** Clicks until the page accepts it: at first it ignores clicks. */
async function clickUntil(button: Locator, seen: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await button.click({timeout: 1000}).catch(() => {});
      return seen.count();
    })
    .toBeGreaterThan(0);
}

describe.skipIf(!CAN_BROWSE)('the page of the documentation (needs Chromium)', () => {
  test('opens an operation from a link without a button that runs it', async () => {
    const {operation} = await openDocs('Store', 'deleteEntry');
    expect(await operation.locator('.try-out__btn').count()).toBe(1);
    expect(await operation.locator('.execute').count()).toBe(0);
  });

  test('ignores a click right after it comes to the foreground, as the second one of a double click would be', async () => {
    const {page, operation} = await openDocs('Store', 'deleteEntry');
    const button = operation.locator('.try-out__btn');
    await page.evaluate(`window.dispatchEvent(new Event('focus')); document.querySelector('.try-out__btn').click()`);
    expect(await button.textContent()).toMatch(/try it out/i);
    await clickUntil(button, operation.locator('.execute'));
    await page.evaluate(`window.dispatchEvent(new Event('focus')); document.querySelector('.execute').click()`);
    expect(await operation.locator('.loading-container, .live-responses-table').count()).toBe(0);
    expect(await crewroom.entries.get('com.example.hello')).toBeDefined();
  });

  test('runs an operation after two clicks of a user', async () => {
    const {operation} = await openDocs('Store', 'deleteEntry');
    await clickUntil(operation.locator('.try-out__btn:not(.cancel)'), operation.locator('.execute'));
    await clickUntil(operation.locator('.execute'), operation.locator('.loading-container, .live-responses-table'));
    await expect.poll(() => crewroom.entries.get('com.example.hello')).toBeUndefined();
  });

  test('gives no window reference to a foreign page that opened it on an operation', async () => {
    const opener = await browser.newPage();
    onTestFinished(() => opener.close());
    await opener.goto(foreign);
    const [opened] = await Promise.all([
      opener.context().waitForEvent('page'),
      opener.evaluate(`void (window.opened = window.open(${JSON.stringify(`${base}/docs/api#/Store/deleteEntry`)}))`),
    ]);
    onTestFinished(() => opened.close());
    await opened.locator('#operations-Store-deleteEntry .try-out__btn').waitFor();
    expect(await opener.evaluate('opened.closed')).toBe(true);
    expect(await opened.evaluate('opener')).toBe(null);
    expect(await opened.locator('.execute').count()).toBe(0);
  });

  test('shows the beginning of a stream of events, and does not load for ever', async () => {
    const {page, operation} = await openDocs('Events', 'getEvents');
    await clickUntil(operation.locator('.try-out__btn:not(.cancel)'), operation.locator('.execute'));
    await page.locator('[data-param-name="initial"] select').selectOption('true');
    await clickUntil(operation.locator('.execute'), operation.locator('.loading-container, .live-responses-table'));
    const shown = operation.locator('.live-responses-table');
    await expect.poll(() => shown.allTextContents().then(String)).toMatch(/entry-written.*untouched/s);
    expect(await operation.locator('.loading-container').count()).toBe(0);
  });

  for (const [tag, id] of [
    ['Store', 'putEntry'],
    ['Store', 'transact'],
    ['Identity', 'getIdentity'],
  ] as const) {
    test(`shows ${id} on less than three screens`, async () => {
      const {operation} = await openDocs(tag, id);
      // It is larger while its parts appear.
      await expect.poll(async () => (await operation.boundingBox())?.height).toBeLessThan(3 * 900);
    });
  }
});
