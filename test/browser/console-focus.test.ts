import {join} from 'node:path';
import type {Browser, Locator, Page} from 'playwright-core';
import {describe, expect, onTestFinished, test} from 'vitest';
import {startPlay} from '../cli/play.ts';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {consoleAddress, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {callService, type TestService} from '../support/service.ts';

const ID = 'com.example.radio';

const SETTINGS = {callsign: {name: 'Callsign', type: 'string', default: 'Crewroom', settingType: 'user'}};

const EXPORT =
  '{"format":"crewroom-export","version":1,"prefix":""}\n{"key":"in","value":1}\n{"end":true,"entries":1}\n';

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Radio', availableSettings: SETTINGS}),
      'ui/index.html': '<!doctype html><title>Radio</title>',
      'background/index.js': '',
    }),
  async started => {
    ({browser, service} = started);
    await service.crewroom.entries.put('kept/a', 1);
    await service.crewroom.entries.put('kept/b', 1);
  },
);

/** Names what has the focus: by its role and its text. */
const FOCUSED = `(() => {
  const {activeElement} = document;
  const element = activeElement?.shadowRoot?.activeElement ?? activeElement;
  const name = element.getAttribute('aria-label') ?? element.innerText?.trim().split('\\n')[0];
  return (element.getAttribute('role') ?? element.localName) + ' ' + name;
})()`;

/** A button of a view, what is seen once it has done its work, what has the focus then, and the texts of fields that it needs, by their labels. */
type Action = readonly [
  fragment: string,
  button: string,
  seen: string,
  focus: string,
  fields?: Readonly<Record<string, string>>,
];

/** Actions of each view, in their order. Before them a page of another origin was refused. */
const ACTIONS: readonly Action[] = [
  ['#/events', 'Pause', 'text=Continue', 'button Continue'],
  ['#/events', 'Continue', 'text=Pause', 'button Pause'],
  ['#/events', 'Clear', 'text=Nothing has changed', 'button Clear'],
  ['#/requests', 'Pause', 'text=Continue', 'button Continue'],
  ['#/requests', 'Clear', '.empty-state', 'button Clear'],
  ['#/events', 'Replay', '.event-line', 'button Replay', {'Replay after revision': '0'}],
  ['#/requests', 'GET /api/store/kept%2Fb, 200', '.detail', 'button GET /api/store/kept%2Fb, 200'],
  ['#/requests', 'Send again', '.answer', 'button Send again'],
  ['#/requests', 'GET /api/identity, 403', 'text=Allow this origin…', 'button GET /api/identity, 403'],
  ['#/requests', 'Allow this origin…', 'dialog', 'button Allow'],
  ['#/requests', 'Cancel', '.detail', 'button Allow this origin…'],
  ['#/requests', 'Allow this origin…', 'dialog', 'button Allow'],
  ['#/requests', 'Allow', 'text=Pages of this origin may call', 'p Pages of this origin may call'],
  ['#/entries', 'Folders', '[aria-pressed=true] >> text=Folders', 'button Folders'],
  ['#/entries', 'All keys', '[aria-pressed=true] >> text=All keys', 'button All keys'],
  ['#/entries', 'New entry…', 'dialog', 'input '],
  ['#/entries', 'Cancel', '.rows', 'button New entry…'],
  ['#/entries/kept%2Fb', 'Format', '.cm-content', 'button Format'],
  ['#/entries/kept%2Fb', 'Delete…', 'dialog', 'button Keep it'],
  ['#/entries/kept%2Fb', 'Keep it', '.cm-content', 'button Delete…'],
  ['#/plugins', 'Restart', 'text=Running', 'button Restart'],
  ['#/identity', 'Text', '.json-text', 'button Text'],
  ['#/identity', 'Tree', '.json-tree', 'button Tree'],
  ['#/flight', 'Start', '.flight-controls >> text=Pause', 'summary Start another flight'],
  ['#/flight', 'Pause', '.flight-controls >> text=Continue', 'button Continue'],
  ['#/flight', 'Stop', 'text=No flight runs.', 'summary Start a flight'],
  [`#/plugins/${ID}/log`, 'Pause', 'text=Continue', 'button Continue'],
  [`#/plugins/${ID}/log`, 'Restart', '.log-view', 'button Restart'],
  ['#/', 'Find…', 'dialog', 'combobox Page, plugin, key, pilot or fault'],
];

