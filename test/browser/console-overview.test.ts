import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import {createMachine} from '../cli/crewroom.ts';
import {startPhpVms5} from '../support/back-ends.ts';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole, SHOWN_THEME} from '../support/browsers/console.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {setFaults} from '../support/faults.ts';
import {findFreePort} from '../support/free-port.ts';
import {commandsOf, readGuide} from '../support/guide.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {ADA} from '../support/pilots.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startInTest, startService, type TestService} from '../support/service.ts';
import {writeAirline} from '../support/session-service.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/plugin', import.meta.url));

let browser: Browser;
let service: TestService;

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchShell();
  service = await startService();
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  if (!CAN_BROWSE) return;
  service.crewroom.faults.set([]);
  service.crewroom.pilots.use('captain');
});

/** Looks at a page in both themes, wide and narrow. */
async function lookAt(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await setTheme(page, theme);
    for (const width of [1440, 360]) {
      await page.setViewportSize({width, height: 900});
      await keepScreenshot(page, `${name}-${theme}-${width}`);
      expect(await page.evaluate(FITS_WIDTH)).toBe(true);
      expect(await findViolations(page)).toEqual([]);
    }
  }
  await page.setViewportSize({width: 1280, height: 900});
}

async function setTheme(page: Page, theme: string): Promise<void> {
  // Not each system resolves the name of the console.
  const url = `http://127.0.0.1:${new URL(page.url()).port}/api/settings/core`;
  await fetch(url, {method: 'PUT', body: JSON.stringify({darkMode: theme === 'dark'})});
  await expect.poll(() => page.evaluate(SHOWN_THEME)).toBe(theme);
}

/** Shows another page of an open console, without loading it again. */
async function show(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
}

/** Comes back from another window, which is when the console looks for faults. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
}

/** Returns a value that a card shows beside its name. */
function figureOf(page: Page, name: string): Promise<string | null> {
  return page
    .locator('.facts > div', {has: page.getByText(name, {exact: true})})
    .locator('dd')
    .textContent();
}

