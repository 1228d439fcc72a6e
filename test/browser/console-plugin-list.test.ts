import {once} from 'node:events';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {callAs, startCallers} from '../support/access-callers.ts';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {startInTest} from '../support/service.ts';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

describe.skipIf(!CAN_BROWSE)('the list of plugins in Chromium', () => {
  for (const [fragment, none] of [
    ['#/', 'Begin a plugin'],
    ['#/plugins', 'No plugins yet'],
  ] as const)
    test(`is looked for before there are none: ${fragment}`, async () => {
      const {url} = await startInTest({ephemeral: true});
      const looked = new EventTarget();
      const {page, problems} = await openConsole(browser, url, {fragment: '#/faults'});
      await page.route('**/api/plugins', async route => {
        await once(looked, 'end');
        await route.continue();
      });
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.reload();
      await page.getByText('Looking for plugins…').waitFor();
      expect(await page.getByText(none).count()).toBe(0);
      looked.dispatchEvent(new Event('end'));
      await page.getByText(none).waitFor();
      expect(await page.getByText('Looking for plugins…').count()).toBe(0);
      expect(problems).toEqual([]);
    });
});

/** Pages of a new service, with the sentence that each begins with, and what it offers. */
const EMPTY_PAGES: readonly (readonly [fragment: string, title: string, way: string])[] = [
  ['#/plugins', 'No plugins yet', 'npx crewroom plugin new my-plugin'],
  ['#/plugins/none', 'It may have been removed', 'npx crewroom plugin install'],
  ['#/entries', 'Nothing is stored yet.', 'curl http'],
  ['#/entries?prefix=none%2F', 'No key begins with this prefix.', 'Show all entries'],
  ['#/entries/none', 'There is no entry with this key.', 'Create it'],
  ['#/events', 'Nothing has changed since this page was opened.', 'curl http'],
  ['#/requests', 'No request yet.', 'curl http'],
  ['#/requests?key=none', 'No request matches the filters.', 'Show all'],
  ['#/flight', 'No flight runs.', 'npx crewroom flight start --port'],
  ['#/faults', 'Nothing fails on purpose.', 'npx crewroom fault delay 500ms --port'],
  ['#/notifications', 'No notifications since this page was opened.', 'a plugin'],
];

describe.skipIf(!CAN_BROWSE)('a page with nothing to show in Chromium', () => {
  test('says what to do', async () => {
    const {url} = await startInTest({ephemeral: true});
    const viewport = {width: 360, height: 800};
    const {page, problems} = await openConsole(browser, url, {viewport, colorScheme: 'dark'});
    for (const [fragment, title, way] of EMPTY_PAGES) {
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      const state = page.locator('.empty-state', {hasText: title});
      await state.locator('button, a, .command').filter({hasText: way}).first().waitFor();
      await keepScreenshot(page, `empty${fragment.replaceAll(/[^a-z]+/g, '-')}`);
      expect([fragment, ...(await findViolations(page))]).toEqual([fragment]);
      expect([fragment, await page.evaluate(FITS_WIDTH)]).toEqual([fragment, true]);
    }
    await page.evaluate(`location.hash = '#/entries?prefix=none%2F'`);
    await page.getByRole('button', {name: 'Show all entries'}).click();
    await page.getByText('Nothing is stored yet.').waitFor();
    await page.evaluate(`location.hash = '#/requests?key=none'`);
    await page.getByRole('button', {name: 'Show all'}).click();
    await page.getByText('No request yet.').waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!CAN_BROWSE)('a plugin that was refused something in Chromium', () => {
  test('has the command that gives it what it lacked, without what its page named to be read as more', async () => {
    const service = await startCallers('attributed');
    const keys = ['other/x', ' admin identity:secrets entries:read:x/y', 'x;{touch,pwned};/y'];
    for (const key of keys) await callAs(service, 'page', {line: `GET /api/store/${encodeURIComponent(key)}`});
    const {page} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    await page.evaluate(`location.hash = '#/plugins'`);
    await page.getByText('This plugin was refused:').waitFor();
    await page.getByText('Permissions that are no plain words are not proposed.').waitFor();
    const commands = await page.locator('.command code').allTextContents();
    expect(commands.filter(text => text.includes('access grant'))).toEqual([
      'crewroom access grant com.a entries:read:other/',
    ]);
  });
});
