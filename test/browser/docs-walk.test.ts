import {readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {Crewroom} from '../../src/app/crewroom.ts';
import {findViolations, RULES} from '../support/browsers/accessibility.ts';
import type {DrivenBrowser} from '../support/browsers/browser.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {FITS_WIDTH, type Walker, walkWith} from '../support/browsers/walk.ts';

/** The published files: the pages need files that the build writes. */
const PUBLISHED = '../../dist/app/index.js';

/** All pages of the documentation, by the files of the build. */
const PAGES = readdirSync(fileURLToPath(new URL('../../dist/docs', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter(name => name.endsWith('.html'))
  .map(name => (name === 'index.html' ? '/docs' : `/docs/${name.replaceAll('\\', '/').replace('.html', '')}`))
  .sort();

let crewroom: Crewroom;
let base: string;

beforeAll(async () => {
  const {openCrewroom} = (await import(PUBLISHED)) as typeof import('../../src/app/index.ts');
  crewroom = await openCrewroom({store: 'memory', port: 0});
  base = `http://localhost:${(await crewroom.listen()).port}`;
});
afterAll(() => crewroom?.[Symbol.asyncDispose]());

/** Opens a page, waits until the explorer has rendered, and looks at it. Of the pages of failures, which have one form, only one is looked at in full. */
async function inspect({page, look, glance}: Walker, path: string): Promise<readonly string[]> {
  await page.goto(base + path);
  if (path === '/docs/api') await page.locator('.opblock').first().waitFor();
  const hasFormOfAnother = path.startsWith('/docs/errors/') && path !== '/docs/errors/no-entry';
  return hasFormOfAnother ? glance(path.slice(1)) : look(path.slice(1));
}

describe.skipIf(!CAN_BROWSE)('each page of the documentation (needs Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchShell();
  });
  afterAll(() => browser?.close());

  test('fits from 360 to 1440 px in both themes, with nothing that the rules of accessibility forbid', async () => {
    expect(PAGES.length).toBeGreaterThan(100);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    await context.addInitScript(RULES);
    const waiting = [...PAGES];
    const errors: string[] = [];
    const walk = async (): Promise<readonly string[]> => {
      const page = await context.newPage();
      page.on('console', message => message.type() === 'error' && errors.push(`${page.url()}: ${message.text()}`));
      const walker = await walkWith(page);
      const problems: string[] = [];
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
        problems.push(...(await inspect(walker, path)));
      return problems;
    };
    const problems = await Promise.all([walk(), walk()]);
    expect([...problems.flat(), ...errors]).toEqual([]);
  }, 300_000);

  test('finds a guide with the keyboard alone', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${base}/docs/errors/no-entry`);
    await page.locator('[aria-keyshortcuts="/"]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('how do I run it in docker');
    const found = page.locator('.found a');
    await expect.poll(() => found.allTextContents().then(texts => texts[0])).toMatch(/^Containers/);
    await keepScreenshot(page, 'docs-search');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guides/containers*');
    await page.getByRole('heading', {name: 'Containers', level: 1}).waitFor();
  });

  test('copies the lines of a block of code', async () => {
    const context = await browser.newContext({permissions: ['clipboard-read', 'clipboard-write']});
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${base}/docs/guides/sign-in`);
    const block = page.locator('.code').first();
    await block.getByRole('button', {name: 'Copy'}).click();
    await block.getByRole('button', {name: 'Copied'}).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe((await block.locator('pre').textContent())?.trimEnd());
    await keepScreenshot(page, 'docs-copy');
  });

  test('says so if the search cannot be loaded, and loads it with the next letter', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.route('**/docs/search.json', route => route.fulfill({status: 503, body: ''}));
    await page.goto(`${base}/docs`);
    await page.getByRole('searchbox').pressSequentially('docke');
    await page.getByText('The search could not be loaded').waitFor();
    await page.unroute('**/docs/search.json');
    await page.getByRole('searchbox').pressSequentially('r');
    await page.locator('.found a').first().waitFor();
  });

  test('says so if the search finds nothing, and closes with Escape', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${base}/docs`);
    await page.getByRole('searchbox').fill('xylophone');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.found').textContent()).toBe('');
  });
});

describe.skipIf(!CAN_BROWSE_FIREFOX)('pages of the documentation in Firefox', () => {
  let firefox: DrivenBrowser;
  beforeAll(async () => {
    firefox = await driveFirefox();
  });
  afterAll(() => firefox?.[Symbol.asyncDispose]());

  for (const path of ['/docs', '/docs/api', '/docs/http-api', '/docs/guides/first-plugin', '/docs/errors/no-entry']) {
    test(`${path} fits, and has the search and the contents`, async () => {
      const tab = await firefox.newTab();
      onTestFinished(() => tab.close());
      await tab.open(base + path);
      await expect.poll(() => tab.run('document.querySelector("search").hidden')).toBe(false);
      const operations = path === '/docs/api' ? 20 : -1;
      await expect.poll(() => tab.run('document.querySelectorAll(".opblock").length')).toBeGreaterThan(operations);
      expect(await tab.run(FITS_WIDTH)).toBe(true);
      expect(await tab.run('document.querySelectorAll("#contents a").length')).toBeGreaterThan(25);
      await keepScreenshot(tab, `firefox-${path.slice(1).replaceAll('/', '-')}`);
    });
  }
});
