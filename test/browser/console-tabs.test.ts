import type {Browser, Locator, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {consoleAddress} from '../support/browsers/console.ts';
import {startInTest} from '../support/service.ts';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

/** Tabs of a browser without a screen are never hidden: this makes them report what `setVisible` says. */
const VISIBILITY = `
  let isVisible = true;
  Object.defineProperty(document, 'hidden', {get: () => !isVisible});
  Object.defineProperty(document, 'visibilityState', {get: () => isVisible ? 'visible' : 'hidden'});
  window.setVisible = value => {
    isVisible = value;
    document.dispatchEvent(new Event('visibilitychange'));
  };
`;

/** Tabs of one window, which share the connections of their browser. */
class Tabs {
  readonly #url: string;
  readonly #newPage: () => Promise<Page>;
  #shown: Page | undefined;

  constructor(url: string, newPage: () => Promise<Page>) {
    this.#url = url;
    this.#newPage = newPage;
  }

  /** Opens a tab in front of the others. */
  async open(fragment: string): Promise<Page> {
    await this.#shown?.evaluate('setVisible(false)');
    this.#shown = await this.#newPage();
    await this.#shown.addInitScript(VISIBILITY);
    await this.#shown.goto(`${consoleAddress(this.#url)}/${fragment}`);
    return this.#shown;
  }

  /** Shows a tab in place of the one in front. */
  async show(page: Page): Promise<void> {
    await this.hide();
    this.#shown = page;
    await page.evaluate('setVisible(true)');
  }

  /** Shows no tab, as a browser that is minimised. */
  async hide(): Promise<void> {
    await this.#shown?.evaluate('setVisible(false)');
    this.#shown = undefined;
  }
}

/** Timers of two seconds and more never end, as if the wait for one were endless. */
const WITHOUT_LONG_TIMERS = `
  const set = setTimeout;
  window.setTimeout = (run, delayMs, ...rest) => delayMs >= 2000 ? 0 : set(run, delayMs, ...rest);
`;

/** @param script Runs before the scripts of each page. */
async function openTabs(url: string, script = ''): Promise<Tabs> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  await context.addInitScript(script);
  return new Tabs(url, () => context.newPage());
}

/** Opens another tab in front of a page, and waits until the page has ended its connections. */
async function leave(page: Page, tabs: Tabs): Promise<void> {
  const ended = page.waitForEvent('requestfailed', request => request.url().includes('/api/events'));
  await tabs.open('#/events');
  await ended;
}

/** Finds the entry of an event in the list. */
function entryIn(page: Page, key: string): Locator {
  return page.getByRole('link', {name: key, exact: true});
}

describe.skipIf(!CAN_BROWSE)('tabs of the console in Chromium', () => {
  test('follow the service, however many they are, and catch up when they are seen again', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const tabs = await openTabs(url);
    const keys = ['first', 'second', 'third', 'fourth', 'fifth'];
    const pages: Page[] = [];
    for (const key of keys) {
      const page = await tabs.open('#/events');
      pages.push(page);
      // It begins with the last changes, and follows from there.
      const [last] = keys.slice(0, keys.indexOf(key)).toReversed();
      await (last === undefined ? page.getByText('Nothing has changed since') : entryIn(page, last)).waitFor();
      await crewroom.entries.put(key, 1);
      await entryIn(page, key).waitFor();
    }
    for (const page of pages) {
      await tabs.show(page);
      await entryIn(page, 'fifth').waitFor();
      // Each change once.
      const counts = await Promise.all(keys.map(key => entryIn(page, key).count()));
      expect(counts).toEqual(keys.map(() => 1));
    }
  });

  test('follow it while no tab is seen, in the tab that the user looked at last', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const tabs = await openTabs(url);
    await tabs.open('#/events');
    const last = await tabs.open('#/events');
    await last.getByText('Nothing has changed since this page was opened').waitFor();
    await tabs.hide();
    await crewroom.entries.put('key', 1);
    await entryIn(last, 'key').waitFor();
  });

  test('keep the requests that they show, and add those that came while they were not seen', async () => {
    const {url} = await startInTest({ephemeral: true});
    const tabs = await openTabs(url);
    const page = await tabs.open('#/requests');
    await page.getByLabel('Path').fill('store');
    await fetch(`${url}/api/store/before`, {method: 'PUT', body: '1'});
    await page.getByRole('button', {name: 'PUT /api/store/before, 201'}).waitFor();
    await page.getByRole('button', {name: 'Pause'}).click();
    await leave(page, tabs);
    await fetch(`${url}/api/store/meanwhile`, {method: 'PUT', body: '1'});
    await tabs.show(page);
    await page.getByRole('button', {name: 'Continue 1 waiting'}).click();
    await expect
      .poll(() => page.locator('.live-line .path').allTextContents())
      .toEqual(['/api/store/before', '/api/store/meanwhile']);
  });

  test('ask for requests at once when they are seen again, also after the service refused them', async () => {
    const {url} = await startInTest({ephemeral: true});
    const tabs = await openTabs(url, WITHOUT_LONG_TIMERS);
    const page = await tabs.open('#/events');
    await page.route('**/api/requests*', route => route.fulfill({status: 500, body: 'refused'}));
    await page.evaluate(`location.hash = '#/requests'`);
    await page.locator('.note.danger').waitFor();
    await page.unroute('**/api/requests*');
    await leave(page, tabs);
    await tabs.show(page);
    await fetch(`${url}/api/store/after`, {method: 'PUT', body: '1'});
    await page.getByRole('button', {name: 'PUT /api/store/after, 201'}).waitFor();
    expect(await page.locator('.note.danger').count()).toBe(0);
  });
});
