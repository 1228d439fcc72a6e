import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

const ID = 'com.example.radio';

const BACKGROUND = `exports.routes = {
  get: {say: {handler: (req, res) => res.json({said: true})}},
  post: {note: {handler: (req, res) => res.json({noted: true})}},
};`;

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Radio'}),
      'background/index.js': BACKGROUND,
    }),
  async started => {
    ({browser, service} = started);
    await service.crewroom.entries.put('slow', 1);
  },
);

/** Claims that need an answer. */
const CLAIMS = [
  'No request yet.',
  'Nothing was logged yet.',
  'Nothing is stored yet.',
  'No plugins yet',
  'Nothing found',
  'Nothing has changed',
  'There is no entry',
  'No pilot is signed in',
  'There is nothing to set.',
];

/** Keeps every claim that a page makes. */
const WATCH_CLAIMS = `window.claims = new Set();
new MutationObserver(() => {
  for (const claim of ${JSON.stringify(CLAIMS)}) if (document.body?.innerText.includes(claim)) claims.add(claim);
}).observe(document, {subtree: true, childList: true, characterData: true});`;

/** Holds all answers of the service from now on. @returns A function that lets them go, and those that follow. */
async function holdAnswers(page: Page): Promise<() => Promise<void>> {
  await page.route('**/api/**', async route => {
    await released;
    await route.continue().catch(() => {});
  });
  let release: () => void = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  return async () => {
    release();
    await page.unrouteAll({behavior: 'wait'});
  };
}

function open(fragment: string) {
  return openConsole(browser, service.url, {fragment, script: WATCH_CLAIMS});
}

describe.skipIf(!CAN_BROWSE)('the console of a slow service in Chromium', () => {
  for (const [fragment, shown] of [
    ['#/requests', 'No request yet.'],
    ['#/entries', 'slow'],
    ['#/entries/slow', 'Requests for it'],
    ['#/settings', 'Play sounds'],
    [`#/plugins/${ID}/log`, 'Nothing was logged yet.'],
  ] as const)
    test(`says at ${fragment} that it loads, and no more until the answer is there`, async () => {
      const {page} = await open('#/notifications');
      await page.getByText('No notifications since').waitFor();
      await page.getByRole('link', {name: 'Radio'}).waitFor();
      const release = await holdAnswers(page);
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.getByText('Still loading…').first().waitFor();
      await page.getByRole('progressbar', {name: 'Loading…'}).first().waitFor();
      await keepScreenshot(page, `slow${fragment.replaceAll(/[^a-z]+/g, '-')}`);
      expect(await page.evaluate('[...claims]')).toEqual([]);
      // Once, however many parts load.
      expect(await page.getByRole('status').getByText('Still loading…').count()).toBe(1);
      await page.emulateMedia({reducedMotion: 'reduce'});
      await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
      await release();
      await page.getByRole('main').getByText(shown).first().waitFor();
      await expect.poll(() => page.locator('.shell > [role="status"]').textContent()).not.toContain('Still');
    });

  test('says that it saves, not that it has not', async () => {
    const {page} = await open('#/entries/slow');
    const editor = page.getByRole('textbox', {name: 'Value', exact: true});
    await editor.fill('2');
    await page.getByText('Changed, not saved').waitFor();
    const release = await holdAnswers(page);
    await page.keyboard.press('Control+s');
    await page.getByText('Saving…').waitFor();
    expect(await page.getByText('Changed, not saved').count()).toBe(0);
    await page.getByText('Still saving…').first().waitFor();
    // The status is read out by itself.
    expect(await page.getByText('Still saving…').count()).toBe(1);
    await keepScreenshot(page, 'slow-save');
    await release();
    await page.getByText('Saved', {exact: true}).waitFor();
  });

  test('says that it waits for an answer, and cancels a request that only reads', async () => {
    const {page} = await open('#/plugins');
    const plugin = page.getByRole('region', {name: 'Radio'});
    await plugin.getByText('2 routes').click();
    await plugin.getByRole('button', {name: 'Try GET say'}).click();
    const send = plugin.getByRole('button', {name: 'Send', exact: true});
    const release = await holdAnswers(page);
    await send.press('Enter');
    await plugin.getByRole('status').getByText('Still waiting for the answer…').waitFor();
    await keepScreenshot(page, 'slow-trial');
    expect(await send.getAttribute('aria-disabled')).toBe('true');
    await plugin.getByRole('button', {name: 'Cancel'}).press('Enter');
    await expect.poll(() => plugin.getByText('waiting for the answer').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send');
    expect(await plugin.locator('.note').count()).toBe(0);
    await send.press('Enter');
    await plugin.getByText('Waiting for the answer…').waitFor();
    await release();
    await plugin.getByText('{"said":true}').waitFor();
    await plugin.getByRole('button', {name: 'Try GET say'}).click();
    await plugin.getByRole('button', {name: 'Try POST note'}).click();
    const releaseNote = await holdAnswers(page);
    await send.click();
    await plugin.getByText('Waiting for the answer…').waitFor();
    // It may have been done.
    expect(await plugin.getByRole('button', {name: 'Cancel'}).count()).toBe(0);
    await releaseNote();
    await plugin.getByText('{"noted":true}').waitFor();
    await page.evaluate(`location.hash = '#/requests'`);
    await fetch(`${service.url}/api/store/slow`);
    await page.getByRole('button', {name: 'GET /api/store/slow, 200'}).first().click();
    const releaseAgain = await holdAnswers(page);
    await page.getByRole('button', {name: 'Send again'}).click();
    await page.getByText('Waiting for the answer…').waitFor();
    await page.getByRole('button', {name: 'Cancel'}).waitFor();
    await releaseAgain();
    await page.getByRole('complementary').getByText('200', {exact: true}).waitFor();
  });

  test('saves once, however often it is told to, and keeps what is typed meanwhile', async () => {
    const {entries} = service.crewroom;
    await entries.put('twice', 1);
    const {page} = await open('#/entries/twice');
    const editor = page.getByRole('textbox', {name: 'Value', exact: true});
    await editor.fill('2');
    await page.getByText('Changed, not saved').waitFor();
    const release = await holdAnswers(page);
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Control+s');
    await page.keyboard.press('End');
    await page.keyboard.type('3');
    await page.getByText('Saving…').waitFor();
    expect(await page.getByText('Changed, not saved').count()).toBe(0);
    await page.keyboard.press('Control+s');
    await release();
    await page.getByText('Changed, not saved').waitFor();
    expect(await editor.textContent()).toBe('23');
    expect((await entries.get('twice'))?.text).toBe('2');
    const {requests} = await service.crewroom.requests.read();
    expect(requests.filter(({method, path}) => method === 'PUT' && path.includes('twice'))).toHaveLength(1);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', {exact: true}).waitFor();
    expect((await entries.get('twice'))?.text).toBe('23');
  });

  test('does not say that no key is found while it looks for keys', async () => {
    const {page} = await open('#/notifications');
    await page.getByText('No notifications since').waitFor();
    const release = await holdAnswers(page);
    await page.keyboard.press('Control+k');
    await page.locator('[role="combobox"]').fill('slo');
    await page.getByText('Looking for keys…').waitFor();
    expect(await page.evaluate('[...claims]')).toEqual([]);
    await release();
    await page.getByRole('option', {name: 'slow'}).waitFor();
  });
});
