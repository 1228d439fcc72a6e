import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

const ID = 'com.example.radio';

/** More than the list loads at once. */
const COUNT = 1200;

const ORDERED = 'order/\u202egnp.exe';

const LONG = `long/${'abcdefghij'.repeat(30)}/end`;

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
    const {entries} = service.crewroom;
    const keys = Array.from({length: COUNT}, (_, index) => `list/${String(index).padStart(4, '0')}`);
    for (let from = 0; from < COUNT; from += 400)
      await entries.transact({
        operations: keys.slice(from, from + 400).map(key => ({kind: 'put' as const, key, value: Buffer.from('1')})),
      });
    await entries.put(ORDERED, 1);
    await entries.put(LONG, 1);
  },
);

async function openEntries(page: Page, prefix: string): Promise<void> {
  await page.getByRole('searchbox', {name: 'Prefix of keys'}).fill(prefix);
  await page.locator('.row').first().waitFor();
}

/** Describes the active row, as a screen reader does. */
const ACTIVE = `(row => row && [row.title, row.ariaPosInSet, row.ariaSetSize])(document.getElementById(
  document.querySelector('.rows').getAttribute('aria-activedescendant')))`;

describe.skipIf(!CAN_BROWSE)('what the console names in Chromium', () => {
  test('is the place of a row in its list, and Home and End lead to a row', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries'});
    await openEntries(page, 'list/');
    const list = page.getByRole('listbox');
    await list.press('Home');
    await expect.poll(() => page.evaluate(ACTIVE)).toEqual(['list/0000', '1', '-1']);
    await list.press('ArrowDown');
    await expect.poll(() => page.evaluate(ACTIVE)).toEqual(['list/0001', '2', '-1']);
    await list.press('End');
    await expect.poll(() => page.evaluate(ACTIVE)).toEqual(['list/1199', null, '-1']);
    await list.press('ArrowUp');
    await expect.poll(() => page.evaluate(ACTIVE)).toEqual(['list/1198', null, '-1']);
    await openEntries(page, 'list/00');
    // The place of each row is known once the last one is.
    await expect.poll(() => page.locator('[role="option"]').first().getAttribute('aria-setsize')).toBe('100');
    await list.press('Home');
    await expect.poll(() => page.evaluate(ACTIVE)).toEqual(['list/0000', '1', '100']);
  });

  test('is a long key as one text, also when it is copied', async () => {
    const {page} = await openConsole(browser, service.url, {
      fragment: '#/entries',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await openEntries(page, 'long/');
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.row-key'))`);
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(LONG);
    await page.getByRole('option', {name: LONG}).waitFor();
    await keepScreenshot(page, 'names-long');
  });

  test('is the entry, the plugin and the view in the title, and an address without a page', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries/list%2F0000'});
    await expect.poll(() => page.title()).toBe('list/0000 – Entries – Crewroom');
    await page.evaluate(`location.hash = '#/plugins/${ID}'`);
    await expect.poll(() => page.title()).toBe('Radio – Crewroom');
    await page.evaluate(`location.hash = '#/plugins/${ID}/log'`);
    await expect.poll(() => page.title()).toBe('Log – Radio – Crewroom');
    await page.evaluate(`location.hash = '#/nowhere'`);
    await page.getByRole('heading', {name: 'No such page'}).waitFor();
    await expect.poll(() => page.title()).toBe('No such page – Crewroom');
    await page.getByRole('link', {name: 'the overview'}).click();
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
  });

  test('is a character that would change the order of a key, wherever the key is shown', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries'});
    await openEntries(page, 'order/');
    const marks = (place: string): Promise<readonly string[]> =>
      page.evaluate(`[...document.querySelectorAll('${place} .special')].map(each => each.title)`);
    expect(await marks('.row')).toEqual(['U+202E']);
    await page.locator('.row').click();
    await expect.poll(() => marks('h2')).toEqual(['U+202E']);
    expect(await page.title()).toBe('order/[U+202E]gnp.exe – Entries – Crewroom');
    await page.getByRole('button', {name: 'Delete…'}).click();
    expect(await marks('dialog')).toEqual(['U+202E']);
    await keepScreenshot(page, 'names-order');
    await page.getByRole('button', {name: 'Keep it'}).click();
    await page.evaluate(`location.hash = '#/entries'`);
    await openEntries(page, ORDERED);
    expect(await marks('.row')).toEqual(['U+202E']);
    await page.getByRole('button', {name: 'Export…'}).click();
    expect(await marks('dialog')).toEqual(['U+202E']);
    await page.getByRole('dialog').getByRole('button', {name: 'Close'}).click();
    await page.evaluate(`location.hash = '#/events'`);
    await expect.poll(() => marks('.subject')).toEqual(['U+202E']);
    await page.getByRole('button', {name: /^Written order/}).click();
    await expect.poll(() => marks('.detail')).toEqual(['U+202E']);
  });
});
