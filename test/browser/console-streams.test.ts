import {once} from 'node:events';
import {join} from 'node:path';
import type {Browser, Locator, Page} from 'playwright-core';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole, SHOWN_THEME} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {findFreePort} from '../support/free-port.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {callService, makeTemporaryDirectory, startInTest, startService, type TestService} from '../support/service.ts';

const RADIO = 'com.example.radio';

const BACKGROUND = `
const address = 'http://localhost:7172/api/store/com.example.radio%2Fvolume';
exports.routes = {
  get: {keep: {description: 'Stores the volume', handler: async (req, res) => res.json({status: (await fetch(address, {method: 'POST', body: '0.5'})).status})}, say: {description: 'Repeats <b>its</b> query', handler: (req, res) => { console.log('said', req.query.text); res.json({said: req.query.text ?? null}); }}},
  post: {note: {description: 'Keeps a note', handler: (req, res) => res.status(201).json({noted: req.body})}},
};`;

/** Texts that must neither run nor break the layout. */
const HOSTILE_KEY = `<img src=x onerror=alert(1)>/\u202egnp.exe/${'long'.repeat(80)}`;
const HOSTILE_VALUE = `<script>alert(1)</script>\u202e${'wide '.repeat(50)}`;

let browser: Browser;
let service: TestService;

usePlugins(
  directory => writePlugin(join(directory, RADIO), {'background/index.js': BACKGROUND}),
  started => {
    ({browser, service} = started);
  },
);

/** Puts many entries, in commits as large as the service allows. */
async function putMany(prefix: string, count: number, {crewroom} = service): Promise<void> {
  for (let from = 0; from < count; from += COMMIT_SIZE)
    await crewroom.entries.transact({
      operations: Array.from({length: COMMIT_SIZE}, (_, index) => ({
        kind: 'put' as const,
        key: `${prefix}${from + index}`,
        value: Buffer.from(String(from + index)),
      })),
    });
}

const COMMIT_SIZE = 250;

/** Entries of an import that is larger than the change log. */
const LARGE_IMPORT = 101_000;

function* exportOf(count: number): Generator<Buffer> {
  yield Buffer.from('{"format":"crewroom-export","version":1,"prefix":""}\n');
  for (let from = 0; from < count; from += COMMIT_SIZE)
    yield Buffer.from(
      Array.from({length: COMMIT_SIZE}, (_, index) => `{"key":"bulk/${from + index}","value":1}\n`).join(''),
    );
  yield Buffer.from(`{"end":true,"entries":${count}}\n`);
}

/** A background whose lines are of many heights. */
const LONG_LOG = `for (let line = 0; line < 500; line++) console.log('line ' + line + ' ' + 'long '.repeat(line % 80));`;

/** Lets the browser keep nothing in place that is scrolled, as Safari does. */
const WITHOUT_ANCHORS = `addEventListener('DOMContentLoaded', () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { overflow-anchor: none }');
  document.adoptedStyleSheets.push(sheet);
})`;

/** More lines than a window of the test shows. */
const SCREEN_LINES = 60;

/** Counts what is made to format times, and the parts of streams that are read. */
const WATCH_COSTS = `window.formatters = 0;
window.reads = 0;
const {read} = ReadableStreamDefaultReader.prototype;
ReadableStreamDefaultReader.prototype.read = function () { reads++; return read.call(this); };
Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {construct(...made) { formatters++; return Reflect.construct(...made); }});
for (const name of ['toLocaleTimeString', 'toLocaleDateString', 'toLocaleString'])
  Date.prototype[name] = function () { formatters++; return ''; };`;

/** Keeps how many lines are rendered together, at most, and how many elements of lines are made. */
const WATCH_LINES = `window.lines = {rendered: 0, made: 0};
window.ranges = 0;
new MutationObserver(() => ranges++).observe(document.querySelector('.live-filters'), {subtree: true, characterData: true, childList: true});
new MutationObserver(changes => {
  lines.made += changes.flatMap(({addedNodes}) => [...addedNodes]).filter(node => node.matches?.('.live-line')).length;
  lines.rendered = Math.max(lines.rendered, document.querySelectorAll('.live-line').length);
}).observe(document.querySelector('.live'), {childList: true});`;

const LIST_HEIGHT = `document.querySelector('.live').scrollHeight`;

const FOCUSED_LINE = `document.activeElement.getAttribute('aria-label')`;

