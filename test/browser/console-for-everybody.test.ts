import {join} from 'node:path';
import type {Browser, Locator, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {consoleAddress, keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {startInTest, type TestService} from '../support/service.ts';

const ID = 'com.example.radio';

/** Lines of a value: more than the editor shows at once. */
const LINES = 300;

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Radio'}),
      'ui/index.html': '<!doctype html><title>Radio</title>',
    }),
  async started => {
    ({browser, service} = started);
    const long = JSON.stringify(Array.from({length: LINES}, (_, index) => index));
    await service.crewroom.entries.put('long', Buffer.from(long));
  },
);

/** Returns the part of a page in which a text is said to people who do not see it. */
function said(page: Page, text: string): Locator {
  return page.getByRole('status').filter({hasText: new RegExp(`^${text}$`)});
}

describe.skipIf(!CAN_BROWSE)('keys without Ctrl in Chromium', () => {
  test('do nothing once the user has switched them off, also in the documentation', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/settings'});
    await page.getByLabel('Shortcuts without Ctrl or Cmd: / and ?').uncheck();
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    await page.getByRole('link', {name: 'Entries', exact: true}).click();
    const search = page.getByRole('searchbox', {name: 'Prefix of keys'});
    await page.getByRole('option', {name: 'long'}).waitFor();
    for (const key of ['?', '/']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.type')).not.toBe('search');
    expect(await search.getAttribute('aria-keyshortcuts')).toBe(null);
    await page.goto(`${consoleAddress(service.url)}/docs`, {waitUntil: 'networkidle'});
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.localName')).toBe('body');
    await service.crewroom.settings.update('core', {plainKeys: true});
    await page.reload({waitUntil: 'networkidle'});
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.goto(`${consoleAddress(service.url)}/#/entries`);
    await page.locator('[aria-keyshortcuts="/"]').waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
  });

  test('do nothing while the settings are not known, and in documentation that may not know them', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true, access: 'strict'});
    await crewroom.entries.put('long', 1);
    const {page} = await openConsole(browser, service.url, {fragment: '#/notifications'});
    await page.getByText('No notifications since').waitFor();
    let release: () => void = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/api/settings/core', async route => {
      await released;
      await route.continue();
    });
    await page.reload();
    await page.evaluate(`location.hash = '#/entries'`);
    await page.getByRole('option', {name: 'long'}).waitFor();
    for (const key of ['?', '/']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.type')).not.toBe('search');
    release();
    await page.locator('[aria-keyshortcuts="/"]').waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
    const refused = page.waitForResponse('**/api/settings/core');
    await page.goto(`${consoleAddress(url)}/docs`);
    expect((await refused).status()).toBe(401);
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.localName')).toBe('body');
  });
});

describe.skipIf(!CAN_BROWSE)('what happens without being looked at, in Chromium', () => {
  test('is said: another page, lines that wait, details, and a deletion', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/'});
    await page.getByRole('link', {name: 'Events', exact: true}).click();
    await said(page, 'Events').waitFor({state: 'attached'});
    const {entries} = service.crewroom;
    await entries.put('said/a', 1);
    const line = page.getByRole('button', {name: 'Written said/a'});
    await line.waitFor();
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    await line.click();
    await expect.poll(() => line.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', {name: 'Pause'}).click();
    await entries.transact({
      operations: ['b', 'c'].map(each => ({kind: 'put' as const, key: `said/${each}`, value: Buffer.from('1')})),
    });
    await said(page, '2 waiting').waitFor({state: 'attached'});
    await entries.put('said/d', 1);
    await page.getByRole('button', {name: 'Continue 3 waiting'}).waitFor();
    expect(await said(page, '2 waiting').count()).toBe(1);
    await page.evaluate(`location.hash = '#/entries/said%2Fa'`);
    await said(page, 'Entries').waitFor({state: 'attached'});
    await page.getByRole('button', {name: 'Delete…'}).click();
    await page.getByRole('button', {name: 'Delete', exact: true}).click();
    await said(page, 'The entry was deleted').waitFor({state: 'attached'});
  });

  test('is the number of what the documentation has, among which the arrow keys move', async () => {
    const {page} = await openConsole(browser, service.url);
    await page.goto(`${consoleAddress(service.url)}/docs`);
    await page.getByRole('searchbox').fill('fault');
    await said(page, '8 found').waitFor();
    await keepScreenshot(page, 'docs-found');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(`document.activeElement === document.querySelectorAll('.found a')[1]`)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.getByRole('searchbox').fill('zzzzzz');
    await said(page, 'Nothing found: try fewer or other words').waitFor();
  });
});

describe.skipIf(!CAN_BROWSE)('the console on paper', () => {
  test('has all lines and the whole value, without the menu, and says of the list how to keep it', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/events', colorScheme: 'dark'});
    for (let each = 0; each < 100; each++) await service.crewroom.entries.put('paper', each);
    await page.getByText(/^1\d\d lines$/).waitFor();
    await page.emulateMedia({media: 'print'});
    expect(await page.getByRole('navigation').count()).toBe(0);
    const whole = `[...document.querySelectorAll('.live, .content, .entry, .json, .cm-scroller')].every(
      each => each.scrollHeight <= each.clientHeight + 1)`;
    expect(await page.evaluate(whole)).toBe(true);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');
    await keepScreenshot(page, 'print-events');
    await page.evaluate(`location.hash = '#/entries'`);
    await page.getByText('The list is as long as the store').waitFor();
    await page.emulateMedia({media: 'screen'});
    await page.evaluate(`location.hash = '#/entries/long'`);
    await page.locator('.cm-line').first().waitFor();
    // The editor shows all lines for half a second, in which browsers print.
    await page.evaluate(`(window.query = matchMedia('print')).onchange = () => {
      window.printed = document.querySelector('.json-editor').shadowRoot.querySelectorAll('.cm-line').length;
    }`);
    await page.emulateMedia({media: 'print'});
    await expect.poll(() => page.evaluate('window.printed')).toBe(LINES + 2);
    await keepScreenshot(page, 'print-entry');
  });
});
