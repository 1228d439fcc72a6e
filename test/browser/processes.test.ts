import {join} from 'node:path';
import type {Browser, CDPSession, Frame, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.busy';
const OTHER = 'com.example.other';
/** Notices that the page of the plugin sends at once. */
const NOTICES = 5000;
/** Navigations and sounds that are asked for at once. */
const REQUESTS = 600;

let browser: Browser;
let service: TestService;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  const home = await makeTemporaryDirectory();
  for (const id of [ID, OTHER])
    await writePlugin(join(home.path, id), {'ui/index.html': '<!doctype html><h1>busy</h1>'});
  service = await startService({pluginsDir: home.path, ephemeral: true});
  disposables.push(service, home);
  await service.crewroom.plugins.ready();
});
afterAll(async () => {
  await browser?.close();
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

async function openPlugin(): Promise<{readonly page: Page; readonly frame: Frame}> {
  const {page} = await openConsole(browser, service.url, {fragment: '#/plugins'});
  await page.evaluate(`location.hash = '#/plugins/${ID}'`);
  await page.frameLocator('iframe').locator('h1').waitFor();
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('There is no frame');
  return {page, frame};
}

/** Returns the ids of the processes that draw pages. */
async function listRenderers(cdp: CDPSession): Promise<readonly number[]> {
  const {processInfo} = await cdp.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({type}) => type === 'renderer').map(({id}) => id);
}

describe.skipIf(!CAN_BROWSE)('the frame of a plugin in the console (needs Chromium)', () => {
  test('has another process: a loop in it does not stop the console', async () => {
    const {page, frame} = await openPlugin();
    const cdp = await browser.newBrowserCDPSession();
    const {targetInfos} = await cdp.send('Target.getTargets');
    // Chromium lists a frame beside its page only if another process draws it.
    expect(targetInfos.map(({type, url}) => [type, new URL(url).pathname])).toContainEqual([
      'iframe',
      `/plugins/${ID}/`,
    ]);
    expect((await listRenderers(cdp)).length).toBeGreaterThanOrEqual(2);
    await frame.evaluate('void setTimeout(() => { for (;;); })');
    await page.getByRole('link', {name: 'Log'}).click();
    await page.getByRole('checkbox', {name: 'Errors only'}).waitFor();
    expect(await page.evaluate('isSecureContext && originAgentCluster')).toBe(true);
  }, 20_000);

  test('sends as many notices as it likes, and the console draws 20 of a second and counts the rest', async () => {
    const {page, frame} = await openPlugin();
    await page.evaluate(`(() => {
      window.drawn = 0;
      new MutationObserver(changes => { window.drawn += changes.flatMap(({addedNodes}) => [...addedNodes]).length; })
        .observe(document.querySelector('.notices'), {childList: true});
    })()`);
    await frame.evaluate(`(() => {
      for (let index = 0; index < ${NOTICES}; index++)
        parent.postMessage({kind: 'crewroom-notification', message: 'notice ' + index, quiet: true}, '*');
    })()`);
    await page.getByText(/ more within a second/).waitFor();
    await page.evaluate(`location.hash = '#/notifications'`);
    const texts = await page.getByRole('main').getByRole('listitem').allTextContents();
    const counted = texts.map(text => Number(/(\d+) more within/.exec(text)?.[1] ?? 1));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(NOTICES);
    expect(texts.length).toBeLessThanOrEqual(21 * 5);
    expect(Number(await page.evaluate('drawn'))).toBeLessThanOrEqual(21 * 5);
  }, 20_000);

  test('may be one of many that a flood of navigations and sounds opens: the console follows 20 of a second of each plugin', async () => {
    const startedAtMs = performance.now();
    const {page} = await openPlugin();
    await page.evaluate(`(() => {
      window.followed = 0;
      addEventListener('hashchange', () => { window.followed++; });
      const {set} = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src');
      Object.defineProperty(HTMLMediaElement.prototype, 'src', {set(url) { window.followed++; set.call(this, url); }});
    })()`);
    const plugins = [ID, OTHER, 'com.example.none', 'com.example.absent'];
    const flood = Array.from({length: REQUESTS / 2}, (_, index) => [
      ask('navigate', {pluginID: plugins[index % plugins.length]}),
      ask('play-sound', {url: 'data:audio/wav;base64,'}),
    ]);
    await Promise.all(flood.flat());
    await page.getByText(/\d+ more navigations and sounds within a second/).waitFor();
    await ask('stop-sound');
    await expect.poll(() => page.getByText(/A plugin (asked for|plays) a sound/).count()).toBe(0);
    const seconds = Math.ceil((performance.now() - startedAtMs) / 1000) + 1;
    expect(Number(await page.evaluate('followed'))).toBeLessThanOrEqual(3 * 20 * seconds);
  }, 20_000);

  test('does not keep another plugin from its page by a flood of its own', async () => {
    const {page} = await openPlugin();
    const sounds = Array.from({length: 30}, () => ask('play-sound', {url: 'data:audio/wav;base64,'}));
    await Promise.all([...sounds, ...Array.from({length: 30}, () => ask('navigate', {pluginID: ID}))]);
    await ask('navigate', {pluginID: OTHER});
    await expect.poll(() => page.evaluate('location.hash')).toBe(`#/plugins/${OTHER}`);
  }, 20_000);
});

/** Asks the program that shows the plugins, as they do. */
async function ask(what: string, body?: unknown): Promise<void> {
  const answer = await fetch(`${service.url}/api/${what}`, {method: 'POST', body: JSON.stringify(body) ?? null});
  expect(answer.status).toBe(200);
}