function rows(page: Page): Locator {
  return page.locator('.live-line');
}

function isAtEnd(page: Page): Promise<unknown> {
  return page.evaluate(
    `(list => list.scrollHeight - list.scrollTop - list.clientHeight < 40)(document.querySelector('.live'))`,
  );
}

async function select(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', {name: button}).last().click();
  return page.getByRole('complementary');
}

describe.skipIf(!CAN_BROWSE)('the page of events in Chromium', () => {
  test('shows changes as they happen, and opens the entry of each', async () => {
    const {page, problems} = await openConsole(browser, service.url, {fragment: '#/events'});
    await page.getByText('Nothing has changed since').waitFor();
    const {entries} = service.crewroom;
    await entries.put('crew/captain', {name: 'Ada'}, {ttlSeconds: 3600});
    await entries.put(HOSTILE_KEY, HOSTILE_VALUE);
    await entries.delete('crew/captain');
    await page.getByRole('button', {name: 'Deleted crew/captain'}).waitFor();
    await keepScreenshot(page, 'events-live');
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    const detail = await select(page, 'Written crew/captain');
    await detail.getByText('{ "name": "Ada" }').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => detail.count()).toBe(0);
    await select(page, 'Written <img');
    await page.setViewportSize({width: 360, height: 800});
    await fetch(`${service.url}/api/settings/core`, {method: 'PUT', body: '{"darkMode": true}'});
    await expect.poll(() => page.evaluate(SHOWN_THEME)).toBe('dark');
    await keepScreenshot(page, 'events-360-dark');
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await rows(page).getByRole('link', {name: 'crew/captain'}).first().click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/entries/crew%2Fcaptain');
    expect(problems).toEqual([]);
  });

  test('begins with the last changes, without the time at which they happened, which it does not know', async () => {
    const {crewroom, url} = await startInTest({ephemeral: true});
    await crewroom.entries.put('before', 1);
    const {page} = await openConsole(browser, url, {fragment: '#/events'});
    await page.getByRole('button', {name: 'Written before'}).waitFor();
    await crewroom.entries.put('after', 1);
    await page.getByRole('button', {name: 'Written after'}).waitFor();
    const times = await rows(page).locator('time').allTextContents();
    expect(times.map(time => time.replace(/\d\d/g, '12'))).toEqual(['', '12:12:12']);
  });

  test('lets thousands of changes wait while it is paused, and says what it leaves out', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/events'});
    await rows(page).first().waitFor();
    await page.getByRole('button', {name: 'Clear'}).click();
    await service.crewroom.entries.put('first', 1);
    await page.getByRole('button', {name: 'Written first'}).waitFor();
    await page.getByRole('button', {name: 'Pause'}).click();
    await putMany('burst/', 3000);
    await page.getByRole('button', {name: 'Continue 3,000 waiting'}).waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('button', {name: 'Continue'}).click();
    await page.getByRole('button', {name: 'Written burst/2999'}).waitFor();
    await page.getByText('1,000 lines', {exact: true}).waitFor();
    await page.getByRole('button', {name: 'Pause'}).click();
    await expect.poll(() => page.locator('.live-gap').allTextContents()).toEqual(['2,001 lines are left out']);
    await keepScreenshot(page, 'events-burst');
    await page.getByLabel('Key begins with').fill('burst/29');
    await page.getByText('100 lines', {exact: true}).waitFor();
    await page.getByLabel('Replay after revision').fill('0');
    await page.keyboard.press('Enter');
    // All that begin with it: 29, 290 to 299, and 2900 to 2999.
    await page.getByText('111 lines', {exact: true}).waitFor();
    await page.getByLabel('Written', {exact: true}).uncheck();
    await expect.poll(() => rows(page).count()).toBe(0);
  });

  test('stays at its end, and lets changes wait while the user looks at older ones', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/events'});
    await page.getByText('1,000 lines', {exact: true}).waitFor();
    const list = page.getByRole('region', {name: 'List of events'});
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await list.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', {name: /Continue/}).waitFor();
    await service.crewroom.entries.put('newest', 1);
    await page.getByRole('button', {name: 'Continue 1 waiting'}).click();
    await page.getByRole('button', {name: 'Written newest'}).waitFor();
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await list.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('newest').waitFor();
  });

  test('reads seldom, renders the lines that it shows in the same elements, and all of them once the user looks at others', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, url, {fragment: '#/events', script: WATCH_COSTS});
    await page.getByText('Nothing has changed since').waitFor();
    const formatters = await page.evaluate('formatters');
    await page.evaluate(WATCH_LINES);
    const reads = await page.evaluate<number>('reads');
    for (let each = 0; each < 1000; each++) await crewroom.entries.put(`fast/${each}`, 1);
    await page.getByText('1,000 lines', {exact: true}).waitFor();
    await page.getByRole('button', {name: 'Written fast/999'}).waitFor();
    const lines = await page.evaluate<{rendered: number; made: number}>('lines');
    expect(lines.rendered).toBeGreaterThan(20);
    expect(Math.max(lines.rendered, lines.made)).toBeLessThan(SCREEN_LINES);
    expect((await page.evaluate<number>('reads')) - reads).toBeLessThan(100);
    // With the lines, and not with each of the events.
    await page.getByText('the log has 1 to 1,000', {exact: true}).waitFor();
    expect(await page.evaluate('ranges')).toBeLessThan(50);
    expect(await page.evaluate('formatters')).toBe(formatters);
    expect(await isAtEnd(page)).toBe(true);
    // As high as all lines are, for its scroll bar.
    const height = await page.evaluate<number>(LIST_HEIGHT);
    await page.getByRole('region', {name: 'List of events'}).focus();
    await page.keyboard.press('ArrowUp');
    for (let each = 0; each < SCREEN_LINES; each++) await page.keyboard.press('ArrowUp');
    expect(await page.evaluate(FOCUSED_LINE)).toBe(`Written fast/${999 - SCREEN_LINES}`);
    expect(await rows(page).count()).toBe(1000);
    expect(Math.abs((await page.evaluate<number>(LIST_HEIGHT)) / height - 1)).toBeLessThan(0.02);
    await page.keyboard.press('End');
    await expect.poll(() => rows(page).count()).toBeLessThan(SCREEN_LINES);
    await page.keyboard.press('Home');
    expect(await page.evaluate(FOCUSED_LINE)).toBe('Written fast/0');
    await page.getByRole('button', {name: 'Continue'}).click();
    await expect.poll(() => rows(page).count()).toBeLessThan(SCREEN_LINES);
    await page.mouse.move(640, 400);
    await page.mouse.wheel(0, -300);
    await expect.poll(() => rows(page).count()).toBe(1000);
    await page.getByRole('button', {name: 'Continue'}).click();
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await page.evaluate(`addEventListener('beforeprint', () => queueMicrotask(() => {
      window.printed = document.querySelectorAll('.live-line').length;
    }))`);
    await page.pdf();
    expect(await page.evaluate('printed')).toBe(1000);
    await expect.poll(() => rows(page).count()).toBeLessThan(SCREEN_LINES);
  });

  test('does not jump when the user scrolls up, in browsers that do not anchor what is scrolled either', async () => {
    const own = await startPlugins(directory => writePlugin(join(directory, RADIO), {'background/index.js': LONG_LOG}));
    for (const script of ['', WITHOUT_ANCHORS]) {
      const {page} = await openConsole(browser, own.url, {fragment: `#/plugins/${RADIO}/log`, script});
      const line = page.getByText('line 499 ');
      await line.waitFor();
      await expect.poll(() => isAtEnd(page)).toBe(true);
      const place = async (): Promise<number> => (await line.boundingBox())?.y ?? Number.NaN;
      const before = await place();
      await page.mouse.move(640, 400);
      await page.mouse.wheel(0, -200);
      await page.getByRole('button', {name: 'Continue'}).waitFor();
      await expect.poll(() => rows(page).count()).toBeGreaterThan(SCREEN_LINES);
      await expect.poll(async () => Math.abs((await place()) - before - 200)).toBeLessThan(2);
      await page.getByRole('button', {name: 'Continue'}).click();
      await expect.poll(() => rows(page).count()).toBeLessThan(SCREEN_LINES);
      await page.getByRole('region', {name: 'Log lines'}).press('Home');
      await expect.poll(() => page.evaluate(`document.querySelector('.live').scrollTop`), {timeout: 5000}).toBe(0);
    }
  });

  test('keeps a line with selected text, the focus or its details while the list follows', async () => {
    const own = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, own.url, {fragment: '#/events'});
    await page.getByText('Nothing has changed since').waitFor();
    const putMore = async (prefix: string): Promise<void> => {
      await putMany(prefix, COMMIT_SIZE, own);
      await page.getByRole('button', {name: `Written ${prefix}${COMMIT_SIZE - 1}`, exact: true}).waitFor();
    };
    await putMore('before/');
    await own.crewroom.entries.put('first', 1);
    await page.getByRole('button', {name: 'Written first'}).waitFor();
    await page.evaluate(`getSelection().selectAllChildren([...document.querySelectorAll('.live-line')].at(-1))`);
    await putMore('text/');
    expect(await page.evaluate('getSelection().toString()')).toContain('first');
    await page.evaluate('getSelection().removeAllRanges()');
    await own.crewroom.entries.put('second', 1);
    await page.getByRole('button', {name: 'Written second'}).focus();
    await putMore('focus/');
    expect(await page.evaluate(FOCUSED_LINE)).toBe('Written second');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').waitFor();
    await page.evaluate(`document.querySelector('.live').focus({preventScroll: true})`);
    await putMore('detail/');
    expect(await page.locator('[data-selected=true] [aria-expanded=true]').getAttribute('aria-label')).toBe(
      'Written second',
    );
  });

  test('opens no other line than the one that is pressed, and gives the focus of a line that is gone to the list', async () => {
    const own = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, own.url, {fragment: '#/events'});
    await page.getByText('Nothing has changed since').waitFor();
    await putMany('early/', COMMIT_SIZE, own);
    // As browsers that give buttons no focus when they are pressed.
    await page.evaluate(`addEventListener('mousedown', event => event.preventDefault(), true)`);
    await page.getByRole('button', {name: `Written early/${COMMIT_SIZE - 1}`, exact: true}).hover();
    await page.mouse.down();
    await own.crewroom.entries.put('late', 1);
    const late = page.getByRole('button', {name: 'Written late'});
    await late.waitFor();
    await page.mouse.up();
    expect(await page.getByRole('complementary').count()).toBe(0);
    await late.focus();
    await putMany('next/', 1000, own);
    await page.getByRole('button', {name: 'Written next/999'}).waitFor();
    expect(await page.evaluate('document.activeElement.className')).toBe('live');
  });

  test('misses nothing while the service is away', async () => {
    const [port, home] = [await findFreePort(), await makeTemporaryDirectory()];
    onTestFinished(() => home[Symbol.asyncDispose]());
    const options = {port, dataDir: join(home.path, 'data')};
    const first = await startService(options);
    const {page} = await openConsole(browser, first.url, {fragment: '#/events'});
    await page.getByText('Nothing has changed since').waitFor();
    await first.crewroom.entries.put('before', 1);
    await page.getByRole('button', {name: 'Written before'}).waitFor();
    await first.crewroom.entries.put('last', 1);
    await first[Symbol.asyncDispose]();
    await page.getByText('The service does not answer.').waitFor();
    const second = await startInTest(options);
    await second.crewroom.entries.put('after', 1);
    await page.getByRole('button', {name: 'Written after'}).waitFor();
    await expect.poll(() => page.locator('.event-line .revision').allTextContents()).toEqual(['1', '2', '3']);
  });

  test('shows the last changes after a large import, and which revisions can be replayed', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    await crewroom.transfer.import(exportOf(LARGE_IMPORT));
    const {page, problems} = await openConsole(browser, url, {fragment: '#/events'});
    // The import has commits of 1,000 entries, and the log has 100,000 changes.
    await page.getByText('the log has 2 to 101', {exact: true}).waitFor();
    await page.getByRole('button', {name: `Written bulk/${LARGE_IMPORT - 1}`}).waitFor();
    await page.getByText('1,000 lines', {exact: true}).waitFor();
    expect(await page.getByText('Reset', {exact: true}).count()).toBe(0);
    await page.getByLabel('Replay after revision').fill('0');
    await page.keyboard.press('Enter');
    await page.getByText('The log no longer has the changes up to revision 1').waitFor();
    await keepScreenshot(page, 'events-large-import');
    await page.getByLabel('Replay after revision').fill('100');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.note.danger').count()).toBe(0);
    await crewroom.entries.put('after', 1);
    await page.getByText('the log has 2 to 102', {exact: true}).waitFor();
    // The log trims as many changes as another import brings.
    await crewroom.transfer.import(exportOf(LARGE_IMPORT / 2));
    await page.getByText(/^the log has 2 to 1[1-9]\d$/).waitFor();
    await page.getByRole('button', {name: 'Replay'}).focus();
    await page.getByLabel('Replay after revision').focus();
    await page.getByText(/^the log has [1-9]\d+ to 1[1-9]\d$/).waitFor();
    expect(problems).toEqual([]);
  });

  test('keeps the end of the range at the last change while the range is loaded', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, url, {fragment: '#/events'});
    await page.getByText('the log is empty').waitFor();
    const [read, released] = [new EventTarget(), new EventTarget()];
    await page.route('**/metrics', async route => {
      // By its address: names below localhost are known to the browser only.
      const body = await (await fetch(`${url}/metrics`)).text();
      const isReleased = once(released, 'released');
      read.dispatchEvent(new Event('read'));
      await isReleased;
      await route.fulfill({body});
    });
    const answered = page.waitForResponse('**/metrics');
    const isRead = once(read, 'read');
    await page.getByLabel('Replay after revision').focus();
    await isRead;
    await crewroom.entries.put('a', 1);
    await page.getByText('the log has revision 1', {exact: true}).waitFor();
    released.dispatchEvent(new Event('released'));
    await (await answered).finished();
    // By the next answer the page has read that one.
    await page.evaluate(async () => void (await (await fetch('/readyz')).text()));
    expect(await page.locator('.replay-range').textContent()).toBe('the log has revision 1');
  });

  test('says so if there is no such revision', async () => {
    await service.crewroom.entries.put('there', 1);
    const {page} = await openConsole(browser, service.url, {fragment: '#/events'});
    await page.getByLabel('Replay after revision').fill('999999');
    await page.getByRole('button', {name: 'Replay'}).click();
    await page
      .getByText(/revision/i)
      .and(page.locator('.note.danger p'))
      .waitFor();
    await page.getByLabel('Replay after revision').fill('0');
    await page.getByRole('button', {name: 'Replay'}).click();
    await expect.poll(() => page.locator('.note.danger').count()).toBe(0);
    await rows(page).first().waitFor();
  });
});

