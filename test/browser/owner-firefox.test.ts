import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {consoleAddress, keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.fuel';
const FAILING = `exports.onStart = () => { throw new Error('no <b>wind</b>'); };`;

let browser: DrivenBrowser;
let service: TestService;
let folder: string;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!CAN_BROWSE_FIREFOX) return;
  browser = await driveFirefox();
  const home = await makeTemporaryDirectory();
  folder = join(home.path, 'fuel');
  await writePlugin(folder, {
    'plugin.json': manifestOf(ID, {name: 'Fuel'}),
    'ui/index.html': '<!doctype html><title>Fuel</title>',
    'background/index.js': FAILING,
  });
  service = await startService({devPlugins: [folder], ephemeral: true});
  disposables.push(browser, service, home);
  await service.crewroom.plugins.ready();
  await untilRunning(service.crewroom.plugins, ID);
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

const TEXT = 'document.body.innerText';
const STOP = 'Stop being the owner';
const READS = 'This page only reads';

/** Opens the console in a tab of its own, at a view. */
async function openView(fragment: string): Promise<Tab> {
  const tab = await browser.newTab();
  await tab.open(`${consoleAddress(service.url)}/`);
  await show(tab, fragment);
  return tab;
}

async function show(tab: Tab, fragment: string): Promise<void> {
  await tab.run(`void (location.hash = ${JSON.stringify(fragment)})`);
}

async function untilShown(tab: Tab, text: string): Promise<void> {
  await expect.poll(() => tab.run(TEXT), {timeout: 20_000}).toContain(text);
}

/** Does what pasting an address with a code into the address bar of a tab does. */
async function paste(tab: Tab, code: string): Promise<void> {
  await tab.run(`void (location.href = location.origin + '/#code=' + ${JSON.stringify(code)})`);
}

describe.skipIf(!CAN_BROWSE_FIREFOX)('the owner in Firefox (needs firefox-esr)', () => {
  test('a code that is pasted into an open tab makes it the owner’s, and is in no address', async () => {
    const tab = await openView('#/faults');
    await untilShown(tab, READS);
    const code = await createOwnerCode(service);
    await paste(tab, code);
    await untilShown(tab, STOP);
    expect(await tab.run('location.href')).toBe(`${consoleAddress(service.url)}/#/faults`);
    expect(await tab.run(TEXT)).not.toContain(READS);
  });

  test('a reload keeps the owner, and "Stop being the owner" ends it, also after a reload', async () => {
    const tab = await openView('#/faults');
    await paste(tab, await createOwnerCode(service));
    await untilShown(tab, STOP);
    await tab.reload();
    await untilShown(tab, STOP);
    expect(await tab.run('JSON.stringify({...localStorage})')).not.toContain('crewroom_');
    await tab.run('void (window.isBefore = true)');
    await tab.run(
      `void [...document.querySelectorAll('button')].find(({innerText}) => innerText.includes('${STOP}')).click()`,
    );
    // The page loads itself anew; meanwhile it has no place where code can run.
    await expect.poll(() => tab.run('window.isBefore === true').catch(() => true)).toBe(false);
    await untilShown(tab, READS);
    await tab.reload();
    await untilShown(tab, READS);
    expect(await tab.run('JSON.stringify({...sessionStorage})')).not.toContain('crewroom_');
  });

  test('a code that is refused changes nothing, and says so', async () => {
    const tab = await openView('#/faults');
    const used = await createOwnerCode(service);
    await paste(tab, used);
    await untilShown(tab, STOP);
    for (const code of [used, 'wrong', '']) {
      await paste(tab, code);
      await untilShown(tab, 'Cannot open the console as the owner');
      expect(await tab.run(TEXT)).toContain(STOP);
      expect(await tab.run('location.hash')).toBe('#/faults');
    }
  });

  test('a code in a frame is not redeemed', async () => {
    const tab = await openView('#/faults');
    const code = await createOwnerCode(service);
    await tab.run(
      `void document.body.append(Object.assign(document.createElement('iframe'), {src: '/#code=${code}'}))`,
    );
    // The page that a browser shows in place of one that may not be framed has an origin of its own.
    await expect.poll(() => tab.run(`document.querySelector('iframe').contentDocument === null`)).toBe(true);
    // The page of the view is loaded when it is opened.
    await untilShown(tab, READS);
    await paste(tab, code);
    await untilShown(tab, STOP);
  });
});

describe.skipIf(!CAN_BROWSE_FIREFOX)('a plugin in development that fails, in Firefox (needs firefox-esr)', () => {
  /** Colour of an element. */
  const colorOf = (selector: string, property = 'color'): string =>
    `getComputedStyle(document.querySelector('${selector}')).${property}`;

  test('is amber on its page and in the menu', async () => {
    const tab = await openView(`#/plugins/${ID}`);
    await untilShown(tab, 'onStart failed: Error: no <b>wind</b> (background/index.js:1)');
    expect(await tab.run(`document.querySelector('.plugin-head .state').innerText`)).toBe('Running, with an error');
    expect(await tab.run(colorOf('.plugin-head .state'))).toBe(await tab.run(colorOf('.dot', 'backgroundColor')));
    expect(await tab.run(`document.querySelector('.dot').title`)).toContain('Running, with an error: onStart failed');
    await show(tab, '#/plugins');
    await expect
      .poll(() => tab.run(`document.querySelector('.plugin-section .state')?.innerText ?? ''`))
      .toBe('Running, with an error');
    await keepScreenshot(tab, 'firefox-plugin-error');
  });

  test('has an overlay, which leads to the log, and goes once it is fixed', async () => {
    const tab = await openView(`#/plugins/${ID}`);
    const overlay = `document.querySelector('.error-overlay')`;
    await expect
      .poll(() => tab.run(`${overlay}?.querySelector('pre').textContent ?? ''`))
      .toBe('Error: no <b>wind</b>');
    expect(await tab.run(`${overlay}.querySelectorAll('b').length`)).toBe(0);
    await keepScreenshot(tab, 'firefox-plugin-overlay');
    await tab.run(`void ${overlay}.querySelector('a').click()`);
    await expect.poll(() => tab.run('location.hash')).toBe(`#/plugins/${ID}/log`);
    await show(tab, `#/plugins/${ID}`);
    await writeFile(join(folder, 'background/index.js'), 'exports.routes = {};');
    await expect.poll(() => tab.run(`${overlay} === null`), {timeout: 20_000}).toBe(true);
    await expect.poll(() => tab.run(`document.querySelector('.plugin-head .state').innerText`)).toBe('Running');
  });
});
