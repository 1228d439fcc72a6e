import {readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {Crewroom} from '../../src/crewroom.ts';
import {findContrastViolations, findViolations} from '../support/browsers/accessibility.ts';
import type {DrivenBrowser} from '../support/browsers/browser.ts';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {keepScreenshot} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';

/** The published files: the pages need files that the build writes. */
const PUBLISHED = '../../dist/index.js';

/** All pages of the documentation, by the files of the build. */
const PAGES = readdirSync(fileURLToPath(new URL('../../dist/docs', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter(name => name.endsWith('.html'))
  .map(name => (name === 'index.html' ? '/docs' : `/docs/${name.replaceAll('\\', '/').replace('.html', '')}`))
  .sort();

const WIDTHS = [360, 1024, 1440] as const;
const THEMES = ['light', 'dark'] as const;

let crewroom: Crewroom;
let base: string;

beforeAll(async () => {
  const {openCrewroom} = (await import(PUBLISHED)) as typeof import('../../src/index.ts');
  crewroom = await openCrewroom({ephemeral: true, port: 0});
  base = `http://localhost:${(await crewroom.listen()).port}`;
});
afterAll(() => crewroom?.[Symbol.asyncDispose]());

/** Returns the name of the pictures of a page. Of the pages of failures, which have one form, only one has pictures. */
function pictureOf(path: string): string | undefined {
  if (path.startsWith('/docs/errors/') && path !== '/docs/errors/no-entry') return undefined;
  return path.slice(1).replaceAll('/', '-');
}

/** Opens a page, and waits until the explorer has rendered. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(base + path);
  if (path === '/docs/api') await page.locator('.opblock').first().waitFor();
}

/** Shows a page at each width and in each theme; those of failures, which have one form, once. @returns What is wrong with it. */
async function inspect(page: Page, path: string): Promise<readonly string[]> {
  const problems: string[] = [];
  await open(page, path);
  const picture = pictureOf(path);
  for (const theme of picture === undefined ? (['light'] as const) : THEMES) {
    await page.emulateMedia({colorScheme: theme});
    for (const width of picture === undefined ? [360] : WIDTHS) {
      await page.setViewportSize({width, height: 900});
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
        problems.push(`${path} scrolls sideways at ${width} px`);
      if (picture !== undefined) await keepScreenshot(page, `${picture}-${theme}-${width}`);
    }
    // The theme changes no other rule than that of contrasts.
    const violations = theme === 'light' ? await findViolations(page) : await findContrastViolations(page);
    problems.push(...violations.map(violation => `${path} in the theme ${theme}: ${violation}`));
  }
  return problems;
}

describe.skipIf(!CAN_BROWSE)('each page of the documentation (needs Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test('fits from 360 to 1440 px in both themes, with nothing that the rules of accessibility forbid', async () => {
    expect(PAGES.length).toBeGreaterThan(100);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const waiting = [...PAGES];
    const errors: string[] = [];
    const walk = async (): Promise<readonly string[]> => {
      const page = await context.newPage();
      page.on('console', message => message.type() === 'error' && errors.push(`${page.url()}: ${message.text()}`));
      const problems: string[] = [];
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
        problems.push(...(await inspect(page, path)));
      return problems;
    };
    const problems = await Promise.all([walk(), walk()]);
    expect([...problems.flat(), ...errors]).toEqual([]);
  }, 300_000);

  test('finds a guide with the keyboard alone', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${base}/docs/errors/no-entry`);
    await page.getByRole('searchbox').waitFor();
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
      if (path === '/docs/api')
        await expect.poll(() => tab.run('document.querySelectorAll(".opblock").length')).toBeGreaterThan(20);
      expect(await tab.run('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await tab.run('document.querySelectorAll("#contents a").length')).toBeGreaterThan(25);
      await keepScreenshot(tab, `firefox-${path.slice(1).replaceAll('/', '-')}`);
    });
  }
});