/** Actions with the session and the first steps, where a back end signs pilots in. */
const SIGN_IN: readonly Action[] = [
  ['#/', 'Ask the airline now', '[aria-disabled=false] >> text=Ask the airline now', 'button Ask the airline now'],
  ['#/', 'Sign out', '.sign-in', 'h2 Pilot and session'],
  ['#/', 'Sign in', '.danger', 'input', {'Pilot number or e-mail address': '42', Password: 'wrong'}],
  ['#/', 'Sign in as Ada', 'text=Sign out', 'h2 Pilot and session'],
  ['#/', 'Close', 'body:not(:has(.play))', 'main Welcome'],
];

async function open(fragment: string, size = {width: 1280, height: 800}): Promise<Page> {
  const code = await createOwnerCode(service);
  const {page} = await openConsole(browser, service.url, {fragment, code, viewport: size});
  return page;
}

function editor(page: Page): Locator {
  return page.getByRole('textbox', {name: 'Value', exact: true});
}

/** Presses a button with the keyboard, and expects where the focus is once something is shown. */
async function expectAfter(page: Page, button: string, {seen, focus}: {seen: Locator; focus: string}): Promise<void> {
  await page.getByRole('button', {name: button, exact: true}).press('Enter');
  await seen.first().waitFor();
  await expect.poll(() => page.evaluate(FOCUSED)).toBe(focus);
}

/** Presses the button of each action, and returns those after which the focus is elsewhere. */
async function findWrong(page: Page, actions: readonly Action[]): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (const [fragment, button, seen, focus, fields = {}] of actions) {
    await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, {exact: true}).fill(text);
    // Lines may wait, with their number.
    const named = button === 'Continue' ? /^Continue/ : button;
    await page.getByRole('button', {name: named, exact: true}).press('Enter');
    await page.locator(seen).first().waitFor();
    // By the next frame the browser has taken the focus from what is gone.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const focused = await page.evaluate<string>(FOCUSED);
    if (!focused.startsWith(focus)) wrong.push([fragment, button, focused]);
  }
  return wrong;
}

