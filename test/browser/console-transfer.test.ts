import {createHash} from 'node:crypto';
import {createReadStream, createWriteStream} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {readPageMemory} from '../support/browsers/page-memory.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {makeTemporaryDirectory, startInTest, type TestService, useService} from '../support/service.ts';

/** Entries of a file of 100 MB. */
const ENTRIES = 100_000;

/** Entries that an import stores in one commit. */
const BATCH_ENTRIES = 1000;

/** A value of a thousand bytes. */
const VALUE = JSON.stringify('x'.repeat(960));

/** Maximum memory of the page, in bytes. The file alone is larger than the rest of it. */
const MEMORY_BYTES_MAX = 150 * 1024 * 1024;

/** A file without entries. */
const EMPTY_EXPORT = {
  name: 'empty.ndjson',
  mimeType: '',
  buffer: Buffer.from('{"format":"crewroom-export","version":1,"prefix":""}\n{"end":true,"entries":0}\n'),
};

/** Patience with 100 MB, in milliseconds: a busy machine takes eight times as long as an idle one. */
const PATIENCE_MS = 100_000;

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

function keyOf(index: number): string {
  return `large/${String(index).padStart(6, '0')}`;
}

/** Writes a file of 100 MB, for the rest of a test. @returns Its path. */
async function writeLargeFile(): Promise<string> {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const path = join(home.path, 'large.ndjson');
  const lines = function* (): Generator<string> {
    yield '{"format":"crewroom-export","version":1,"prefix":"large/"}\n';
    for (let from = 0; from < ENTRIES; from += BATCH_ENTRIES)
      yield Array.from(
        {length: BATCH_ENTRIES},
        (_, index) => `{"key":"${keyOf(from + index)}","value":${VALUE}}\n`,
      ).join('');
    yield `{"end":true,"entries":${ENTRIES}}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
  return path;
}

/** Opens the dialog for imports, with a file. */
async function chooseFile(page: Page, path: string): Promise<void> {
  await page.getByRole('button', {name: 'Import…'}).click();
  await page.getByLabel('A file with an export').setInputFiles(path);
}

/** Checks the chosen file, and starts to import it. */
async function startImport(page: Page, action: 'Import' | 'Replace'): Promise<void> {
  await page.getByRole('button', {name: 'Check the file'}).click();
  await page.getByText(`${ENTRIES.toLocaleString('en')} entries:`).waitFor();
  await page.getByRole('button', {name: action, exact: true}).click();
}

async function storedText({url}: TestService, key: string): Promise<string> {
  return (await fetch(`${url}/api/store/${encodeURIComponent(key)}`)).text();
}

async function digest(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

describe.skipIf(!CAN_BROWSE)('exports and imports in Chromium', () => {
  const service = useService();

  test('exports what the list shows, and imports it after a check', async () => {
    const {entries} = service().crewroom;
    for (const name of ['a', 'b']) await entries.put(`moved/${name}`, Buffer.from('1.0'));
    const {page} = await openConsole(browser, service().url, {
      fragment: '#/entries',
      code: await createOwnerCode(service()),
    });
    await page.getByRole('searchbox', {name: 'Prefix of keys'}).fill('moved/');
    await page.getByRole('button', {name: 'Export…'}).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', {name: 'Export', exact: true}).click(),
    ]);
    const exported = await readFile(await download.path(), 'utf8');
    expect(exported).toContain('"key":"moved/a"');
    await page.getByText('Saved: 2 entries').waitFor();
    await page.getByRole('button', {name: 'Close', exact: true}).click();
    await entries.put('moved/c', 3);
    await entries.put('moved/a', 2);
    await page.getByRole('button', {name: 'Import…'}).click();
    const file = (text: string) => ({name: 'entries.ndjson', mimeType: '', buffer: Buffer.from(text)});
    await page.getByLabel('A file with an export').setInputFiles(file(exported.replace('"value":1.0', '"value":oops')));
    await page.getByRole('button', {name: 'Check the file'}).click();
    await page.getByText('Cannot import line 2').waitFor();
    await page.getByLabel('A file with an export').setInputFiles(file(exported));
    await page.getByRole('radio', {name: /^Replace/}).check();
    await page.getByRole('button', {name: 'Check the file'}).click();
    await page.getByText('2 entries: 0 new, 2 replaced, 1 other deleted').waitFor();
    await keepScreenshot(page, 'entries-import');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', {name: 'Replace', exact: true}).click();
    await page.getByText('Imported 2 entries').waitFor();
    await expect.poll(() => page.getByTitle('moved/c', {exact: true}).count()).toBe(0);
    expect(await storedText(service(), 'moved/a')).toBe('1.0');
    await keepScreenshot(page, 'entries-import-undo');
    const [, name = ''] =
      /crewroom snapshot load (before-import-\S+) --port/.exec((await page.textContent('dialog')) ?? '') ?? [];
    const saved = await readFile(join(`${service().dataDir}-snapshots`, `${name}.ndjson`), 'utf8');
    expect(saved).toContain('"key":"moved/c"');
  }, 60_000);

  test('a page that only reads replaces nothing before its user goes on without a snapshot', async () => {
    const {url, crewroom} = await startInTest();
    await crewroom.entries.put('kept', 1);
    const {page} = await openConsole(browser, url, {fragment: '#/entries'});
    await page.getByRole('button', {name: 'Import…'}).click();
    await page.getByLabel('A file with an export').setInputFiles(EMPTY_EXPORT);
    await page.getByRole('radio', {name: /^Replace/}).check();
    await page.getByRole('button', {name: 'Check the file'}).click();
    await page.getByRole('button', {name: 'Replace', exact: true}).click();
    await page.getByText('Nothing was changed: without a snapshot this cannot be undone.').waitFor();
    await keepScreenshot(page, 'entries-import-unsaved');
    expect((await crewroom.entries.get('kept'))?.revision).toBe(1);
    await page.getByRole('button', {name: 'Replace without a snapshot'}).click();
    await page.getByText('1 other deleted').waitFor();
    expect(await crewroom.entries.get('kept')).toBe(undefined);
  }, 60_000);

  test('replaces nothing if the dialog is closed while the entries before are saved', async () => {
    const started = await startInTest();
    const {url, crewroom} = started;
    await crewroom.entries.put('kept', 1);
    const {page} = await openConsole(browser, url, {fragment: '#/entries', code: await createOwnerCode(started)});
    let goOn = (): Promise<void> => expect.unreachable();
    await page.route('**/api/snapshots?*', async route => {
      goOn = () => route.fulfill({json: {}}).catch(() => {});
    });
    const replaceAll = async (): Promise<void> => {
      await page.getByRole('button', {name: 'Import…'}).click();
      await page.getByLabel('A file with an export').setInputFiles(EMPTY_EXPORT);
      await page.getByRole('radio', {name: /^Replace/}).check();
      await page.getByRole('button', {name: 'Check the file'}).click();
      await page.getByRole('button', {name: 'Replace', exact: true}).click();
    };
    for (const leave of [
      () => page.getByRole('button', {name: 'Cancel'}).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await replaceAll();
      await page.getByText('Saving the entries before…').waitFor();
      await leave();
      await page.getByRole('dialog').waitFor({state: 'hidden'});
      await goOn();
    }
    // Later than an import that the answers would have begun.
    await page.evaluate(`fetch('/api/identity')`);
    expect((await crewroom.entries.get('kept'))?.revision).toBe(1);
    // An import that fails midway has replaced a part.
    await page.unroute('**/api/snapshots?*');
    let keepAfter: string | null = null;
    await page.route('**/api/import?*dryRun=false', route => {
      keepAfter = new URL(route.request().url()).searchParams.get('keepAfter');
      return route.abort();
    });
    await replaceAll();
    await page.getByText('The connection to the service was lost').waitFor();
    expect(await page.textContent('dialog')).toContain('crewroom snapshot load before-import-');
    expect(keepAfter).toBe(`${crewroom.storeId}-1`);
  }, 60_000);

  test('cancels an import midway, and says how much is stored', async () => {
    const started = await startInTest();
    const {url, crewroom} = started;
    await crewroom.entries.put('large/other', 1);
    const {page} = await openConsole(browser, url, {fragment: '#/entries', code: await createOwnerCode(started)});
    page.setDefaultTimeout(PATIENCE_MS);
    await chooseFile(page, await writeLargeFile());
    await page.getByRole('radio', {name: /^Replace/}).check();
    await startImport(page, 'Replace');
    const part = page.getByRole('progressbar', {name: 'Part of the file that was sent'});
    await expect.poll(async () => Number(await part.getAttribute('value')), {interval: 20}).toBeGreaterThan(0.2);
    await page.getByRole('button', {name: 'Cancel'}).click();
    await page.getByText(/^Cancelled when [2-9][0-9] % of the file was sent/).waitFor();
    expect(await page.textContent('dialog')).toContain('crewroom snapshot load before-import-');
    await keepScreenshot(page, 'entries-import-cancelled');
    expect(await findViolations(page)).toEqual([]);
    // It is recorded when the service is done with it.
    const importsOf = async (): Promise<number> =>
      (await crewroom.requests.read()).requests.filter(({path}) => path.startsWith('/api/import?')).length;
    await expect.poll(importsOf).toBe(2);
    const exported = await (await fetch(`${url}/api/export?prefix=large/0`)).text();
    const keys = Array.from(exported.matchAll(/^\{"key":"([^"]+)"/gm), match => match[1]);
    expect(keys.length % BATCH_ENTRIES).toBe(0);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.length).toBeLessThan(ENTRIES);
    expect(keys).toEqual(Array.from(keys, (_, index) => keyOf(index)));
    expect(await crewroom.entries.get('large/other')).toBeDefined();
  }, 300_000);

  test('imports and exports 100 MB, and holds them not even once', async () => {
    const {url, crewroom} = await startInTest();
    const {page, problems} = await openConsole(browser, url, {fragment: '#/entries', reducedMotion: 'reduce'});
    page.setDefaultTimeout(PATIENCE_MS);
    const path = await writeLargeFile();
    await chooseFile(page, path);
    await startImport(page, 'Import');
    await page.getByText(`Imported ${ENTRIES.toLocaleString('en')} entries`).waitFor();
    const imported = await readPageMemory(browser, page);
    await page.getByRole('button', {name: 'Close', exact: true}).click();
    await page.getByRole('button', {name: 'Export…'}).click();
    // Its animation would be motion.
    const bar = page.locator('progress');
    const [download, isMoving] = await Promise.all([
      page.waitForEvent('download'),
      bar.waitFor({state: 'attached'}).then(() => bar.isVisible()),
      page.getByRole('button', {name: 'Export', exact: true}).click(),
    ]);
    expect(isMoving).toBe(false);
    await page.getByText(`Saved: ${ENTRIES.toLocaleString('en')} entries`).waitFor();
    const exported = await readPageMemory(browser, page);
    for (const {processBytes, scriptBytes} of [imported, exported])
      expect(processBytes ?? scriptBytes).toBeLessThan(MEMORY_BYTES_MAX);
    const answer = await fetch(`${url}/api/export`);
    expect(await digest(createReadStream(await download.path()))).toBe(await digest(answer.body ?? Readable.from([])));
    expect((await crewroom.entries.get(keyOf(ENTRIES - 1)))?.text).toBe(VALUE);
    expect(problems).toEqual([]);
  }, 300_000);
});
