import {EventEmitter, once} from 'node:events';
import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {servePages} from '../support/browsers/pages.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {findFreePort} from '../support/free-port.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startInTest, startService} from '../support/service.ts';

const ID = 'com.example.page';
const SOUND = 'data:audio/wav;base64,UklGRgAAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell('--host-resolver-rules=MAP crew.test 127.0.0.1');
});
afterAll(() => browser?.close());

/** Writes a directory with one plugin, for the rest of a test. */
async function writePlugins(files?: Readonly<Record<string, string>>): Promise<string> {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  await writePlugin(join(home.path, ID), files ?? {'ui/index.html': '<!doctype html><p>hello</p>'});
  return home.path;
}

describe.skipIf(!CAN_BROWSE)('a console in Chromium', () => {
  test('says what to do next if there are no plugins', async () => {
    const {url} = await startInTest({ephemeral: true});
    const {page, problems} = await openConsole(browser, url, {permissions: ['clipboard-read', 'clipboard-write']});
    await page.getByRole('button', {name: 'Copy npx crewroom plugin new my-plugin'}).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('npx crewroom plugin new my-plugin');
    const guide = page.getByRole('main').getByRole('link', {name: 'guide'});
    expect(await guide.getAttribute('href')).toBe('/docs/guides/first-plugin');
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
    await keepScreenshot(page, 'no-plugins');
  });

  test('shows why a plugin is broken', async () => {
    const {url} = await startInTest({ephemeral: true, pluginsDir: await writePlugins({'plugin.json': '{}'})});
    const {page} = await openConsole(browser, url, {fragment: `#/plugins/${ID}`});
    for (const tab of ['', '/settings', '/log']) {
      await page.evaluate(`location.hash = '#/plugins/${ID}${tab}'`);
      await page.locator(`.tabs [aria-current][href="#/plugins/${ID}${tab}"]`).waitFor();
      await page.getByText('plugin.json: $.id is missing').first().waitFor();
      expect(await findViolations(page)).toEqual([]);
    }
    expect(page.frames()).toHaveLength(1);
  });

  test('shows hostile names and log lines of a plugin as text, on each page that has them, at 360 px', async () => {
    const hostile = `<img src=x onerror="document.title='run'">\u202e${'long'.repeat(20)}`;
    const plugins = await writePlugins({
      'plugin.json': manifestOf(ID, {name: hostile, description: hostile}),
      'ui/index.html': '<!doctype html><p>hello</p>',
      'background/index.js': `console.log(${JSON.stringify(hostile.repeat(3))});`,
    });
    const {url} = await startInTest({ephemeral: true, pluginsDir: plugins});
    const {page, problems} = await openConsole(browser, url, {viewport: {width: 360, height: 740}});
    for (const fragment of ['#/', '#/plugins', `#/plugins/${ID}`, `#/plugins/${ID}/log`]) {
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.getByRole('main').getByText('<img src=x').first().waitFor();
      if (fragment.endsWith('/log')) await page.locator('.log-line', {hasText: '<img src=x'}).waitFor();
      await keepScreenshot(page, `hostile-plugin${fragment.replaceAll(/[^a-z]+/g, '-')}`);
      expect([fragment, await page.evaluate(FITS_WIDTH)]).toEqual([fragment, true]);
      // No heading is cut off.
      const ends = `Array.from(document.querySelectorAll('h1, h2'), heading => heading.getBoundingClientRect().right)`;
      expect([fragment, Math.max(...(await page.evaluate<readonly number[]>(ends))) <= 360]).toEqual([fragment, true]);
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(await page.title()).not.toBe('run');
    }
    expect(problems).toEqual([]);
  });

  test('follows the pilot: another one, or none', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, url);
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    crewroom.pilots.use('signed-out');
    await page.getByText('No pilot is signed in').first().waitFor();
    const color = `getComputedStyle(document.querySelector('.menu-head')).backgroundColor`;
    expect(await page.evaluate(color)).toBe('rgb(27, 58, 92)');
    for (const {name} of crewroom.pilots.list().pilots) {
      crewroom.pilots.use(name);
      await expect.poll(() => page.locator('h1').count()).toBe(1);
      expect([name, ...(await findViolations(page))]).toEqual([name]);
      await keepScreenshot(page, `pilot-${name}`);
    }
  });

  test('reports that the service is away, and recovers by itself when it is back, with the page of the plugin', async () => {
    const [port, plugins] = [await findFreePort(), await writePlugins()];
    const first = await startService({port, pluginsDir: plugins, ephemeral: true});
    const {page, problems} = await openConsole(browser, first.url, {fragment: `#/plugins/${ID}`});
    await page.frameLocator('iframe').locator('p').waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText('The service does not answer.').waitFor();
    await keepScreenshot(page, 'service-away');
    // Opened while nothing answers: the frame shows the error of the browser.
    await page.getByRole('link', {name: 'Log', exact: true}).click();
    await page.getByRole('link', {name: 'Page', exact: true}).click();
    await startInTest({port, pluginsDir: plugins, ephemeral: true});
    await expect.poll(() => page.getByText('The service does not answer.').count()).toBe(0);
    await expect.poll(() => page.frameLocator('iframe').locator('p').textContent()).toBe('hello');
    expect(problems.filter(problem => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY|50\d/.test(problem))).toEqual(
      [],
    );
  });

  for (const [part, fragment, shown] of [
    ['the library of the plots', '#/', '.plots [role=img]'],
    ['a page, with its styles,', '#/events', '.live-head'],
    ['the editor of an entry', '#/entries/a', '.json-editor .cm-content'],
  ] as const)
    test(`loads ${part} as soon as it can be had, if it could not be had before`, async () => {
      const {url, crewroom} = await startInTest({ephemeral: true});
      await crewroom.entries.put('a', 1);
      const {page} = await openConsole(browser, url, {fragment});
      const loaded = page.locator(shown).first();
      await loaded.waitFor();
      const style = 'element => getComputedStyle(element).display';
      const display = await loaded.evaluate(style);
      const isPart = /\/console\/assets\/(?!console-)/;
      await page.route(isPart, route => route.abort());
      const refused = page.waitForEvent('requestfailed', request => isPart.test(request.url()));
      await page.reload();
      await refused;
      expect(await loaded.count()).toBe(0);
      await page.unroute(isPart);
      await loaded.waitFor();
      expect(await loaded.evaluate(style)).toBe(display);
    });

  test('asks before it shows the page of a plugin if another site opened it, and not the next time', async () => {
    const {url} = await startInTest({ephemeral: true, pluginsDir: await writePlugins()});
    const outside = await servePages((_, response) => {
      response.writeHead(200, {'Content-Type': 'text/html'});
      response.end(`<!doctype html><a rel="noreferrer" href="${url}/#/plugins/${ID}">link</a>`);
    });
    onTestFinished(() => outside[Symbol.asyncDispose]());
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${outside.port}`);
    await page.click('a');
    await page.getByRole('button', {name: `Show Plugin ${ID}`}).waitFor();
    expect(page.frames()).toHaveLength(1);
    await page.getByRole('button', {name: `Show Plugin ${ID}`}).click();
    await page.frameLocator('iframe').locator('p').waitFor();
    await page.reload();
    await page.frameLocator('iframe').locator('p').waitFor();
  });

  test('plays the sound of a plugin in the window that the user saw last, and not in the others', async () => {
    const service = await startInTest({ephemeral: true});
    const script = `window.played = []; HTMLMediaElement.prototype.play = async function () { played.push(this.src); }`;
    const {page} = await openConsole(browser, service.url, {script});
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    const other = await page.context().newPage();
    await other.goto(service.url);
    await other.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
    const play = (): Promise<Response> =>
      fetch(`${service.url}/api/play-sound`, {method: 'POST', body: JSON.stringify({url: SOUND})});
    await play();
    await expect.poll(() => other.evaluate('played.length')).toBe(1);
    await other.close();
    await expect
      .poll(async () => {
        await play();
        return page.evaluate('played.length');
      })
      .toBeGreaterThan(0);
  });

  test('ends the request for a sound that it stops', async () => {
    const service = await startInTest({ephemeral: true});
    const steps = new EventEmitter();
    const [requested, closed] = [once(steps, 'requested'), once(steps, 'closed')];
    // A sound of unknown length, of which no more than its beginning arrives.
    const sounds = await servePages((_request, response) => {
      response.on('close', () => steps.emit('closed'));
      response.writeHead(200, {'Content-Type': 'audio/wav'});
      response.write(Buffer.from(SOUND.slice(SOUND.indexOf(',') + 1), 'base64').subarray(0, 40));
      steps.emit('requested');
    });
    onTestFinished(() => sounds[Symbol.asyncDispose]());
    const {page} = await openConsole(browser, service.url);
    await page.getByRole('heading', {name: 'Welcome, Ada'}).click();
    const url = `http://127.0.0.1:${sounds.port}/endless.wav`;
    await fetch(`${service.url}/api/play-sound`, {method: 'POST', body: JSON.stringify({url})});
    await requested;
    await page.getByRole('button', {name: 'Stop'}).click();
    await closed;
  });

  test('waits once for the lock of the sounds, however often the user changes between them', async () => {
    const {url} = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, url);
    const other = await page.context().newPage();
    await other.goto(url);
    const held = (state: 'held' | 'pending'): Promise<unknown> =>
      page.evaluate(`navigator.locks.query().then(({${state}}) => ${state}.map(({clientId}) => clientId))`);
    await expect.poll(() => held('pending')).toHaveLength(1);
    for (const each of [page, other, page, other, page]) {
      const before = await held('held');
      await each.evaluate(`dispatchEvent(new Event('focus'))`);
      await expect.poll(() => held('held')).not.toEqual(before);
      await expect.poll(() => held('pending')).toEqual(before);
    }
  });

  test('keeps what it shows if another program answers for the service', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true, pluginsDir: await writePlugins()});
    const {page} = await openConsole(browser, url, {fragment: `#/plugins/${ID}`});
    await page.frameLocator('iframe').locator('p').waitFor();
    await page.route('**/api/identity', route => route.fulfill({body: '<p>Welcome to the router'}));
    const answered = page.waitForResponse('**/api/identity');
    crewroom.pilots.use('first-officer');
    await answered;
    await page.getByRole('link', {name: 'Overview'}).click();
    await page.getByText('The answer is not complete JSON').waitFor();
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
  });

  test('shows the log that it loaded last, if an earlier answer arrives later', async () => {
    const [port, plugins] = [await findFreePort(), await writePlugins({'background/index.js': 'console.log("here");'})];
    const first = await startService({port, pluginsDir: plugins, ephemeral: true});
    let release = (): void => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    const {page} = await openConsole(browser, first.url, {fragment: `#/plugins/${ID}`});
    await page.getByRole('heading', {name: ID}).waitFor();
    // The list of plugins stays as it was: while the next service finds its plugins, it would be empty, and the log would close.
    const list = await (await fetch(`${first.url}/api/plugins`)).json();
    await page.route('**/api/plugins', route => route.fulfill({json: list}));
    const asked = page.waitForRequest('**/logs');
    await page.route(
      '**/logs',
      async route => {
        await released;
        await route.fulfill({json: {lines: []}});
      },
      {times: 1},
    );
    await page.getByRole('link', {name: 'Log', exact: true}).click();
    await asked;
    await first[Symbol.asyncDispose]();
    await startInTest({port, pluginsDir: plugins, ephemeral: true});
    await page.locator('.log-line').filter({hasText: 'here'}).waitFor();
    const early = page.waitForResponse('**/logs');
    release();
    await early;
    await page.getByRole('link', {name: 'Settings', exact: true}).first().waitFor();
    await expect.poll(() => page.locator('.log-view .note').count()).toBe(0);
    expect(await page.locator('.log-line').filter({hasText: 'here'}).count()).toBe(1);
  });

  test('plays one tone for notifications that arrive at once', async () => {
    const {url} = await startInTest({ephemeral: true, pluginsDir: await writePlugins()});
    const script = `window.tones = 0; const {start} = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function () { tones++; start.call(this); }`;
    const {page} = await openConsole(browser, url, {script, fragment: `#/plugins/${ID}`});
    await page.frameLocator('iframe').locator('p').waitFor();
    await page.getByRole('heading', {name: `Plugin ${ID}`}).click();
    const send = `for (const message of [1, 2, 3]) parent.postMessage({kind: 'crewroom-notification', message: 'Gate ' + message}, '*')`;
    await page.frames()[1]?.evaluate(send);
    await page.getByText('Gate 3').waitFor();
    expect(await page.evaluate('tones')).toBe(1);
  });

  test('works at a host name without TLS, where browsers have neither locks nor a clipboard', async () => {
    const {port, url} = await startInTest({ephemeral: true, allowHosts: ['crew.test']});
    const {page, problems} = await openConsole(browser, `http://crew.test:${port}`);
    await page.getByRole('button', {name: 'Copy npx crewroom plugin new my-plugin'}).click();
    await page.getByText('Not copied', {exact: true}).first().waitFor();
    await fetch(`${url}/api/navigate`, {method: 'POST', body: '{"pluginID": "none"}'});
    await page.getByRole('heading', {name: 'No such plugin'}).waitFor();
    expect(await page.evaluate('[isSecureContext, navigator.locks, navigator.clipboard].map(Boolean).join()')).toBe(
      'false,false,false',
    );
    // Browsers report that they ignore this policy there.
    expect(problems.filter(problem => !problem.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
  });

  test('restarts a background, and shows how many lines of a burst are missing', async () => {
    const burst = 'for (let n = 0; n < 3000; n++) console.log("line " + n);';
    const service = await startInTest({
      ephemeral: true,
      pluginsDir: await writePlugins({'background/index.js': burst}),
    });
    const code = await createOwnerCode(service);
    const {page} = await openConsole(browser, service.url, {code, fragment: `#/plugins/${ID}/log`});
    const lines = page.locator('.log-line');
    await lines
      .filter({hasText: /dropped/})
      .first()
      .waitFor();
    expect(await lines.count()).toBeLessThanOrEqual(1000);
    const restarted = page.waitForResponse(`**/api/plugins/${ID}/restart`);
    await page.getByRole('button', {name: 'Restart'}).click();
    expect((await restarted).status()).toBe(200);
  });

  test('has a menu on narrow screens that opens and closes with the keyboard', async () => {
    const {url} = await startInTest({ephemeral: true, pluginsDir: await writePlugins()});
    const {page} = await openConsole(browser, url, {viewport: {width: 360, height: 740}});
    const button = page.getByRole('button', {name: 'Menu'});
    await button.focus();
    await page.keyboard.press('Enter');
    const link = page.getByRole('navigation').getByRole('link', {name: `Plugin ${ID}`});
    await link.waitFor();
    await keepScreenshot(page, 'menu-360');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await link.isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await link.focus();
    await page.keyboard.press('Enter');
    await page.frameLocator('iframe').locator('p').waitFor();
    expect(await link.isVisible()).toBe(false);
  });
});
