import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Browser, FrameLocator, Page} from 'playwright-core';
import {beforeEach, describe, expect, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {consoleAddress, keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

const DISPATCH = 'com.example.dispatch';
const RADIO = 'com.example.radio';

const SETTINGS = {
  greeting: {name: 'Greeting', type: 'string', default: 'Hello', settingType: 'user', minLength: 3, order: 2},
  callsign: {name: 'Callsign', type: 'string', default: 'Crewroom', settingType: 'user', required: true, order: 1},
  volume: {name: 'Volume', type: 'number', default: 0.5, settingType: 'user'},
  units: {name: 'Units', type: 'list', options: {kg: 'Kilograms', lb: 'Pounds'}, default: 'kg', settingType: 'user'},
  gates: {name: 'Gates', type: 'list', options: [1, 2], default: 1, settingType: 'user'},
  alerts: {name: 'Alerts', type: 'boolean', default: false, settingType: 'user'},
  tone: {name: 'Tone', type: 'string', settingType: 'user', when: {key: 'alerts', value: true}},
  server: {name: 'Server', type: 'string', default: 'none', settingType: 'user', advanced: true},
  routes: {name: 'Routes', type: 'number', default: 12, settingType: 'airline'},
};

const PAGE = `<!doctype html><title>Dispatch</title><style>body {background: transparent}</style><h1>Dispatch</h1><p id="query"></p>
<script>document.querySelector('#query').textContent = location.search;</script>`;

const BACKGROUND = `
console.log('ready for', 'departure');
exports.routes = {get: {say: {description: 'Logs', handler: (req, res) => { console[req.query.level](req.query.text); res.json({}); }}}};`;

/** A picture of one pixel. */
const ICON = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Two samples of silence. */
const SOUND = `data:audio/wav;base64,${Buffer.from('RIFF(\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\b\0data\x02\0\0\0\x80\x80', 'latin1').toString('base64')}`;

let browser: Browser;
let service: TestService;
let development: string;

usePlugins(
  async home => {
    development = join(home, 'dispatch');
    await writePlugin(join(home, 'plugins', RADIO), {'background/index.js': BACKGROUND});
    await writePlugin(development, {
      'plugin.json': manifestOf(DISPATCH, {name: 'Dispatch', availableSettings: SETTINGS}),
      'ui/index.html': PAGE,
      'background/index.js': BACKGROUND,
    });
    for (const theme of ['dark', 'light']) await writeFile(join(development, 'ui', `menu_icon_${theme}.png`), ICON);
  },
  started => {
    ({browser, service} = started);
  },
  home => ({pluginsDir: join(home, 'plugins'), devPlugins: [development]}),
);
beforeEach(async () => {
  if (CAN_BROWSE)
    for (const id of ['core', DISPATCH])
      await service.crewroom.entries.delete(`crewroom/settings/${id}`).catch(() => {});
});

function call(path: string, body?: object): Promise<Response> {
  return fetch(service.url + path, body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)});
}

function frameOf(page: Page): FrameLocator {
  return page.frameLocator('iframe');
}

/** Sends messages from the page of the plugin to the console, as the SDK of pages does. */
async function postFromFrame(page: Page, ...messages: readonly object[]): Promise<void> {
  await page.frames()[1]?.evaluate(`for (const each of ${JSON.stringify(messages)}) parent.postMessage(each, '*')`);
}

const SETTINGS_VIEW = `#/plugins/${DISPATCH}/settings`;
const LOG_VIEW = `#/plugins/${RADIO}/log`;