describe.skipIf(!CAN_BROWSE)('the overview in Chromium', () => {
  test('shows pilot, session, health, versions and limits, and plots requests while they arrive', async () => {
    const {page, problems} = await openConsole(browser, service.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    });
    await expect.poll(() => figureOf(page, 'Pilot')).toBe('Ada Quill (CRW0042), Crewroom Air');
    await expect.poll(() => figureOf(page, 'Version')).toMatch(/^Crewroom \d.*, API 1, Node v/);
    await page.getByText('Healthy', {exact: true}).waitFor();
    await page.getByText('Limits', {exact: true}).click();
    expect(await page.getByRole('row', {name: 'Largest value'}).textContent()).toContain('1 MiB');
    await page.locator('.plot canvas').first().waitFor();
    await expect
      .poll(async () => {
        for (let count = 0; count < 20; count++) await (await fetch(`${service.url}/api/identity`)).text();
        return page.getByRole('img', {name: /^Requests in the last minutes/}).getAttribute('aria-label');
      })
      .toMatch(/now [1-9][\d,.]* per second/);
    await page.getByRole('img', {name: /half within .* 99 % within/}).waitFor();
    const command = 'npx crewroom plugin new my-plugin';
    await page.getByRole('button', {name: `Copy ${command}`}).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(command);
    await lookAt(page, 'overview');
    expect(problems).toEqual([]);
  });

  test('leads a newcomer first, with what is not done yet, and has its plots on the first screen', async () => {
    await using home = await makeTemporaryDirectory();
    const {url, crewroom} = await startInTest({ephemeral: true, pluginsDir: home.path});
    // As our own commands ask, which are no plugins.
    await (await fetch(`${url}/api/plugins`)).text();
    const viewport = {width: 1440, height: 900};
    const {page, problems} = await openConsole(browser, url, {viewport, reducedMotion: 'reduce'});
    const steps = page.getByRole('region', {name: 'Next steps'});
    const titles = (): Promise<readonly string[]> => steps.getByRole('heading', {level: 3}).allTextContents();
    const all = ['Begin a plugin', 'Ask who the pilot is', 'Store a value', 'Serve a pilot of your own'];
    await expect.poll(titles).toEqual(all);
    await page.locator('.plot canvas').first().waitFor();
    const ends = `Array.from(document.querySelectorAll('.plots'), each => each.getBoundingClientRect().bottom)`;
    expect(Math.max(...(await page.evaluate<readonly number[]>(ends)))).toBeLessThanOrEqual(viewport.height);
    // The settings of the console are no entries of a newcomer.
    await page.getByLabel('Theme').selectOption('Dark');
    await expect.poll(() => crewroom.entries.get('crewroom/settings/core')).toBeDefined();
    await keepScreenshot(page, 'overview-newcomer-dark-1440');
    expect(await titles()).toEqual(all);
    await (await fetch(`${url}/api/identity`)).text();
    await expect.poll(titles).toEqual([all[0], all[2], all[3]]);
    await crewroom.entries.put('com.example.hello/volume', 0.5);
    await expect.poll(titles).toEqual([all[0], all[3]]);
    expect(problems).toEqual([]);
    crewroom.pilots.use('signed-out');
    await expect.poll(titles).toEqual(['Sign a pilot in', ...all.slice(0, 1)]);
    await lookAt(page, 'overview-newcomer');
  });

  test('names commands as the user of the service calls them', async () => {
    await using installed = await startService({ephemeral: true}, {command: 'crewroom'});
    const {page} = await openConsole(browser, installed.url);
    await page.getByText('crewroom plugin new my-plugin', {exact: true}).first().waitFor();
  });

  test('shows the lines to a first plugin that the guide shows, which its own test runs', async () => {
    const {url} = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, url);
    const lines = commandsOf(readGuide('first-plugin.md').slice(0, 1)).map(line => line.replace('hello', 'my-plugin'));
    for (const fragment of ['#/', '#/plugins']) {
      await page.goto(`${page.url().replace(/#.*/, '')}${fragment}`);
      const shown = page.locator('.command', {hasText: 'plugin new'}).locator('xpath=..').locator('.command code');
      await expect.poll(async () => (await shown.allTextContents()).slice(0, 4)).toEqual(lines);
    }
  });

  test('leads to a plugin in development', async () => {
    const machine = await createMachine();
    await writePlugin(machine.home, {'plugin.json': manifestOf('com.example.led'), 'ui/index.html': 'led'});
    const options = {environment: {XDG_RUNTIME_DIR: machine.home}};
    const development = machine.spawn(['dev', '--json', '--port', '0'], options);
    await development.until(({stdout}) => stdout.includes('\n'));
    const {port} = JSON.parse(development.said().stdout);
    const {url} = await machine.start(['--ephemeral'], options);
    const {page} = await openConsole(browser, url);
    const fact = page.locator('.facts > div', {hasText: 'Also running'});
    await fact.getByText(`com.example.led in development, on ${port}`, {exact: true}).waitFor();
    await fact.getByRole('link', {name: 'com.example.led'}).click();
    await page.waitForURL(`http://crewroom.localhost:${port}/#/plugins/com.example.led`);
  });

  test('shows no steps to a user who has done them', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true, devPlugins: [EXAMPLE]});
    await crewroom.entries.put('com.example.hello/volume', 0.5);
    await (await fetch(`${url}/api/identity`)).text();
    const {page} = await openConsole(browser, url, {viewport: {width: 1440, height: 900}});
    await page.getByRole('main').getByRole('link', {name: 'Logbook'}).waitFor();
    await page.getByText('Healthy', {exact: true}).waitFor();
    expect(await page.getByRole('heading', {name: 'Next steps'}).count()).toBe(0);
    await keepScreenshot(page, 'overview-at-home-1440');
  });

  test('shows the revision, and the data directory with its size', async () => {
    const {url, crewroom} = await startInTest();
    const {page, problems} = await openConsole(browser, url);
    await expect.poll(() => figureOf(page, 'Data directory')).toBe(crewroom.config.dataDir);
    expect(await figureOf(page, 'Revision')).toBe('0');
    expect(await figureOf(page, 'Size on the disk')).toMatch(/^[\d.]+ KiB$/);
    const value = JSON.stringify('x'.repeat(1_000_000));
    for (const key of ['a', 'b', 'c']) await crewroom.entries.put(key, Buffer.from(value));
    await expect.poll(() => figureOf(page, 'Revision')).toBe('3');
    await expect.poll(() => figureOf(page, 'Size on the disk')).toMatch(/^[\d.]+ MiB$/);
    expect(problems).toEqual([]);
  });

  test('signs a pilot in and out, and shows why a session is stale', async () => {
    const backEnd = await startPhpVms5({nowMs: Date.now});
    onTestFinished(() => backEnd[Symbol.asyncDispose]());
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const airline = await writeAirline(home.path, backEnd.scriptURL);
    const {url} = await startInTest({airline, ephemeral: true});
    const {page} = await openConsole(browser, url);
    await page.getByLabel('Pilot number or e-mail address').fill(ADA.email);
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.locator('.note.danger').waitFor();
    await page.getByLabel('Password').fill(ADA.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', {name: 'Sign out'}).waitFor();
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    expect(await figureOf(page, 'Back end')).toBe(backEnd.scriptURL);
    await setFaults({url}, {kind: 'airline-away'});
    await comeBack(page);
    await page.getByText('Stale', {exact: true}).waitFor();
    await page.getByText('the last known identity').first().waitFor();
    await keepScreenshot(page, 'overview-stale');
    expect(await findViolations(page)).toEqual([]);
    await setFaults({url});
    await comeBack(page);
    await page.getByText('Signed in', {exact: true}).waitFor();
    await page.getByRole('button', {name: 'Sign out'}).click();
    await page.getByLabel('Password').waitFor();
    await page.getByText('No pilot is signed in').first().waitFor();
  });

  test('goes on when the service is away and comes back', async () => {
    const port = await findFreePort();
    const first = await startService({port, ephemeral: true});
    const {page} = await openConsole(browser, first.url);
    await page.getByText('Healthy', {exact: true}).waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText('Away', {exact: true}).waitFor();
    await startInTest({port, ephemeral: true});
    await page.getByText('Healthy', {exact: true}).waitFor();
    const figures = page.getByRole('img', {name: /^Requests in the last minutes; now [\d.]+ per second/});
    await figures.waitFor();
  });

  test('shows hostile names as text, in one place', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const profile = join(home.path, 'me.json');
    const name = `<img src=x onerror="document.title='hacked'">\u202e\u0007${'w'.repeat(300)}`;
    await writeFile(profile, JSON.stringify({va_user: {firstName: name, lastName: name, rank: name}}));
    const {url} = await startInTest({profile, ephemeral: true});
    const {page, problems} = await openConsole(browser, url, {viewport: {width: 360, height: 800}});
    await page.getByText('A profile:').waitFor();
    for (const fragment of ['#/', '#/identity']) {
      await show(page, fragment);
      await page.getByRole('main').getByText('w'.repeat(300)).first().waitFor();
      expect(await page.evaluate(FITS_WIDTH)).toBe(true);
      expect(await page.locator('main img').count()).toBe(0);
    }
    await page.getByText('a profile or a real pilot is never replaced').waitFor();
    expect(await page.getByRole('button', {name: 'Serve captain'}).isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!CAN_BROWSE)('the identity page in Chromium', () => {
  test('shows the document as a tree and as it is sent, and serves another pilot', async () => {
    const {page, problems} = await openConsole(browser, service.url, {fragment: '#/identity'});
    await page.locator('.json-member', {hasText: 'pilotID'}).getByText('"CRW0042"').waitFor();
    await lookAt(page, 'identity-content');
    await page.getByRole('button', {name: 'Text', exact: true}).click();
    const text = await (await fetch(`${service.url}/api/identity`)).text();
    await page.getByRole('button', {name: 'Show secrets'}).click();
    expect(await page.locator('.json-text').textContent()).toBe(text);
    await page.getByRole('button', {name: 'Show secrets'}).click();
    await page.getByRole('button', {name: 'Serve first-officer'}).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.json-text').textContent()).toContain('CRW0043');
    await page.locator('.pilots li[data-current="true"]', {hasText: 'first-officer'}).waitFor();
    expect(problems).toEqual([]);
    await page.getByRole('button', {name: 'Serve signed-out'}).click();
    await page.getByText('No pilot is signed in: plugins get').waitFor();
    // A page that only reads cannot try states.
    expect(await page.getByRole('button', {name: 'Try Expired session'}).isDisabled()).toBe(true);
  });

  test('hides session and token until they are asked for, in copies too', async () => {
    const {page, problems} = await openConsole(browser, service.url, {
      fragment: '#/identity',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const copied = async (): Promise<unknown> => {
      await page.getByRole('button', {name: 'Copy the document'}).click();
      await page.getByRole('status').getByText('Copied', {exact: true}).waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    await page.locator('.json-member', {hasText: 'session'}).getByText('"••••••"').waitFor();
    expect(await copied()).not.toMatch(/sample-(session|token)/);
    await page.getByRole('button', {name: 'Text', exact: true}).click();
    expect(await page.locator('main').textContent()).not.toMatch(/sample-(session|token)/);
    await page.getByRole('button', {name: 'Show secrets'}).click();
    const text = await (await fetch(`${service.url}/api/identity`)).text();
    expect(text).toContain('sample-session');
    await expect.poll(copied).toBe(text);
    await page.getByRole('button', {name: 'Tree', exact: true}).click();
    await page.locator('.json-member', {hasText: 'session'}).getByText('"sample-session"').waitFor();
    expect(problems).toEqual([]);
  });

  test('lets the owner try states of the session', async () => {
    const {page} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    await show(page, '#/identity');
    await page.getByRole('button', {name: 'Try Expired session'}).click();
    await page.getByText('No pilot is signed in: plugins get').waitFor();
    await page.getByText('A fault is on:').waitFor();
    await page.getByRole('button', {name: 'End Expired session'}).click();
    await page.locator('.json-member', {hasText: 'pilotID'}).waitFor();
    expect(service.crewroom.faults.list().faults).toEqual([]);
  });
});

describe.skipIf(!CAN_BROWSE)('the page of faults in Chromium', () => {
  test('switches faults on and off, and every page shows that they are on', async () => {
    const {page, problems} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    await show(page, '#/faults');
    await page.getByText('Nothing fails on purpose.').waitFor();
    await page.getByLabel('Milliseconds').fill('250');
    await page.getByText('Only some requests').click();
    await page.getByLabel('Path').fill('/api/store/*');
    await page.keyboard.press('Enter');
    await page.locator('.fault strong', {hasText: 'Delay: 250 ms'}).waitFor();
    expect(service.crewroom.faults.list().faults).toEqual([{kind: 'delay', delayMs: 250, path: '/api/store/*'}]);
    await page.getByLabel('Fault', {exact: true}).selectOption('airline-away');
    await page.getByRole('button', {name: 'Switch on'}).click();
    await page.getByText('2 faults are on:').waitFor();
    await lookAt(page, 'faults-content');
    for (const fragment of ['#/', '#/identity', '#/settings', '#/plugins/none']) {
      await show(page, fragment);
      await page.getByText('2 faults are on:').waitFor();
    }
    await page.getByRole('link', {name: 'Look'}).click();
    await page.getByRole('button', {name: 'Clear Airline away'}).click();
    await page.getByText('A fault is on:').waitFor();
    expect(service.crewroom.faults.list().faults).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('shows why the service refuses a fault, and clears all', async () => {
    service.crewroom.faults.set([{kind: 'disk-full'}, {kind: 'delay', delayMs: 1, path: '/api/none'}]);
    const {page} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    await show(page, '#/faults');
    await page.getByLabel('Fault', {exact: true}).selectOption('clock');
    await page.getByRole('button', {name: 'Switch on'}).click();
    await page.locator('.note.danger').waitFor();
    await keepScreenshot(page, 'fault-refused');
    await page.getByRole('button', {name: 'Clear all'}).click();
    await page.getByText('Nothing fails on purpose.').waitFor();
    await expect.poll(() => page.locator('.note.danger').count()).toBe(0);
  });

  test('clears faults of one kind together, and keeps those that another program switches on meanwhile', async () => {
    service.crewroom.faults.set([
      {kind: 'delay', delayMs: 1, path: '/api/a'},
      {kind: 'delay', delayMs: 2, path: '/api/b'},
    ]);
    const {page} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    await show(page, '#/faults');
    const clear = page.getByRole('button', {name: 'Clear all 2 of this kind Delay: 2 ms'});
    await clear.waitFor();
    service.crewroom.faults.add([{kind: 'airline-away'}]);
    await clear.click();
    await page.getByRole('button', {name: 'Clear Airline away', exact: true}).waitFor();
    expect(service.crewroom.faults.list().faults).toEqual([{kind: 'airline-away'}]);
    await page.getByRole('button', {name: 'Clear Airline away', exact: true}).click();
    await page.getByText('Nothing fails on purpose.').waitFor();
  });

  test('only reads without the token of the owner, and notices faults of others when the user comes back', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/faults'});
    await page.getByText('Nothing fails on purpose.').waitFor();
    expect(await page.getByRole('button', {name: 'Switch on'}).isDisabled()).toBe(true);
    await page.getByText(`crewroom console --port ${service.port}`, {exact: true}).first().waitFor();
    await setFaults(service, {kind: 'error', code: 'busy', plugin: 'com.example.hello'});
    await comeBack(page);
    await page.getByText('A fault is on:').waitFor();
    expect(await page.getByRole('button', {name: 'Clear Failure: busy'}).isDisabled()).toBe(true);
  });
});

describe.skipIf(!CAN_BROWSE)('the console in Chromium, if a page throws', () => {
  test('shows that, and works on', async () => {
    const {page} = await openConsole(browser, service.url);
    await page.route('**/api/pilots', route => route.fulfill({json: {pilots: 'many'}}));
    await show(page, '#/identity');
    await page.getByRole('heading', {name: 'This page has failed'}).waitFor();
    await keepScreenshot(page, 'page-failed');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('link', {name: 'Faults', exact: true}).click();
    await page.getByText('Nothing fails on purpose.').waitFor();
    await page.unroute('**/api/pilots');
    await show(page, '#/identity');
    await page.getByRole('button', {name: 'Serve captain'}).or(page.getByText('Served')).first().waitFor();
  });
});