describe.skipIf(!CAN_BROWSE)('the page of requests in Chromium', () => {
  test('shows requests, those of the console only if the user wants them, and chooses among them', async () => {
    const {page, problems} = await openConsole(browser, service.url, {fragment: '#/requests'});
    await fetch(`${service.url}/api/store/a`, {method: 'PUT', body: '1'});
    await fetch(`${service.url}/api/store/missing`);
    await fetch(`${service.url}/api/${RADIO}/say?text=secret`);
    await callService(service, 'GET /api/identity', {headers: ['Origin: <b>bold</b>']});
    await page.getByRole('button', {name: `GET /api/${RADIO}/say?text=…, 200`}).waitFor();
    await rows(page).getByText('<b>bold</b>').waitFor();
    const api = page.getByRole('button', {name: 'GET /api/plugins, 200'});
    expect(await api.count()).toBe(0);
    await page.getByLabel('Those of the console, and files of pages').check();
    await api.first().waitFor();
    await page.getByLabel('From').selectOption('Local programs');
    await page.getByLabel('Path').fill('STORE/M');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByLabel('Status').selectOption('Refused (4xx)');
    await expect.poll(() => rows(page).allTextContents()).toEqual([expect.stringContaining('no-entry')]);
    await page.getByLabel('Status').selectOption('Failed (5xx)');
    await expect.poll(() => rows(page).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('copies a request as curl, and sends it again', async () => {
    const {page} = await openConsole(browser, service.url, {
      fragment: '#/requests',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await fetch(`${service.url}/api/store/a`, {method: 'PUT', body: '1', headers: {'If-Match': '"it\'s"'}});
    const put = await select(page, 'PUT /api/store/a, 412');
    await put.getByText(/^Not kept, so add: the body; headers that are not listed above/).waitFor();
    expect(await put.getByRole('button', {name: 'Send again'}).count()).toBe(0);
    await put.getByRole('button', {name: 'Copy as curl'}).click();
    const copied = `curl -X PUT http://localhost:${service.port}/api/store/a -H 'if-match: "it'\\''s"' `;
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain(copied.slice(0, 60));
    await fetch(`${service.url}/api/${RADIO}/say?text=secret`);
    const say = await select(page, `GET /api/${RADIO}/say?text=…, 200`);
    await say.getByText('values of parameters').waitFor();
    await say.getByLabel('Address').fill(`/api/${RADIO}/say?text=again`);
    await page.keyboard.press('Enter');
    await say.getByText('{"said":"again"}').waitFor();
    await keepScreenshot(page, 'requests-again');
    expect(await findViolations(page)).toEqual([]);
  });

  test('shows why an origin was refused, with advice', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/requests'});
    await fetch(`${service.url}/api/session`, {headers: {Origin: 'http://localhost:3000'}});
    const detail = await select(page, 'GET /api/session, 403');
    await detail.getByText('--allow-origin http://localhost:3000').waitFor();
    expect(await detail.getByRole('button', {name: 'Allow this origin…'}).isDisabled()).toBe(true);
    await detail.getByText('crewroom console').first().waitFor();
    await keepScreenshot(page, 'requests-refused');
    await page.setViewportSize({width: 360, height: 800});
    await keepScreenshot(page, 'requests-360');
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
  });

  test('allows no origin that has no name', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/requests'});
    await fetch(`${service.url}/api/livez`, {headers: {Origin: 'null'}});
    const detail = await select(page, 'GET /api/livez, 403');
    await detail.getByText('foreign-page').waitFor();
    expect(await detail.getByRole('button', {name: 'Allow this origin…'}).count()).toBe(0);
  });
});

describe.skipIf(!CAN_BROWSE)('the page of plugins in Chromium', () => {
  test('shows a plugin with its storage, and tries its routes', async () => {
    const {page, problems} = await openConsole(browser, service.url, {fragment: '#/plugins'});
    const plugin = page.getByRole('region', {name: `Plugin ${RADIO}`});
    await plugin.getByText('Running', {exact: true}).waitFor();
    expect(await plugin.locator('.facts').textContent()).toContain(service.crewroom.plugins.status(RADIO).storagePath);
    await plugin.getByText('3 routes').click();
    await plugin.getByText('Repeats <b>its</b> query').waitFor();
    await plugin.getByRole('button', {name: 'Try GET say'}).click();
    await plugin.getByLabel('Query').fill('text=<img src=x>');
    await page.keyboard.press('Enter');
    await plugin.getByText('{"said":"<img src=x>"}').waitFor();
    await plugin.getByRole('button', {name: 'Try GET say'}).click();
    await plugin.getByRole('button', {name: 'Try POST note'}).click();
    await plugin.getByLabel('Body, as JSON').fill('{"text": "fog"}');
    await plugin.getByRole('button', {name: 'Send'}).click();
    await plugin.getByText('{"noted":{"text":"fog"}}').waitFor();
    await plugin.getByText('201', {exact: true}).waitFor();
    await plugin.getByText('Headers', {exact: true}).click();
    await plugin.getByText('application/json').waitFor();
    await keepScreenshot(page, 'plugins-route');
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({width: 360, height: 800});
    await keepScreenshot(page, 'plugins-360');
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
    await plugin.getByRole('link', {name: 'Log', exact: true}).click();
    await page.getByText('said <img src=x>').waitFor();
    expect(problems).toEqual([]);
  });

  test('leads from a plugin to its entries and its requests, and back from each, with addresses of their own', async () => {
    const key = `${RADIO}/volume`;
    await (await fetch(`${service.url}/api/${RADIO}/keep`)).text();
    const headers = [`Referer: http://localhost:${service.port}/plugins/${RADIO}/`];
    await callService(service, `GET /api/store/${encodeURIComponent(key)}`, {headers});
    // Of another entry, whose key goes on.
    await callService(service, `GET /api/store/${encodeURIComponent(key)}2`, {headers});
    const {page, problems} = await openConsole(browser, service.url, {fragment: `#/plugins/${RADIO}/log`});
    const tabs = page.getByRole('navigation', {name: 'Views of'});
    const follow = async (link: Locator): Promise<void> => {
      // As in a tab of its own.
      const address = await link.evaluate(each => (each as unknown as {readonly href: string}).href);
      await page.goto('about:blank');
      await page.goto(address);
    };
    await follow(tabs.getByRole('link', {name: 'Entries'}));
    await expect.poll(() => page.getByRole('searchbox', {name: 'Prefix of keys'}).inputValue()).toBe(`${RADIO}/`);
    await page.getByRole('option', {name: 'volume'}).click();
    const entry = page.getByRole('region', {name: key});
    await entry.getByText(`Written by Plugin ${RADIO}`).waitFor();
    const prefix = page.getByRole('searchbox', {name: 'Prefix of keys'});
    await entry.getByRole('button', {name: 'Close the entry'}).click();
    await entry.waitFor({state: 'detached'});
    expect(await prefix.inputValue()).toBe(`${RADIO}/`);
    await page.getByRole('navigation', {name: 'Plugins, service'}).getByRole('link', {name: 'Entries'}).click();
    await expect.poll(() => prefix.inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => prefix.inputValue()).toBe(`${RADIO}/`);
    await page.getByRole('option', {name: 'volume'}).click();
    await entry.getByText(`Written by Plugin ${RADIO}`).waitFor();
    await keepScreenshot(page, 'links-entry');
    expect(await findViolations(page)).toEqual([]);
    await follow(entry.getByRole('link', {name: 'Requests for it'}));
    const detail = await select(page, `GET /api/store/${encodeURIComponent(key)}, 200`);
    expect(await page.getByLabel('Key', {exact: true}).inputValue()).toBe(key);
    expect(await rows(page).filter({hasText: 'volume2'}).count()).toBe(0);
    await keepScreenshot(page, 'links-request');
    expect(await findViolations(page)).toEqual([]);
    await follow(detail.getByRole('link', {name: key}));
    await entry.getByText('0.5').waitFor();
    await follow(entry.getByRole('link', {name: `Plugin ${RADIO}`}).first());
    await follow(tabs.getByRole('link', {name: 'Requests'}));
    await rows(page).first().waitFor();
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe(`plugin ${RADIO}`);
    expect(new Set(await rows(page).locator('.sender').allTextContents())).toEqual(new Set([`Plugin ${RADIO}`]));
    const menu = page.getByRole('navigation', {name: 'Plugins, service and settings'});
    await menu.getByRole('link', {name: 'Requests'}).click();
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('all');
    await page.goBack();
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe(`plugin ${RADIO}`);
    await follow(rows(page).locator('.sender a').first());
    await tabs.getByRole('link', {name: 'Log'}).waitFor();
    expect(problems).toEqual([]);
  });

  test('starts a plugin again', async () => {
    const code = await createOwnerCode(service);
    const {page} = await openConsole(browser, service.url, {code, fragment: '#/plugins'});
    const plugin = page.getByRole('region', {name: `Plugin ${RADIO}`});
    const {startedAtMs} = service.crewroom.plugins.status(RADIO);
    await plugin.getByRole('button', {name: 'Restart'}).click();
    await expect.poll(() => service.crewroom.plugins.status(RADIO).startedAtMs).not.toBe(startedAtMs);
    await plugin.getByText('Running', {exact: true}).waitFor();
  });

  test('flies: starts, jumps, pauses, disconnects and stops, and plots the altitude', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/plugins'});
    await page.getByRole('main').getByRole('link', {name: 'Flight', exact: true}).click();
    await page.getByText('No flight runs.').waitFor();
    await page.getByLabel('From').fill('none');
    await page.getByRole('button', {name: 'Start', exact: true}).click();
    await page.getByText(/Cannot simulate the flight/).waitFor();
    await page.getByLabel('From').fill('EDDF');
    await page.getByLabel('Speed').fill('20');
    await page.getByRole('button', {name: 'Start', exact: true}).click();
    await page.locator('.flight-title', {hasText: 'Boarding'}).waitFor();
    await page.getByLabel('Jump to').selectOption('Climb');
    await page.locator('.flight-title', {hasText: 'Climb'}).waitFor();
    await page.getByRole('img', {name: /Altitude over time: now [1-9]/}).waitFor();
    await page.getByRole('button', {name: 'Pause'}).click();
    await page.getByRole('button', {name: 'Continue'}).waitFor();
    await page.getByRole('button', {name: 'Disconnect the simulator'}).click();
    await page.locator('.flight-title', {hasText: 'paused, not connected'}).waitFor();
    await page.locator('.flight').scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'plugins-flight');
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({width: 360, height: 800});
    await keepScreenshot(page, 'plugins-flight-360');
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
    await page.getByRole('button', {name: 'Stop'}).click();
    await page.getByText('No flight runs.').waitFor();
  });
});
