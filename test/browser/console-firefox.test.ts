import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {createMachine} from '../cli/crewroom.ts';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {consoleAddress, keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {FIND_UNMARKED, FITS_WIDTH} from '../support/browsers/walk.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.radio';

const machine = await createMachine();

let browser: DrivenBrowser;
let service: TestService;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!CAN_BROWSE_FIREFOX) return;
  browser = await driveFirefox();
  const home = await makeTemporaryDirectory();
  await writePlugin(join(home.path, ID), {
    'plugin.json': manifestOf(ID, {name: 'Radio'}),
    'ui/index.html': `<!doctype html><title>Radio</title><script>
      parent.postMessage({kind: 'crewroom-notification', message: 'tuned at ' + location.host, type: 'info'}, '*')</script>`,
    'background/index.js': `console.log('ready')`,
  });
  service = await startService({pluginsDir: home.path, ephemeral: true});
  disposables.push(browser, service, home);
  await service.crewroom.plugins.ready();
  await untilRunning(service.crewroom.plugins, ID);
  await service.crewroom.entries.put('radio/volume', Buffer.from('{"level": 1.0}'));
  await fetch(`${service.url}/api/identity`);
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

/** Each view, with a text that it shows once it is complete. */
const VIEWS: readonly (readonly [fragment: string, text: string])[] = [
  ['#/', 'Healthy'],
  [`#/plugins/${ID}`, 'tuned at '],
  [`#/plugins/${ID}/log`, 'ready'],
  ['#/identity', '"CRW0042"'],
  ['#/entries', 'radio/volume'],
  ['#/entries/radio%2Fvolume', '"level": 1.0'],
  ['#/events', 'radio/volume'],
  ['#/requests', 'GET'],
  ['#/plugins', 'Running'],
  ['#/faults', 'Nothing fails on purpose.'],
  ['#/notifications', 'Notifications'],
  ['#/settings', 'Play sounds'],
];

/** Text of a page. The editor has a shadow tree. */
const SHOWN = `document.body.innerText + document.querySelector('.json-editor')?.shadowRoot?.textContent`;

describe.skipIf(!CAN_BROWSE_FIREFOX)('the console in Firefox (needs firefox-esr)', () => {
  test('shows each page, and keeps its policy', async () => {
    const tab = await browser.newTab();
    await tab.open(`${consoleAddress(service.url)}/`);
    await tab.run(`void (window.violations = [],
      addEventListener('securitypolicyviolation', ({violatedDirective, blockedURI}) =>
        violations.push(violatedDirective + ' ' + blockedURI)))`);
    for (const [fragment, text] of VIEWS) {
      await tab.run(`void (location.hash = ${JSON.stringify(fragment)})`);
      await expect.poll(() => tab.run(SHOWN)).toContain(text);
      await keepScreenshot(tab, `firefox${fragment.replaceAll(/[^a-z]+/g, '-')}`);
      expect([fragment, await tab.run(FITS_WIDTH)]).toEqual([fragment, true]);
      expect([fragment, await tab.run('violations')]).toEqual([fragment, []]);
    }
  });

  test('shows what is chosen and where the focus is in the colours of the user', async () => {
    await using own = await driveFirefox('user_pref("browser.display.document_color_use", 2);');
    const tab = await own.newTab();
    await tab.open(`${consoleAddress(service.url)}/`);
    expect(await tab.run(`matchMedia('(forced-colors: active)').matches`)).toBe(true);
    for (const [fragment, text] of VIEWS) {
      await tab.run(`void (location.hash = ${JSON.stringify(fragment)})`);
      await expect.poll(() => tab.run(SHOWN)).toContain(text);
      await keepScreenshot(tab, `firefox-forced${fragment.replaceAll(/[^a-z]+/g, '-')}`);
      expect([fragment, await tab.run(FIND_UNMARKED)]).toEqual([fragment, []]);
    }
  });

  test('keeps the focus in the entry, and gives it back to the list', async () => {
    const tab = await browser.newTab();
    await tab.open(`${consoleAddress(service.url)}/`);
    await service.crewroom.entries.put('radio/gone', 1);
    await tab.run(`void (location.hash = '#/entries/radio%2Fgone')`);
    const focused = `document.activeElement.localName + ' ' + (document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText)`;
    await expect.poll(() => tab.run(focused)).toBe('h2 radio/gone');
    await click(tab, 'Delete…');
    await click(tab, 'Delete');
    await expect.poll(() => tab.run(SHOWN)).toContain('The entry was deleted.');
    await expect.poll(() => tab.run(focused)).toBe('h2 radio/gone');
    await tab.run('history.back()');
    await expect.poll(() => tab.run('location.hash')).not.toContain('gone');
    await tab.run(`void (location.hash = '#/entries/radio%2Fvolume')`);
    await expect.poll(() => tab.run(focused)).toBe('h2 radio/volume');
    await tab.run(`void (location.hash = '#/entries')`);
    await expect.poll(() => tab.run(focused)).toBe('div Entries');
  });

  test('undoes a replacement with the command that it shows', async () => {
    await using stored = await startService();
    const {entries} = stored.crewroom;
    await entries.put('kept/a', Buffer.from('1.0'));
    const tab = await browser.newTab();
    await tab.open(`${consoleAddress(stored.url)}/#code=${await createOwnerCode(stored)}/entries`);
    await click(tab, 'Import…');
    await tab.run(`void (() => {
      const data = new DataTransfer();
      data.items.add(new File(['{"format":"crewroom-export","version":1,"prefix":""}\\n{"end":true,"entries":0}\\n'], 'empty'));
      const input = document.querySelector('dialog input[type=file]');
      input.files = data.files;
      input.dispatchEvent(new Event('change', {bubbles: true}));
      document.querySelectorAll('dialog input[type=radio]')[1].click();
    })()`);
    await click(tab, 'Check the file');
    await click(tab, 'Replace');
    const command = `document.querySelector('dialog .command')?.innerText ?? ''`;
    await expect.poll(() => tab.run(command)).toContain('crewroom snapshot load before-import-');
    expect(await entries.get('kept/a')).toBe(undefined);
    await keepScreenshot(tab, 'firefox-undo');
    const [, ...words] =
      String(await tab.run(command))
        .split('\n')[0]
        ?.trim()
        .split(' ') ?? [];
    expect(await machine.run([...words, '--yes'])).toMatchObject({exitCode: 0});
    expect(Buffer.from((await entries.get('kept/a'))?.json ?? []).toString()).toBe('1.0');
  });
});

/** Clicks the button with a label, once it can be clicked. */
async function click(tab: Tab, label: string): Promise<void> {
  const button = `[...document.querySelectorAll('button')].find(each => each.innerText.trim() === ${JSON.stringify(label)} && !each.disabled)`;
  await expect.poll(() => tab.run(`${button} !== undefined`)).toBe(true);
  await tab.run(`${button}.click()`);
}
