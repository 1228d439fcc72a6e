import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {startInTest, useService} from '../support/service.ts';

let browser: Browser;
beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

const service = useService({ephemeral: true});

/** Kinds of lines of the difference that is shown, with their texts. */
const DIFFERENCE = `(() => {
  const {shadowRoot} = document.querySelector('dialog .json-editor');
  return [...shadowRoot.querySelectorAll('.cm-deletedLine, .cm-changedLine')]
    .map(line => (line.matches('.cm-deletedLine') ? '-' : '+') + line.textContent.trim());
})()`;

describe.skipIf(!CAN_BROWSE)('earlier values of an entry in Chromium', () => {
  test('are listed with their writers, and show what has changed, member by member', async () => {
    const {entries} = service().crewroom;
    await entries.put('seen', Buffer.from('{"from": "EGLL","to": "LPPT","flight": 9007199254740993}'));
    await entries.put('seen', 'x'.repeat(64 * 1024));
    await entries.put('seen', Buffer.from('{"from": "EGLL","to": "LPMA","flight": 9007199254740993}'));
    const {page, problems} = await openConsole(browser, service().url, {fragment: '#/entries/seen'});
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    const dialog = page.getByRole('dialog', {name: 'Earlier values'});
    await dialog.getByRole('button', {name: 'Revision 1', exact: true}).click();
    await expect.poll(() => page.evaluate(DIFFERENCE)).toEqual(['-"to": "LPMA",', '+"to": "LPPT",']);
    const rows = await dialog.getByRole('listitem').allTextContents();
    expect(rows.map(row => row.replace(/, \w+ \d.*?(?=, by|$)/, ''))).toEqual([
      'Revision 3, 56 B, now',
      'Revision 2, 64 KiB, too large to be kept',
      'Revision 1, 56 B',
      '',
    ]);
    await keepScreenshot(page, 'earlier-values');
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({width: 320, height: 640});
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
    expect(problems).toEqual([]);
  });

  test('are restored byte for byte', async () => {
    const {entries} = service().crewroom;
    const text = '{"n": 1.0,\n "n": 2}';
    const {revision} = await entries.put('restored', Buffer.from(text));
    await entries.put('restored', 3);
    const {page, problems} = await openConsole(browser, service().url, {fragment: '#/entries/restored'});
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    await page.getByRole('button', {name: `Revision ${revision}`, exact: true}).click();
    await page.getByRole('button', {name: 'Restore', exact: true}).click();
    await page.getByText('Restored', {exact: true}).waitFor();
    expect((await entries.get('restored'))?.text).toBe(text);
    expect(problems).toEqual([]);
  });

  test('of a deleted entry are found from Events, and restored', async () => {
    const {crewroom, url} = await startInTest({ephemeral: true});
    const {entries} = crewroom;
    const {page, problems} = await openConsole(browser, url, {fragment: '#/events'});
    await page.getByText('Nothing has changed since this page was opened.').waitFor();
    const {revision} = await entries.put('gone', 'kept');
    await entries.delete('gone');
    await page.getByRole('button', {name: 'Deleted gone'}).click();
    await page.getByRole('link', {name: 'gone'}).last().click();
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    await page.getByRole('button', {name: `Revision ${revision}`, exact: true}).click();
    await page.getByRole('button', {name: 'Restore', exact: true}).click();
    await expect.poll(async () => (await entries.get('gone'))?.text).toBe('"kept"');
    expect(problems).toEqual([]);
  });

  test('are not stored over what another program stored meanwhile', async () => {
    const {entries} = service().crewroom;
    const {revision} = await entries.put('changed', 1);
    await entries.put('changed', 2);
    const {page} = await openConsole(browser, service().url, {fragment: '#/entries/changed'});
    await page.route('**/api/store/changed', async route => {
      if (route.request().method() === 'PUT') await entries.put('changed', 'theirs');
      await route.continue();
    });
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    await page.getByRole('button', {name: `Revision ${revision}`, exact: true}).click();
    await page.getByRole('button', {name: 'Restore', exact: true}).click();
    await page
      .getByText(/has changed|expected/i)
      .first()
      .waitFor();
    expect((await entries.get('changed'))?.value).toBe('theirs');
  });

  test('keep the time to live that the entry has', async () => {
    const {entries} = service().crewroom;
    const {revision} = await entries.put('expiring', 1);
    await entries.put('expiring', 2, {ttlSeconds: 3600});
    const {page} = await openConsole(browser, service().url, {fragment: '#/entries/expiring'});
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    await page.getByRole('button', {name: `Revision ${revision}`, exact: true}).click();
    await page.getByRole('button', {name: 'Restore', exact: true}).click();
    await page.getByText('Restored', {exact: true}).waitFor();
    const restored = await entries.get('expiring');
    expect([restored?.value, restored?.expiresAtMs === undefined]).toEqual([1, false]);
  });

  test('of a deleted entry that cannot be restored say why', async () => {
    const {entries} = service().crewroom;
    const {revision} = await entries.put('refused', 1);
    await entries.delete('refused');
    const {page} = await openConsole(browser, service().url, {fragment: '#/entries/refused'});
    await page.route('**/api/store/refused', route => route.abort());
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    await page.getByRole('button', {name: `Revision ${revision}`, exact: true}).click();
    await page.getByRole('button', {name: 'Restore', exact: true}).click();
    await page.getByText('Cannot reach the service').first().waitFor();
  });

  test('wait until changes of the user are saved or discarded', async () => {
    const {entries} = service().crewroom;
    const {revision} = await entries.put('typed', 1);
    await entries.put('typed', 2);
    const {page} = await openConsole(browser, service().url, {fragment: '#/entries/typed'});
    await page.getByRole('textbox', {name: 'Value', exact: true}).fill('3');
    await page.getByRole('button', {name: 'Earlier values…'}).click();
    await page.getByRole('button', {name: `Revision ${revision}`, exact: true}).click();
    await page.getByRole('button', {name: 'Restore', exact: true}).click({force: true});
    await page.getByText('To restore a value, save or discard your changes first.').waitFor();
    expect((await entries.get('typed'))?.value).toBe(2);
  });
});
