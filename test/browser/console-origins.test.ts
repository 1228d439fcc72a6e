import type {Browser, Locator, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {servePages} from '../support/browsers/pages.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {callService, startInTest} from '../support/service.ts';

/** Refused origins that the service keeps. */
const REFUSED_MAX = 20;

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Opens the page of requests as the owner. */
async function openRequests(service: Awaited<ReturnType<typeof startInTest>>): Promise<Page> {
  const code = await createOwnerCode(service);
  return (await openConsole(browser, service.url, {code, fragment: '#/requests'})).page;
}

/** Shows a request of the list. Resolves when the page knows which origins were refused. */
async function show(page: Page, request: string): Promise<Locator> {
  const known = page.waitForResponse('**/api/allowed-origins');
  await page.getByRole('button', {name: request}).click();
  await (await known).finished();
  return page.getByRole('complementary');
}

describe.skipIf(!CAN_BROWSE)('a refused origin, on the page of requests of the owner', () => {
  test('may call after the owner has seen it once more, and not before', async () => {
    const service = await startInTest({ephemeral: true});
    const pages = await servePages();
    onTestFinished(() => pages[Symbol.asyncDispose]());
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const foreign = await context.newPage();
    const origin = `http://127.0.0.1:${pages.port}`;
    await foreign.goto(origin);
    const read = () =>
      foreign.evaluate(`fetch('http://localhost:${service.port}/api/identity').then(answer => answer.json(), String)`);
    expect(await read()).toMatch(/^TypeError/);
    const page = await openRequests(service);
    const detail = await show(page, 'GET /api/identity, 403');
    const dialog = page.getByRole('dialog', {name: 'Allow this origin?'});
    await detail.getByRole('button', {name: 'Allow this origin…'}).click();
    expect(await dialog.locator('code').textContent()).toBe(origin);
    await keepScreenshot(page, 'requests-allow');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await read()).toMatch(/^TypeError/);
    await detail.getByRole('button', {name: 'Allow this origin…'}).click();
    await dialog.getByRole('button', {name: 'Allow', exact: true}).click();
    await detail.getByText('Pages of this origin may call the service now.').waitFor();
    expect(await read()).toHaveProperty('va_user');
  });

  test('is shown in full however long it is, at 360 px', async () => {
    const service = await startInTest({ephemeral: true});
    const origin = `https://localhost.${`${'long'.repeat(15)}.`.repeat(3)}example:8443`;
    await callService(service, 'GET /api/identity', {headers: [`Origin: ${origin}`]});
    const page = await openRequests(service);
    await page.setViewportSize({width: 360, height: 740});
    const detail = await show(page, 'GET /api/identity, 403');
    await detail.getByRole('button', {name: 'Allow this origin…'}).click();
    const shown = page.getByRole('dialog').locator('code');
    expect(await shown.textContent()).toBe(origin);
    await keepScreenshot(page, 'requests-allow-360');
    // Nothing of it is cut off: its end is what counts.
    expect(await shown.evaluate(element => element.scrollWidth <= element.clientWidth)).toBe(true);
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
  });

  test('can be allowed if it is one of the last 20, and never if it is null', async () => {
    const service = await startInTest({ephemeral: true});
    for (let index = 0; index <= REFUSED_MAX; index++)
      await callService(service, `GET /api/store/${index}`, {headers: [`Origin: http://site-${index}.example`]});
    await callService(service, 'GET /api/store/null', {headers: ['Origin: null']});
    const page = await openRequests(service);
    const allowed = [];
    for (const name of ['0', '1', '20', 'null']) {
      const detail = await show(page, `GET /api/store/${name}, 403`);
      await detail.getByText('foreign-page').waitFor();
      if ((await detail.getByRole('button', {name: 'Allow this origin…'}).count()) > 0) allowed.push(name);
      await page.keyboard.press('Escape');
    }
    expect(allowed).toEqual(['1', '20']);
  });
});
