import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {startPlay} from '../cli/play.ts';
import {findViolations} from '../support/browsers/accessibility.ts';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';

const PATIENCE = {timeout: 15_000};

/** The windows that people have: a screen and a phone. */
const WIDTHS = [1280, 360] as const;

/** The marks of the steps: their numbers, or ticks. */
const MARKS = `[...document.querySelectorAll('.play-mark > [aria-hidden]')].map(mark => mark.textContent).join('')`;

describe.skipIf(!CAN_BROWSE)('crewroom play in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchShell();
  });
  afterAll(() => browser?.close());

  async function openPage(url: string, colorScheme: 'light' | 'dark', width: number): Promise<Page> {
    const context = await browser.newContext({colorScheme, viewport: {width, height: 720}});
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  test('ticks five steps as they are done, also after a reload, until they are closed', async () => {
    const {owned} = await startPlay();
    const page = await openPage(owned, 'light', 1280);
    const marks = (): Promise<unknown> => page.evaluate(MARKS);
    await expect.poll(marks, PATIENCE).toBe('12345');
    await page.getByRole('link', {name: 'the logbook'}).click();
    await expect.poll(marks, PATIENCE).toBe('✓2345');
    const frame = page.frameLocator('iframe');
    await frame.getByText('No flights yet').waitFor();
    await keepScreenshot(page, 'play-empty-light-1280');
    await frame.getByLabel('From').fill('eddf');
    await frame.getByLabel('To').fill('LPMA');
    await frame.getByRole('button', {name: 'Add flight'}).click();
    await frame.getByRole('cell', {name: 'EDDF'}).waitFor();
    await expect.poll(marks, PATIENCE).toBe('✓✓345');
    await page.getByRole('link', {name: 'what it stored'}).click();
    await expect.poll(marks, PATIENCE).toBe('✓✓✓45');
    await page.reload();
    await expect.poll(marks, PATIENCE).toBe('✓✓✓45');
    await page.getByRole('link', {name: 'the flight', exact: true}).click();
    await expect.poll(marks, PATIENCE).toBe('✓✓✓✓5');
    await page.getByRole('link', {name: 'something fail'}).click();
    await page
      .getByRole('button', {name: /Switch (it )?on/})
      .first()
      .click();
    await expect.poll(marks, PATIENCE).toBe('✓✓✓✓✓');
    expect(await page.locator('.play .command code').textContent()).toBe('crewroom plugin new my-plugin');
    await keepScreenshot(page, 'play-done');
    expect(await findViolations(page)).toEqual([]);
    await page.locator('.play').getByRole('button', {name: 'Close'}).click();
    await expect.poll(marks, PATIENCE).toBe('');
    await page.reload();
    await page.getByRole('heading', {level: 1}).waitFor();
    expect(await marks()).toBe('');
  }, 90_000);

  test('has one list of steps, and after a sign-out a way back in, from each page', async () => {
    const {owned} = await startPlay();
    const page = await openPage(owned, 'light', 1280);
    const signOut = page.getByRole('button', {name: 'Sign out'});
    await signOut.click();
    expect(await page.getByRole('heading', {name: 'Next steps'}).count()).toBe(0);
    await page.getByText(/Ada is there to try it: number 42, password crew-/).waitFor();
    await keepScreenshot(page, 'play-signed-out');
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate(`location.hash = '#/identity'`);
    await page.getByText('No pilot is signed in: plugins get a failure').waitFor();
    for (const link of ['overview', 'sign in']) {
      await page.evaluate(`location.hash = '#/identity'`);
      await page.getByRole('link', {name: link, exact: true}).click();
      await page.getByRole('button', {name: 'Sign in as Ada'}).waitFor();
    }
    await page.getByRole('button', {name: 'Sign in as Ada'}).click();
    await signOut.waitFor();
    await page.getByRole('heading', {name: 'Welcome, Ada'}).waitFor();
  }, 60_000);

  test('fits light and dark, wide and narrow', async () => {
    const {owned, port} = await startPlay();
    const flights = `http://localhost:${port}/api/com.example.logbook/flights`;
    for (const darkMode of [false, true]) {
      const body = JSON.stringify({darkMode});
      await fetch(`http://localhost:${port}/api/settings/core`, {method: 'PUT', body});
      for (const width of WIDTHS) {
        const theme = darkMode ? 'dark' : 'light';
        const page = await openPage(owned.replace(/code=[^/]*\//, '/'), theme, width);
        await expect.poll(() => page.evaluate(MARKS), PATIENCE).toMatch(/^1/);
        await page.locator('.plugin-card').waitFor();
        await keepScreenshot(page, `play-home-${theme}-${width}`);
        expect(await page.evaluate(FITS_WIDTH)).toBe(true);
        expect(await findViolations(page)).toEqual([]);
        await page.evaluate(`location.hash = '#/plugins/com.example.logbook'`);
        const frame = page.frameLocator('iframe');
        await frame.getByRole('heading', {name: 'Logbook'}).waitFor();
        await expect
          .poll(() => page.frames()[1]?.evaluate(`document.querySelector('#pilot').textContent`), PATIENCE)
          .not.toBe('');
        await keepScreenshot(page, `play-logbook-${theme}-${width}`);
        expect(await page.frames()[1]?.evaluate(FITS_WIDTH)).toBe(true);
        const headers = {'Content-Type': 'application/json'};
        await fetch(flights, {method: 'POST', headers, body: JSON.stringify({from: 'EDDF', to: 'LPMA'})});
      }
    }
  }, 90_000);
});

describe.skipIf(!CAN_BROWSE_FIREFOX)('crewroom play in Firefox', () => {
  let browser: DrivenBrowser;
  beforeAll(async () => {
    browser = await driveFirefox();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  test('shows the steps, the empty logbook, and both in the dark', async () => {
    const {owned, port} = await startPlay();
    const tab: Tab = await browser.newTab();
    await tab.open(owned);
    await expect.poll(() => tab.run(MARKS), PATIENCE).toBe('12345');
    await keepScreenshot(tab, 'firefox-play');
    await tab.run(`void document.querySelector('.play a').click()`);
    await expect.poll(() => tab.run(MARKS), PATIENCE).toBe('✓2345');
    await fetch(`http://localhost:${port}/api/settings/core`, {method: 'PUT', body: '{"darkMode": true}'});
    const background = `getComputedStyle(document.body).backgroundColor`;
    await expect.poll(() => tab.run(background), PATIENCE).toBe('rgb(18, 23, 31)');
    const [, label = ''] =
      /"label":"([^"]+)"/.exec(await (await fetch(`http://localhost:${port}/api/plugins`)).text()) ?? [];
    const page: Tab = await browser.newTab();
    await page.open(`http://${label}.crewroom.localhost:${port}/plugins/com.example.logbook/?darkmode=true`);
    // It asks first, since no page of the service led to it.
    await page.run(`void document.querySelector('button')?.click()`);
    await expect.poll(() => page.run(`document.querySelector('#empty')?.checkVisibility()`), PATIENCE).toBe(true);
    expect(await page.run(`getComputedStyle(document.querySelector('main')).color`)).toBe('rgb(241, 244, 247)');
    await keepScreenshot(page, 'firefox-play-empty');
  }, 60_000);
});