describe.skipIf(!CAN_BROWSE)('the focus in Chromium', () => {
  test('stays in an entry that is saved, discarded, given a time to live, and deleted', async () => {
    const page = await open('#/entries/kept%2Fa');
    await editor(page).fill('2');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', {exact: true}).waitFor();
    expect(await page.evaluate(FOCUSED)).toBe('textbox Value');
    await editor(page).fill('3');
    await expectAfter(page, 'Save', {seen: page.getByText('Saved', {exact: true}), focus: 'button Save'});
    await editor(page).fill('4');
    await expectAfter(page, 'Discard', {seen: editor(page).getByText('3'), focus: 'button Discard'});
    await expectAfter(page, 'Time to live…', {seen: page.getByLabel('Expires in'), focus: 'button Time to live…'});
    await page.getByLabel('Expires in').press('Escape');
    await expect.poll(() => page.getByLabel('Expires in').count()).toBe(0);
    expect(await page.evaluate(FOCUSED)).toBe('button Time to live…');
    await page.getByRole('button', {name: 'Time to live…'}).press('Enter');
    await expectAfter(page, 'Set', {seen: page.getByText(/^Expires in/), focus: 'button Time to live…'});
    await page.getByRole('button', {name: 'Delete…'}).press('Enter');
    await expectAfter(page, 'Delete', {seen: page.getByText('The entry was deleted.'), focus: 'h2 kept/a'});
    await expectAfter(page, 'Create it', {seen: editor(page), focus: 'textbox Value'});
  });

  test('comes back to the editor, or to the note, from each answer to a conflict', async () => {
    const {entries} = service.crewroom;
    await entries.put('kept/c', 0);
    const page = await open('#/entries/kept%2Fc');
    const collide = async (text: string): Promise<void> => {
      await editor(page).fill(text);
      await entries.put('kept/c', `other ${text}`);
      await page.getByRole('button', {name: 'Compare…'}).press('Enter');
    };
    await collide('1');
    await expectAfter(page, 'Edit mine further', {seen: editor(page), focus: 'button Compare…'});
    await page.getByRole('button', {name: 'Compare…'}).press('Enter');
    await expectAfter(page, 'Keep the stored one', {seen: editor(page).getByText('other 1'), focus: 'textbox Value'});
    await collide('2');
    await expectAfter(page, 'Replace with mine', {
      seen: page.getByText('Saved', {exact: true}),
      focus: 'textbox Value',
    });
    await collide('3');
    await page.keyboard.press('Escape');
    await editor(page).press('Control+s');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('textbox Value');
  });

  test('is somewhere meant after each action of each view', async () => {
    await callService(service, 'GET /api/store/kept%2Fb');
    await callService(service, 'GET /api/identity', {headers: ['Origin: http://page.example']});
    expect(await findWrong(await open('#/'), ACTIONS)).toEqual([]);
  });

  test('is somewhere meant after each action with the session, and once the first steps are closed', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto((await startPlay()).owned);
    expect(await findWrong(page, SIGN_IN)).toEqual([]);
  }, 60_000);

  for (const width of [1280, 360])
    test(`comes back to the list from an entry, ${width} px wide`, async () => {
      const page = await open('#/entries', {width, height: 800});
      const row = page.getByRole('option').filter({hasText: 'kept/b'});
      const leave: readonly (() => unknown)[] = [
        () => page.keyboard.press('Escape'),
        () => page.getByRole('button', {name: 'Close the entry'}).press('Enter'),
        () => page.goBack(),
      ];
      for (const act of leave) {
        await row.click();
        await expect.poll(() => page.evaluate(FOCUSED)).toBe('h2 kept/b');
        await act();
        await expect.poll(() => page.evaluate(FOCUSED)).toBe('listbox Entries');
      }
    });

  test('stays in forms that are saved, and in dialogs', async () => {
    const page = await open(`#/plugins/${ID}/settings`);
    await page.getByLabel('Callsign').fill('Tower');
    await expectAfter(page, 'Save', {seen: page.getByText('Saved', {exact: true}), focus: 'button Save'});
    await page.getByLabel('Callsign').fill('');
    await expectAfter(page, 'Discard', {seen: page.getByLabel('Callsign'), focus: 'button Discard'});
    await expectAfter(page, 'Restore defaults', {seen: page.getByText('Saved'), focus: 'button Restore defaults'});
    await page.evaluate(`location.hash = '#/faults'`);
    await expectAfter(page, 'Switch on', {seen: page.locator('.fault'), focus: 'button Switch on'});
    const none = page.getByText('Nothing fails on purpose.');
    await expectAfter(page, 'Clear Delay: 500 ms', {seen: none, focus: 'h2 Switched on'});
    await page.evaluate(`location.hash = '#/identity'`);
    await page.getByRole('button', {name: 'Serve first-officer'}).press('Enter');
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('li first-officer');
    await page.evaluate(`location.hash = '#/entries'`);
    await page.getByRole('button', {name: 'Import…'}).press('Enter');
    const file = {name: 'entries.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(EXPORT)};
    await page.getByLabel('A file with an export').setInputFiles(file);
    await expectAfter(page, 'Check the file', {seen: page.getByText('The file is valid.'), focus: 'button Cancel'});
    await expectAfter(page, 'Import', {seen: page.getByText(/^Imported/), focus: 'button Close'});
    await expectAfter(page, 'Close', {seen: page.getByRole('heading', {name: 'Entries'}), focus: 'button Import…'});
    await page.getByRole('button', {name: 'Export…'}).press('Enter');
    await expectAfter(page, 'Export', {seen: page.getByText(/^Saved: /), focus: 'button Close'});
  });

  test('goes from details to their line, or to the list, and Escape closes the innermost thing only', async () => {
    const page = await open('#/events', {width: 360, height: 740});
    const line = page.getByRole('button', {name: 'Written kept/b'});
    const detail = page.getByRole('complementary');
    await line.press('Enter');
    await detail.waitFor();
    await page.getByRole('button', {name: 'Menu'}).press('Enter');
    await page.getByRole('link', {name: 'Requests'}).focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('button Menu');
    expect(await detail.count()).toBe(1);
    await line.focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => detail.count()).toBe(0);
    expect(await page.evaluate(FOCUSED)).toBe('button Written kept/b');
    await line.press('Enter');
    await expectAfter(page, 'Close the details', {seen: line, focus: 'section List of events'});
    await page.getByRole('button', {name: 'Menu'}).press('Enter');
    await page.getByRole('link', {name: 'Requests'}).press('Enter');
    await page.getByRole('heading', {name: 'Requests'}).waitFor();
    expect(await page.evaluate(FOCUSED)).toBe('button Menu');
  });

  test('stays in the search of the documentation', async () => {
    const page = await open('#/');
    await page.goto(`${consoleAddress(service.url)}/docs`);
    const search = page.getByRole('searchbox');
    await search.fill('fault');
    await page.locator('.found a').first().focus();
    await page.keyboard.press('Escape');
    expect(await search.inputValue()).toBe('');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });
});
