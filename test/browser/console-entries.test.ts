import type {Browser, Page, Route} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, type OpenConsole, openConsole, SHOWN_THEME} from '../support/browsers/console.ts';
import {readPageMemory} from '../support/browsers/page-memory.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {findFreePort} from '../support/free-port.ts';
import {startInTest, startService, type TestService} from '../support/service.ts';

/** Entries of a fleet of plugins, which are there in each test. */
const ENTRIES = 1_000_000;

/** Rows that a test scrolls through, down and up again: more than the page keeps in memory, which is 3,000. */
const ROWS = 5000;

/** Entries of a line in the export that the tests begin with. */
const LINES = 1000;

/** Maximum memory of the page, in bytes. */
const MEMORY_BYTES_MAX = 150 * 1024 * 1024;

let browser: Browser;
let service: TestService;

function keyOf(index: number): string {
  return `com.example.fleet-${String(Math.floor(index / 2000)).padStart(3, '0')}/flights/${String(index).padStart(6, '0')}`;
}

function* exportOfAll(): Generator<Buffer> {
  yield Buffer.from('{"format":"crewroom-export","version":1,"revision":"1","prefix":""}\n');
  for (let from = 0; from < ENTRIES; from += LINES) {
    const lines = Array.from({length: LINES}, (_, each) => `{"key":"${keyOf(from + each)}","value":{"fuel":1.0}}\n`);
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from(`{"end":true,"entries":${ENTRIES}}\n`);
}

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchShell();
  service = await startService();
  await service.crewroom.transfer.import(exportOfAll());
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

/** Opens the page at the list, or at an entry. */
async function openEntries(key?: string, options: object = {}): Promise<OpenConsole> {
  const fragment = key === undefined ? '#/entries' : `#/entries/${encodeURIComponent(key)}`;
  return openConsole(browser, service.url, {fragment, ...options});
}

function rowOf(page: Page, key: string) {
  return page.getByRole('option').and(page.getByTitle(key, {exact: true}));
}

async function search(page: Page, prefix: string): Promise<void> {
  await page.getByRole('searchbox', {name: 'Prefix of keys'}).fill(prefix);
}

/** Searches for a prefix, and holds its list. @returns What is held, once the page has asked for it. */
async function searchHeld(page: Page, prefix: string): Promise<Route> {
  let hold: (route: Route) => void = () => {};
  const held = new Promise<Route>(resolve => {
    hold = resolve;
  });
  await page.route(({searchParams}) => searchParams.get('prefix') === prefix, hold);
  await page.locator('[aria-keyshortcuts="/"]').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.insertText(prefix);
  return held;
}

function editor(page: Page, name = 'Value') {
  return page.getByRole('textbox', {name, exact: true});
}

/** Returns the lines of the value that is shown. */
function linesOf(page: Page): Promise<readonly string[]> {
  return editor(page).locator('.cm-line').allTextContents();
}

async function textOf(key: string): Promise<string | undefined> {
  return (await fetch(`${service.url}/api/store/${encodeURIComponent(key)}`)).text();
}

/** Keys on the screen, once no line of the screen is empty. */
const SHOWN_KEYS = `new Promise(resolve => {
  const list = document.querySelector('.rows');
  const look = () => {
    const {top, bottom} = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll('.row')].map(row => [row.getBoundingClientRect(), row.title])
      .filter(([box]) => box.bottom > top + 1 && box.top < bottom - 1);
    const isFull = rows.length > 0 && rows[0][0].top <= top + 1 && rows.at(-1)[0].bottom >= bottom - 1;
    if (isFull) resolve(rows.map(([, title]) => title));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Scrolls the list by almost its height until {@link ROWS} rows were on the screen. @returns Their keys, without repetitions. */
async function scrollThrough(page: Page, direction: 1 | -1): Promise<readonly string[]> {
  const seen = new Set<string>();
  while (seen.size < ROWS) {
    const before = seen.size;
    for (const key of await page.evaluate<readonly string[]>(SHOWN_KEYS)) seen.add(key);
    if (seen.size === before) break;
    await page.evaluate(
      `{const list = document.querySelector('.rows'); list.scrollBy(0, ${direction} * (list.clientHeight - 80))}`,
    );
  }
  return [...seen];
}

describe.skipIf(!CAN_BROWSE)('the page of entries in Chromium', () => {
  test('shows a million entries without a gap, from both ends, in little memory', async () => {
    const {page, problems} = await openEntries();
    await rowOf(page, keyOf(0)).waitFor();
    for (const direction of [1, -1] as const) {
      const keys = (await scrollThrough(page, direction)).toSorted();
      const first = Number(keys[0]?.slice(-6));
      expect(keys).toEqual(Array.from(keys, (_, index) => keyOf(first + index)));
      expect(keys.length).toBeGreaterThanOrEqual(ROWS);
    }
    // The scroll bar, to the end of what is known again and again: the list grows.
    for (let count = 0; count < 10; count++) {
      await page.evaluate(`{const list = document.querySelector('.rows'); list.scrollTop = list.scrollHeight}`);
      await page.evaluate(SHOWN_KEYS);
    }
    await page.getByRole('listbox').press('End');
    await rowOf(page, keyOf(ENTRIES - 1)).waitFor();
    await page.getByRole('listbox').press('ArrowUp');
    await page.getByRole('listbox').press('Home');
    await rowOf(page, keyOf(0)).waitFor();
    const {scriptBytes, processBytes} = await readPageMemory(browser, page);
    expect(processBytes ?? scriptBytes).toBeLessThan(MEMORY_BYTES_MAX);
    expect(problems).toEqual([]);
  }, 120_000);

  test('is used with the keyboard: search, folders, open and back', async () => {
    const {page, problems} = await openEntries();
    await rowOf(page, keyOf(0)).waitFor();
    await page.locator('[aria-keyshortcuts="/"]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('com.example.fleet-007/flights/01400');
    await rowOf(page, keyOf(14_009)).waitFor();
    expect(await page.locator('[role="option"]').count()).toBe(10);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', {name: keyOf(14_001)}).waitFor();
    await expect.poll(() => linesOf(page)).toEqual(['{', '  "fuel": 1.0', '}']);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('listbox');
    await page.getByRole('button', {name: 'Folders'}).click();
    await search(page, '');
    await rowOf(page, 'com.example.fleet-000/').waitFor();
    await keepScreenshot(page, 'entries-folders');
    await rowOf(page, 'com.example.fleet-000/').click();
    await rowOf(page, 'com.example.fleet-000/flights/').click();
    await rowOf(page, keyOf(0)).waitFor();
    await page.getByRole('button', {name: 'Up to the folder above'}).click();
    await rowOf(page, 'com.example.fleet-000/flights/').waitFor();
    expect(problems).toEqual([]);
  }, 60_000);

  test('keeps the keys that are pressed while it loads a list', async () => {
    const {page, problems} = await openEntries();
    await rowOf(page, keyOf(0)).waitFor();
    const list = await searchHeld(page, 'com.example.fleet-003/flights/00700');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await list.continue();
    await page.getByRole('heading', {name: keyOf(7001)}).waitFor();
    expect(problems).toEqual([]);
  }, 60_000);

  test('forgets the keys that are pressed while it loads a list if the user searches for another one', async () => {
    const {page, problems} = await openEntries();
    await rowOf(page, keyOf(0)).waitFor();
    await searchHeld(page, 'com.example.fleet-003/flights/00700');
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await search(page, 'com.example.fleet-003/flights/00701');
    await rowOf(page, keyOf(7010)).waitFor();
    expect(await page.locator('[role="option"][aria-selected="true"]').count()).toBe(0);
    expect(await page.locator('[data-active="true"]').count()).toBe(0);
    expect(problems).toEqual([]);
  }, 60_000);

  test('forgets the keys that are pressed while it loads a list if that fails', async () => {
    const {page} = await openEntries();
    await rowOf(page, keyOf(0)).waitFor();
    const list = await searchHeld(page, 'com.example.fleet-003/flights/00700');
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await list.abort();
    await page.unrouteAll();
    await page.getByRole('button', {name: 'Try again'}).click();
    await rowOf(page, keyOf(7000)).waitFor();
    expect(await page.locator('[data-active="true"]').count()).toBe(0);
  }, 60_000);

  test('keeps every byte of a value, formats it only when asked, and saves it at its revision', async () => {
    const text = '{\r\n"id": 9007199254740993, "id": 1.0,\t"x": 1e400}';
    await service.crewroom.entries.put('edit/a', Buffer.from(text), {ttlSeconds: 5000});
    const {page, problems} = await openEntries('edit/a');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', {exact: true}).waitFor();
    // The service leaves out the white space around it.
    expect(await textOf('edit/a')).toBe(text);
    expect((await service.crewroom.entries.get('edit/a'))?.expiresAtMs).toBeDefined();
    await page.getByRole('button', {name: 'Format'}).click();
    await page.getByRole('button', {name: 'Save'}).click();
    await expect.poll(() => textOf('edit/a')).toBe('{\n  "id": 9007199254740993,\n  "id": 1.0,\n  "x": 1e400\n}');
    await page.getByText('Saved', {exact: true}).waitFor();
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(',abcdefghijklmnopqrstuvwxyz');
    await expect.poll(() => editor(page).textContent()).toContain('},abcdefghijklmnopqrstuvwxyz');
    await page.getByText('Not JSON:').waitFor();
    expect(await page.getByRole('button', {name: 'Save'}).isDisabled()).toBe(true);
    await page.getByRole('button', {name: 'Discard'}).click();
    await expect.poll(() => page.getByText('Not JSON:').count()).toBe(0);
    expect(problems).toEqual([]);
  }, 60_000);

  test('lays out a value on one line for reading, and keeps its bytes', async () => {
    const text = '{"id":9007199254740993,"list":[1.0,-0],"x":1e400}';
    const shown = ['{', '  "id": 9007199254740993,', '  "list": [', '    1.0,', '    -0', '  ],', '  "x": 1e400', '}'];
    await service.crewroom.entries.put('line/a', Buffer.from(text));
    const {page, problems} = await openEntries('line/a', {permissions: ['clipboard-read', 'clipboard-write']});
    const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(() => linesOf(page)).toEqual(shown);
    await page.getByText('on one line, laid out here').waitFor();
    await keepScreenshot(page, 'entry-one-line');
    await editor(page).click();
    for (const keys of ['Control+a', 'Control+c']) await page.keyboard.press(keys);
    await expect.poll(copied).toBe(text);
    await page.evaluate(`navigator.clipboard.writeText('')`);
    await page.getByRole('button', {name: 'Copy the value as it is stored'}).click();
    await expect.poll(copied).toBe(text);
    // Nothing to save, also after a change that is undone.
    await page.keyboard.press('Control+s');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' ');
    await page.getByText('Changed, not saved').waitFor();
    await page.keyboard.press('Backspace');
    await expect.poll(() => page.getByText('Changed, not saved').count()).toBe(0);
    expect(await page.getByRole('button', {name: 'Save'}).isDisabled()).toBe(true);
    expect(await textOf('line/a')).toBe(text);
    // A change stays on the line.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.type(', "y": 2.50');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', {exact: true}).waitFor();
    expect(await textOf('line/a')).toBe('{"id":9007199254740993,"list":[1.0,-0],"x":1e400,"y":2.50}');
    await page.getByRole('button', {name: 'Format'}).click();
    await page.getByRole('button', {name: 'Save'}).click();
    await expect
      .poll(() => textOf('line/a'))
      .toBe([...shown.slice(0, -2), '  "x": 1e400,', '  "y": 2.50', '}'].join('\n'));
    expect(problems).toEqual([]);
  }, 60_000);

  test('follows other programs, and shows both sides of a conflict without losing what was typed', async () => {
    const {entries} = service.crewroom;
    await entries.put('live/a', 'first');
    const {page} = await openEntries('live/a');
    await search(page, 'live/');
    await entries.put('live/a', 'second');
    await entries.put('live/b', 1);
    await rowOf(page, 'live/b').waitFor();
    await expect.poll(() => editor(page).textContent()).toBe('"second"');
    await entries.delete('live/b');
    await expect.poll(() => rowOf(page, 'live/b').count()).toBe(0);
    await editor(page).fill('"mine"');
    await entries.put('live/a', 'theirs');
    await page.getByText('Another program stored a value').waitFor();
    await page.getByRole('button', {name: 'Compare…'}).click();
    await expect
      .poll(() => page.getByLabel('The stored value', {exact: true}).last().textContent())
      .toContain('theirs');
    await keepScreenshot(page, 'entries-conflict');
    expect(await findViolations(page)).toEqual([]);
    expect(await textOf('live/a')).toBe('"theirs"');
    await page.getByRole('button', {name: 'Replace with mine'}).click();
    await expect.poll(() => textOf('live/a')).toBe('"mine"');
    await editor(page).fill('"again"');
    await entries.delete('live/a');
    await page.getByText('Another program deleted this entry').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('button', {name: 'Store mine again'}).click();
    await expect.poll(() => textOf('live/a')).toBe('"again"');
  }, 60_000);

  test('creates an entry, changes its time to live, copies it for curl, and asks before it deletes it', async () => {
    const key = "new/it's <b>ä</b>";
    const {page, problems} = await openEntries(undefined, {permissions: ['clipboard-read', 'clipboard-write']});
    await page.getByRole('button', {name: 'New entry…'}).click();
    await page.getByLabel('Key', {exact: true}).fill(key);
    await page.getByRole('button', {name: 'Type its value'}).click();
    await editor(page).fill(`{"it's": "$HOME"}`);
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    await page.getByRole('button', {name: 'Time to live…'}).click();
    await page.getByLabel('Expires in').fill('2');
    await page.getByRole('button', {name: 'Set', exact: true}).click();
    await page.getByText(/^Expires in (2 min|1 min \d+ s), at/).waitFor();
    await page.getByRole('button', {name: 'Time to live…'}).click();
    await page.getByRole('button', {name: 'Never'}).click();
    await page.getByText('Never expires').waitFor();
    await page.getByRole('button', {name: 'Copy curl to write the entry'}).click();
    const quoted = `it'\\''s`;
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(
        `curl -X PUT 'http://localhost:${service.port}/api/store/new%2F${quoted}%20%3Cb%3E%C3%A4%3C%2Fb%3E' -H 'Content-Type: application/json' --data-raw '{"${quoted}": "$HOME"}'`,
      );
    await page.getByRole('button', {name: 'Delete…'}).click();
    await page.getByRole('dialog', {name: 'Delete this entry?'}).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await textOf(key)).toBe(`{"it's": "$HOME"}`);
    await page.getByRole('button', {name: 'Delete…'}).click();
    await page.getByRole('button', {name: 'Delete', exact: true}).click();
    await page.getByText('The entry was deleted.').waitFor();
    expect(await service.crewroom.entries.get(key)).toBeUndefined();
    expect(problems).toEqual([]);
  }, 60_000);

  for (const darkMode of [false, true])
    for (const width of [1280, 360])
      test(`shows hostile keys and values as text, ${darkMode ? 'dark' : 'light'}, ${width} px`, async () => {
        const {entries} = service.crewroom;
        const key = `<img src=x onerror="document.title='run'">/\u202eمرحبا/${'x'.repeat(300)}`;
        await entries.put(
          key,
          Buffer.from(JSON.stringify({[key]: ['</script><script>alert(1)</script>', '\u202e', '\u0001', 1, null]})),
        );
        await fetch(`${service.url}/api/settings/core`, {method: 'PUT', body: JSON.stringify({darkMode})});
        const {page, problems} = await openEntries(undefined, {
          viewport: {width, height: 800},
          reducedMotion: 'reduce',
        });
        await search(page, '<');
        await rowOf(page, key).click();
        await expect.poll(() => editor(page).textContent()).toContain('</script><script>');
        const theme = darkMode ? 'dark' : 'light';
        await expect.poll(() => page.evaluate(SHOWN_THEME)).toBe(theme);
        await keepScreenshot(page, `entry-${theme}-${width}`);
        expect(await findViolations(page)).toEqual([]);
        expect(await page.evaluate(FITS_WIDTH)).toBe(true);
        await page.getByRole('button', {name: 'Close the entry'}).click();
        await search(page, '');
        await rowOf(page, keyOf(1)).waitFor();
        await keepScreenshot(page, `entries-list-${theme}-${width}`);
        expect(await page.title()).not.toContain('run');
        expect(problems).toEqual([]);
      }, 60_000);

  test('keeps what was typed while the service is away, and loads the list again when it is back', async () => {
    const port = await findFreePort();
    const first = await startService({port, ephemeral: true});
    await first.crewroom.entries.put('a', 'one');
    const {page} = await openConsole(browser, first.url, {fragment: '#/entries/a'});
    await editor(page).fill('"typed"');
    await first[Symbol.asyncDispose]();
    await page.getByText('The service does not answer.').waitFor();
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Cannot reach the service').first().waitFor();
    // Another store, in which the same key has the same value, and another one exists.
    const second = await startInTest({port, ephemeral: true});
    await second.crewroom.entries.put('a', 'one');
    await second.crewroom.entries.put('b', 2);
    await rowOf(page, 'b').waitFor();
    await expect.poll(() => editor(page).textContent()).toBe('"typed"');
    await expect.poll(() => page.getByText('Cannot reach the service').count()).toBe(0);
    await page.getByRole('button', {name: 'Save'}).click();
    await expect.poll(async () => (await fetch(`${second.url}/api/store/a`)).text(), {timeout: 10_000}).toBe('"typed"');
  }, 60_000);
});
