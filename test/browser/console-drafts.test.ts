import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {findFreePort} from '../support/free-port.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {startService, type TestService} from '../support/service.ts';

const ID = 'com.example.radio';

const SETTINGS = {callsign: {name: 'Callsign', type: 'string', default: 'Crewroom', settingType: 'user'}};

const BACKGROUND = `exports.routes = {post: {note: {handler: (req, res) => res.json({noted: req.body})}}};`;

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Radio', availableSettings: SETTINGS}),
      'ui/index.html': '<!doctype html><title>Radio</title>',
      'background/index.js': BACKGROUND,
    }),
  started => {
    ({browser, service} = started);
  },
);

function editor(page: Page) {
  return page.getByRole('textbox', {name: 'Value', exact: true});
}

/** Shows another page of the console, as a link does. */
async function go(page: Page, fragment: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  await page.getByRole('heading', {name: heading, exact: true}).waitFor();
}

/** Asks whether the browser would ask before it leaves the page. */
function asksToLeave(page: Page): Promise<unknown> {
  return page.evaluate(`!dispatchEvent(new Event('beforeunload', {cancelable: true}))`);
}

describe.skipIf(!CAN_BROWSE)('what a user types in Chromium', () => {
  test('is not touched by a program that writes the same entry at each key', async () => {
    const {entries} = service.crewroom;
    await entries.put('live/each', 'before');
    const {page, problems} = await openConsole(browser, service.url, {fragment: '#/entries/live%2Feach'});
    await editor(page).click();
    await page.keyboard.press('Control+a');
    // In the order of which a note tells nothing.
    for (const [index, key] of [...'"/?mine"'].entries()) {
      await page.keyboard.press(key);
      await entries.put('live/each', index);
      await page
        .locator('.entry-facts', {hasText: `Revision ${(await entries.get('live/each'))?.revision} ·`})
        .waitFor();
    }
    expect(await editor(page).textContent()).toBe('"/?mine"');
    await page.evaluate(`new MutationObserver(records => window.said = records).observe(
      document.querySelector('.conflict-note').parentElement, {subtree: true, childList: true, characterData: true})`);
    await entries.put('live/each', 'again');
    const note = page
      .getByRole('status')
      .filter({hasText: 'Another program stored a value while you were editing this entry.'});
    await page.locator('.entry-facts', {hasText: `Revision ${(await entries.get('live/each'))?.revision} ·`}).waitFor();
    expect(await note.count()).toBe(1);
    expect(await page.evaluate('window.said')).toBeUndefined();
    await keepScreenshot(page, 'drafts-note');
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', {name: 'Which value is to be stored?'});
    await dialog.getByText('"again"').waitFor();
    await dialog.getByText('"/?mine"').waitFor();
    await keepScreenshot(page, 'drafts-conflict');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('!"');
    expect(await editor(page).textContent()).toBe('"/?mine!"');
    await page.keyboard.press('Control+s');
    await dialog.getByRole('button', {name: 'Replace with mine'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    expect((await entries.get('live/each'))?.text).toBe('"/?mine!"');
    expect(problems).toEqual([]);
  });

  test('is asked about again if a program writes between the question and the answer', async () => {
    const {entries} = service.crewroom;
    await entries.put('live/race', 'before');
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries/live%2Frace'});
    await editor(page).fill('"mine"');
    // Not when the page reads the entry, which it does again once it follows the changes.
    await page.route('**/api/store/**', async route => {
      if (route.request().method() === 'PUT') await entries.put('live/race', 'theirs');
      await route.continue();
    });
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', {name: 'Which value is to be stored?'});
    await dialog.getByText('"theirs"').waitFor();
    await dialog.getByRole('button', {name: 'Keep the stored one'}).click();
    await expect.poll(() => editor(page).textContent()).toBe('"theirs"');
    expect((await entries.get('live/race'))?.text).toBe('"theirs"');
  });

  test('is saved with the time of expiry of its entry, though that is not loaded yet', async () => {
    const {entries} = service.crewroom;
    await entries.put('live/mortal', 'before', {ttlSeconds: 600});
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries/live%2Fmortal'});
    await editor(page).fill('"mine"');
    await go(page, '#/requests', 'Requests');
    let release: () => void = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/api/keys?prefix=live**', async route => {
      await released;
      await route.continue();
    });
    await go(page, '#/entries/live%2Fmortal', 'live/mortal');
    await editor(page).click();
    await page.keyboard.press('Control+s');
    release();
    await page.getByText('Saved', {exact: true}).waitFor();
    const saved = await entries.get('live/mortal');
    expect(saved?.text).toBe('"mine"');
    expect(saved?.expiresAtMs).toBeDefined();
  });

  test('is asked about only on saving, though a text that is no JSON was to replace the other value', async () => {
    const {entries} = service.crewroom;
    await entries.put('live/broken', 'before');
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries/live%2Fbroken'});
    await editor(page).fill('{"mine"');
    await entries.put('live/broken', 'theirs');
    await page.getByRole('button', {name: 'Compare…'}).click();
    const dialog = page.getByRole('dialog', {name: 'Which value is to be stored?'});
    await dialog.getByRole('button', {name: 'Replace with mine'}).click();
    await page.getByText('Not JSON').waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    await page.getByText('Another program stored a value').waitFor();
    await entries.put('live/broken', 'theirs again');
    const {revision} = (await entries.get('live/broken')) ?? {};
    await page.locator('.entry-facts', {hasText: `Revision ${revision} ·`}).waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('is asked about only on saving, though an entry could not be deleted before', async () => {
    const {entries} = service.crewroom;
    await entries.put('live/undeleted', 'before');
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries/live%2Fundeleted'});
    await page.route('**/api/store/**', async route => {
      if (route.request().method() === 'DELETE') await entries.put('live/undeleted', 'theirs');
      await route.continue();
    });
    await page.getByRole('button', {name: 'Delete…'}).click();
    await page.getByRole('dialog').getByRole('button', {name: 'Delete', exact: true}).click();
    await page.locator('.entry-status .note').waitFor();
    await editor(page).fill('"mine"');
    await entries.put('live/undeleted', 'theirs again');
    await page.getByText('Another program stored a value').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('stays in each form while other pages are looked at, which the menu shows and a reload asks about', async () => {
    for (const name of ['each', 'race', 'mortal', 'broken', 'undeleted'])
      await service.crewroom.entries.delete(`live/${name}`);
    const {page, problems} = await openConsole(browser, service.url, {
      fragment: `#/plugins/${ID}/settings`,
      code: await createOwnerCode(service),
    });
    const menu = page.getByRole('navigation', {name: 'Plugins, service and settings'});
    const marked = (name: string) => menu.getByRole('link', {name: `${name} ✱ not saved`});
    await page.getByLabel('Callsign').fill('Tower');
    await marked('Radio').waitFor();
    await go(page, '#/settings', 'Settings');
    await page.getByLabel('Play sounds').click();
    await marked('Settings').waitFor();
    await go(page, '#/faults', 'Faults');
    await page.getByLabel('Fault', {exact: true}).selectOption('Failure');
    await page.getByLabel('Code').fill('disk-full');
    await marked('Faults').waitFor();
    await go(page, '#/entries', 'Entries');
    await page.getByRole('button', {name: 'New entry…'}).click();
    await page.getByLabel('Key', {exact: true}).fill('com.example.radio/new');
    await page.keyboard.press('Escape');
    await marked('Entries').waitFor();
    await keepScreenshot(page, 'drafts-menu');
    expect(await findViolations(page)).toEqual([]);
    expect(await asksToLeave(page)).toBe(true);
    await go(page, '#/faults', 'Faults');
    expect(await page.getByLabel('Code').inputValue()).toBe('disk-full');
    await page.getByRole('button', {name: 'Discard'}).click();
    expect(await page.getByLabel('Milliseconds').inputValue()).toBe('500');
    await go(page, `#/plugins/${ID}/settings`, 'Radio');
    expect(await page.getByLabel('Callsign').inputValue()).toBe('Tower');
    await page.getByRole('button', {name: 'Discard'}).click();
    await go(page, '#/settings', 'Settings');
    expect(await page.getByLabel('Play sounds').isChecked()).toBe(false);
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    await go(page, '#/entries', 'Entries');
    await page.getByRole('button', {name: 'New entry…'}).click();
    expect(await page.getByLabel('Key', {exact: true}).inputValue()).toBe('com.example.radio/new');
    await page.getByRole('button', {name: 'Cancel'}).click();
    expect(await menu.getByText('not saved').count()).toBe(0);
    expect(await asksToLeave(page)).toBe(false);
    expect(problems).toEqual([]);
  });

  test('stays in each form that is sent, is unsaved until then, and stays after that', async () => {
    await service.crewroom.entries.put('live/ttl', 1);
    const {page} = await openConsole(browser, service.url, {
      fragment: '#/plugins',
      code: await createOwnerCode(service),
    });
    const menu = page.getByRole('navigation', {name: 'Plugins, service and settings'});
    const marked = (name: string) => menu.getByRole('link', {name: `${name} ✱ not saved`});
    const body = page.getByLabel('Body, as JSON');
    await page.getByText('1 route', {exact: true}).click();
    await page.getByRole('button', {name: 'Try POST note'}).click();
    await body.fill('{"text": "fog"}');
    await marked('Plugins').waitFor();
    expect(await marked('Radio').count()).toBe(0);
    await go(page, '#/flight', 'Flight');
    await page.getByLabel('From').fill('KJFK');
    await marked('Flight').waitFor();
    await go(page, '#/events', 'Events');
    await page.getByLabel('Replay after revision').fill('0');
    await marked('Events').waitFor();
    await go(page, '#/entries/live%2Fttl', 'live/ttl');
    await page.getByRole('button', {name: 'Time to live…'}).click();
    await page.getByLabel('Expires in').fill('20');
    await page.getByLabel('Unit').selectOption('hours');
    await go(page, '#/entries', 'Entries');
    expect(await page.getByText('Not saved:').getByRole('link').allTextContents()).toEqual(['live/ttl']);
    expect(await asksToLeave(page)).toBe(true);
    await go(page, '#/plugins', 'Plugins');
    expect(await body.inputValue()).toBe('{"text": "fog"}');
    await page.getByRole('button', {name: 'Send', exact: true}).click();
    await page.getByText('{"noted":{"text":"fog"}}').waitFor();
    await go(page, '#/flight', 'Flight');
    expect(await page.getByLabel('From').inputValue()).toBe('KJFK');
    await page.getByRole('button', {name: 'Start', exact: true}).click();
    await page.getByRole('button', {name: 'Stop', exact: true}).click();
    await page.getByText('No flight runs.').waitFor();
    await go(page, '#/events', 'Events');
    expect(await page.getByLabel('Replay after revision').inputValue()).toBe('0');
    await page.getByRole('button', {name: 'Replay'}).click();
    await go(page, '#/entries/live%2Fttl', 'live/ttl');
    expect(await page.getByLabel('Expires in').inputValue()).toBe('20');
    await page.getByRole('button', {name: 'Set', exact: true}).click();
    await page.getByText(/^Expires in (20|19) h/).waitFor();
    expect(await menu.getByText('not saved').count()).toBe(0);
    expect(await asksToLeave(page)).toBe(false);
    await go(page, '#/plugins', 'Plugins');
    expect(await body.inputValue()).toBe('{"text": "fog"}');
    await body.fill('{}');
    await go(page, '#/entries/live%2Fttl', 'live/ttl');
    await page.getByRole('button', {name: 'Time to live…'}).click();
    await page.getByLabel('Expires in').fill('21');
    await marked('Entries').waitFor();
    await page.getByRole('button', {name: 'Time to live…'}).click();
    expect(await marked('Entries').count()).toBe(0);
    await page.getByRole('button', {name: 'Time to live…'}).click();
    expect(await page.getByLabel('Expires in').inputValue()).toBe('15');
    await page.getByLabel('Expires in').fill('22');
    await marked('Entries').waitFor();
    await service.crewroom.entries.delete('live/ttl');
    await expect.poll(() => menu.getByText('not saved').count()).toBe(0);
  });

  test('stays in the address of a request that is sent again, without a question', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/requests'});
    await fetch(`${service.url}/api/store/none`);
    const address = page.getByLabel('Address', {exact: true});
    const line = page.getByRole('button', {name: 'GET /api/store/none, 404'}).first();
    await line.click();
    await address.fill('/api/store/other');
    await go(page, '#/events', 'Events');
    await go(page, '#/requests', 'Requests');
    await line.click();
    expect(await address.inputValue()).toBe('/api/store/other');
    expect(await asksToLeave(page)).toBe(false);
  });

  test('stays in the form of a fault while that is switched on, and is nothing once it is undone', async () => {
    const {page} = await openConsole(browser, service.url, {
      fragment: '#/faults',
      code: await createOwnerCode(service),
    });
    const [kind, code, path] = ['Fault', 'Code', 'Path'].map(name => page.getByLabel(name, {exact: true}));
    await kind?.selectOption('Failure');
    await page.getByText('Only some requests').click();
    await path?.fill('/api/none/*');
    await kind?.selectOption('Full disk');
    await kind?.selectOption('Failure');
    await expect.poll(() => path?.isVisible()).toBe(true);
    let release: () => void = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/api/faults', async route => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await page.getByRole('button', {name: 'Switch on'}).click();
    await code?.fill('disk-full');
    release();
    await page.locator('.fault-list li').waitFor();
    await expect.poll(() => page.getByRole('button', {name: 'Switch on'}).getAttribute('aria-disabled')).toBe('false');
    expect(await code?.inputValue()).toBe('disk-full');
    await page.getByRole('button', {name: 'Clear'}).click();
    await code?.fill('busy');
    await path?.fill('');
    await kind?.selectOption('Delay');
    await expect.poll(() => page.getByRole('navigation').getByText('not saved').count()).toBe(0);
  });

  test('is found in the list, and can be read and copied while the service is away', async () => {
    const port = await findFreePort();
    const own = await startService({port, ephemeral: true});
    await own.crewroom.entries.put('kept', 'before');
    const {page} = await openConsole(browser, own.url, {
      fragment: '#/settings',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByLabel('Play sounds').click();
    await go(page, '#/entries/kept', 'kept');
    await editor(page).fill('"typed"');
    await go(page, '#/entries', 'Entries');
    await page.getByText('Not saved:').getByRole('link', {name: 'kept'}).waitFor();
    await go(page, '#/requests', 'Requests');
    await own[Symbol.asyncDispose]();
    await page.getByText('The service does not answer.').waitFor();
    await go(page, '#/entries/kept', 'kept');
    await expect.poll(() => editor(page).textContent()).toBe('"typed"');
    await page.getByRole('button', {name: 'Copy what you have typed'}).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('"typed"');
    await keepScreenshot(page, 'drafts-away');
    await go(page, '#/settings', 'Settings');
    await page.getByRole('region', {name: 'What you have typed'}).getByText('"playSound": false').waitFor();
  });
});