describe.skipIf(!CAN_BROWSE)('the console in Chromium', () => {
  test('gives the page of a plugin the theme and the colours of the airline, and a background', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${DISPATCH}`});
    const query = frameOf(page).locator('#query');
    await expect.poll(() => query.textContent()).toBe('?darkmode=false&forecolor=%23FFFFFF&backcolor=%231B3A5C');
    await page.getByLabel('Theme').selectOption('Dark');
    await expect.poll(() => query.textContent()).toBe('?darkmode=true&forecolor=%23FFFFFF&backcolor=%231B3A5C');
    expect(await (await call('/api/settings/core')).json()).toMatchObject({darkMode: true});
    const background = `getComputedStyle(document.querySelector('iframe')).backgroundColor`;
    expect(await page.evaluate(background)).toBe('rgb(18, 23, 31)');
  });

  test('has a link for each plugin with its icon, and ends the frame when the user leaves the page', async () => {
    const {page} = await openConsole(browser, service.url);
    const link = page.getByRole('navigation').getByRole('link', {name: 'Dispatch'});
    await expect.poll(() => link.locator('img').getAttribute('src')).toContain('/menu_icon_light.png');
    await link.click();
    await frameOf(page).locator('h1').waitFor();
    expect(await link.getAttribute('aria-current')).toBe('page');
    expect(await page.title()).toBe('Dispatch – Crewroom');
    await page.getByRole('link', {name: `Plugin ${RADIO}`}).click();
    await page.getByText('This plugin has no page').waitFor();
    expect(page.frames()).toHaveLength(1);
    await page.goBack();
    await frameOf(page).locator('h1').waitFor();
  });

  test('shows notifications of pages as text, counts equal ones, and keeps those that are not passing', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${DISPATCH}`});
    await frameOf(page).locator('h1').waitFor();
    const notice = {kind: 'crewroom-notification', message: '<b>Boarding</b>', type: 'warning', source: 'Gate 4'};
    await postFromFrame(page, notice, notice);
    const card = page.getByRole('log', {name: 'New notifications'}).locator('.notice');
    await expect.poll(() => card.textContent()).toMatch(/Dispatch: Gate 4 2 times.*<b>Boarding<\/b>/);
    await postFromFrame(page, {kind: notice.kind, message: 'Saved', type: 'success', toast: true});
    await expect.poll(() => card.textContent()).toMatch(/^Dispatch\s*Saved.*1 more/);
    expect(await card.count()).toBe(1);
    await keepScreenshot(page, 'notices');
    expect(await page.title()).toBe('(1) Dispatch – Crewroom');
    await page.getByRole('link', {name: /Notifications/}).click();
    await expect
      .poll(() => page.locator('.notice-list').allTextContents())
      .toEqual([expect.stringContaining('Boarding')]);
    expect(await page.locator('.notice-list').textContent()).not.toContain('Saved');
    expect(await page.title()).toBe('Notifications – Crewroom');
  });

  for (const [width, height] of [
    [1280, 720],
    [360, 640],
  ] as const)
    test(`keeps notifications off the page of a plugin, ${width} pixels wide`, async () => {
      const viewport = {width, height};
      const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${DISPATCH}`, viewport});
      await frameOf(page).locator('h1').waitFor();
      const [kind, type] = ['crewroom-notification', 'danger'];
      const notices = [DISPATCH, 'Dispatch', ' dispatch '].map((source, at) => ({
        kind,
        type,
        source,
        message: `Lost ${at}`,
      }));
      await postFromFrame(page, ...notices, {kind, type, message: 'A long message '.repeat(40)});
      const card = page.getByRole('log', {name: 'New notifications'}).locator('.notice');
      await card.getByText('3 more').waitFor();
      await keepScreenshot(page, `notices-${width}`);
      // Every point of the frame is the frame's.
      const covered = `(() => {
        const frame = document.querySelector('iframe');
        const {left, top, right, bottom} = frame.getBoundingClientRect();
        const points = [];
        for (let x = left + 1; x < right; x += 20) for (let y = top + 1; y < bottom; y += 20) points.push([x, y]);
        return points.filter(([x, y]) => document.elementFromPoint(x, y) !== frame).length;
      })()`;
      expect(await page.evaluate(covered)).toBe(0);
      expect(await page.evaluate(FITS_WIDTH)).toBe(true);
      await card.getByRole('link', {name: '3 more'}).click();
      await expect
        .poll(() => page.locator('.notice-list strong').allTextContents())
        .toEqual(['Dispatch', 'Dispatch', 'Dispatch', 'Dispatch']);
      await card.getByRole('button', {name: 'Close'}).click();
      await expect.poll(() => card.count()).toBe(0);
    });

  test('ignores messages that are not from a page of a plugin', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${DISPATCH}`});
    await frameOf(page).locator('h1').waitFor();
    const notice = {kind: 'crewroom-notification', message: 'forged', type: 'danger'};
    await page.evaluate(`window.postMessage(${JSON.stringify(notice)}, '*')`);
    await postFromFrame(page, {...notice, kind: 'else'}, {...notice, message: {}}, {...notice, message: 'genuine'});
    await page.getByText('genuine').waitFor();
    expect(await page.locator('.notice').count()).toBe(1);
  });

  test('shows the plugin that a plugin asks for', async () => {
    const {page} = await openConsole(browser, service.url);
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    await call('/api/navigate', {pluginID: DISPATCH});
    await frameOf(page).locator('h1').waitFor();
    expect(await page.evaluate('location.hash')).toBe(`#/plugins/${DISPATCH}`);
  });

  test('plays a sound only after the user allowed it with a click, and stops it', async () => {
    // Blocked the first time, as by every browser before the user has clicked. Calls of Playwright count as clicks.
    const script = `window.played = [];
      HTMLMediaElement.prototype.play = new Proxy(HTMLMediaElement.prototype.play, {
        apply: (play, audio) => played.push(audio.src) === 1
          ? Promise.reject(new DOMException('blocked', 'NotAllowedError'))
          : Reflect.apply(play, audio, [])})`;
    const {page} = await openConsole(browser, service.url, {script});
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    const missing = `http://localhost:7172/api/${RADIO}/none.wav`;
    await call('/api/play-sound', {url: SOUND});
    await page.getByText('A sound is waiting').waitFor();
    await keepScreenshot(page, 'sound');
    await page.getByRole('button', {name: 'Play'}).click();
    await expect.poll(() => page.getByText('A sound is waiting').count()).toBe(0);
    await call('/api/play-sound', {url: missing});
    await page.getByText('does not play').waitFor();
    expect(await page.evaluate('played.at(-1)')).toBe(`${consoleAddress(service.url)}/api/${RADIO}/none.wav`);
    await call('/api/stop-sound', {});
    await expect.poll(() => page.getByText('does not play').count()).toBe(0);
  });

  test('plays no sound if the user does not want any', async () => {
    await fetch(`${service.url}/api/settings/core`, {method: 'PUT', body: '{"playSound": false}'});
    const {page} = await openConsole(browser, service.url);
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    await call('/api/play-sound', {url: SOUND});
    await call('/api/navigate', {pluginID: RADIO});
    await page.getByText('This plugin has no page').waitFor();
    expect(await page.getByText('A sound is waiting').count()).toBe(0);
  });

  test('makes a form of the manifest, stores its values, and shows problems at their settings', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: SETTINGS_VIEW});
    await page.getByLabel('Callsign').waitFor();
    expect(await page.locator('form.card > .field label').allTextContents()).toEqual([
      'Callsign (required)',
      ...['Greeting', 'Volume', 'Units', 'Gates', 'Alerts'],
    ]);
    expect(await page.getByLabel('Server').isVisible()).toBe(false);
    expect(await page.getByLabel('Routes').isDisabled()).toBe(true);
    await page.getByLabel('Greeting').fill('Hi');
    await page.getByLabel('Gates').selectOption('2');
    await page.getByRole('button', {name: 'Save'}).click();
    await expect.poll(() => page.locator('.field', {hasText: 'Greeting'}).textContent()).toContain('is shorter than 3');
    await keepScreenshot(page, 'settings-problem');
    await page.getByLabel('Greeting').fill('Moin');
    await page.getByLabel('Alerts').check();
    await page.getByLabel('Tone').fill('bell');
    await page.getByLabel('Volume').fill('0.75');
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    expect(await (await call(`/api/settings/${DISPATCH}`)).json()).toMatchObject({
      ...{greeting: 'Moin', gates: 2, alerts: true, tone: 'bell', volume: 0.75, units: 'kg'},
    });
    await page.getByLabel('Callsign').fill('');
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('This value is required.').waitFor();
    await page.getByRole('button', {name: 'Restore defaults'}).click();
    await expect.poll(() => page.getByLabel('Greeting').inputValue()).toBe('Hello');
    expect(await service.crewroom.entries.get(`crewroom/settings/${DISPATCH}`)).toBeUndefined();
  });

  test('stores no setting whose condition does not hold any more', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: SETTINGS_VIEW});
    await page.getByLabel('Alerts').check();
    await page.getByLabel('Tone').fill('bell');
    await page.getByLabel('Alerts').uncheck();
    await page.getByLabel('Greeting').fill('Moin');
    expect(await page.getByLabel('Tone').count()).toBe(0);
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    const stored = await service.crewroom.entries.get<object>(`crewroom/settings/${DISPATCH}`);
    expect(stored?.value).toEqual({greeting: 'Moin'});
  });

  test('shows settings that another program changes, and keeps what the user is typing', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: SETTINGS_VIEW});
    await page.getByLabel('Callsign').fill('Speedbird');
    await fetch(`${service.url}/api/settings/${DISPATCH}`, {method: 'PUT', body: '{"greeting": "Servus"}'});
    await expect.poll(() => page.getByLabel('Greeting').inputValue()).toBe('Servus');
    expect(await page.getByLabel('Callsign').inputValue()).toBe('Speedbird');
  });

  test('keeps what the user types while it saves', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: SETTINGS_VIEW});
    let release = (): void => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/api/settings/*', async route => {
      if (route.request().method() === 'PUT') await released;
      await route.continue();
    });
    await page.getByLabel('Greeting').fill('Moin');
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByLabel('Callsign').fill('Speedbird');
    await page.getByLabel('Greeting').fill('Moin Moin');
    expect(await page.getByRole('button', {name: 'Save'}).isDisabled()).toBe(true);
    release();
    await page.getByText('Saved', {exact: true}).waitFor();
    expect(await page.getByLabel('Callsign').inputValue()).toBe('Speedbird');
    expect(await page.getByLabel('Greeting').inputValue()).toBe('Moin Moin');
    await page.getByRole('button', {name: 'Save'}).click();
    await expect
      .poll(async () => (await call(`/api/settings/${DISPATCH}`)).json())
      .toMatchObject({greeting: 'Moin Moin', callsign: 'Speedbird'});
  });

  test('changes the settings of the client, advanced settings of plugins among them', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: '#/settings'});
    await page.getByLabel('Show advanced settings of plugins').check();
    await page.getByLabel('Weight').selectOption({label: 'Pounds'});
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('Saved', {exact: true}).waitFor();
    expect(await (await call('/api/settings/core')).json()).toMatchObject({weightUnits: 'LBS'});
    await page.goto(`${consoleAddress(service.url)}/${SETTINGS_VIEW}`);
    await expect.poll(() => page.getByLabel('Server').isVisible()).toBe(true);
  });

  test('shows the last lines of a log, and those that follow', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: LOG_VIEW});
    await page.getByText('ready for departure').waitFor();
    await call(`/api/${RADIO}/say?level=error&text=no+weather`);
    await page.getByText('no weather').waitFor();
    await call(`/api/${DISPATCH}/say?level=log&text=of+another+plugin`);
    await call(`/api/${RADIO}/say?level=log&text=done`);
    await page.getByText('done', {exact: true}).waitFor();
    expect(await page.getByText('of another plugin').count()).toBe(0);
    await page.getByLabel('Errors only').check();
    await expect
      .poll(() => page.locator('.log-line').allTextContents())
      .toEqual([expect.stringContaining('no weather')]);
  });

  test('loads the page of a plugin in development again when a file of it changes, and shows that its background restarts', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${DISPATCH}`});
    await frameOf(page).locator('h1').waitFor();
    await writeFile(join(development, 'ui', 'index.html'), PAGE.replace('<h1>Dispatch</h1>', '<h1>Dispatch 2</h1>'));
    await expect.poll(() => frameOf(page).locator('h1').textContent()).toBe('Dispatch 2');
    await page.getByRole('link', {name: 'Log'}).click();
    await writeFile(join(development, 'background', 'index.js'), BACKGROUND.replace('departure', 'arrival'));
    await page.getByText('ready for arrival').waitFor();
    await expect.poll(() => page.locator('.plugin-head .state').textContent()).toBe('Running');
  });
});
