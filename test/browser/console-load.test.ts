import {gzipSync} from 'node:zlib';
import type {Browser, BrowserContextOptions, Page, Response} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {DrivenBrowser} from '../support/browsers/browser.ts';
import {CAN_BROWSE, launchChromium, launchShell} from '../support/browsers/chromium.ts';
import {consoleAddress, keepScreenshot, SHOWN_THEME} from '../support/browsers/console.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {recordFrames} from '../support/browsers/frames.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {startInTest, startService, type TestService} from '../support/service.ts';

/** Largest number of responses of a first load, those of the API among them. */
const RESPONSES_MAX = 20;

/** Paths that the overview reads every other second. */
const READ_AGAIN: ReadonlySet<string> = new Set(['/metrics', '/api/requests']);

/** Largest size of all that a first load brings, compressed with gzip, in bytes. */
const COMPRESSED_BYTES_MAX = 120_000;

let browser: Browser;
beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

/** Opens an empty page for the rest of a test. */
async function openPage(options: BrowserContextOptions = {}, opened = browser): Promise<Page> {
  const context = await opened.newContext(options);
  onTestFinished(() => context.close());
  return context.newPage();
}

/** A response, with its size when it is complete. */
interface Loaded {
  readonly path: string;
  readonly isFailed: boolean;
  /** Compressed with gzip, in bytes. */
  readonly size: Promise<number>;
}

/** Keeps what a page loads. */
function recordLoaded(page: Page): readonly Loaded[] {
  const loaded: Loaded[] = [];
  page.on('response', response => {
    loaded.push({
      path: new URL(response.url()).pathname,
      isFailed: response.status() >= 400,
      size: compressedSize(response),
    });
  });
  return loaded;
}

async function compressedSize(response: Response): Promise<number> {
  // A stream of events has no end, and the page that leads to another one is gone before it could be read: it has less than 1 kB.
  const isEndless = response.url().includes('/api/events');
  const body = isEndless ? Buffer.alloc(0) : await response.body().catch(() => Buffer.alloc(0));
  return gzipSync(body).length;
}

describe.skipIf(!CAN_BROWSE)('the first load of the console in Chromium', () => {
  for (const [name, isOwner] of [
    ['a reader', false],
    ['the owner', true],
  ] as const)
    test(`at localhost brings ${name} each file once, few of them, and little`, async () => {
      const service = await startInTest();
      const page = await openPage();
      const loaded = recordLoaded(page);
      const fragment = isOwner ? `#code=${await createOwnerCode(service)}` : '';
      const startedMs = performance.now();
      await page.goto(`http://localhost:${service.port}/${fragment}`, {waitUntil: 'commit'});
      await page.getByText('Healthy').waitFor();
      const usableMs = performance.now() - startedMs;
      await page.locator('.plots canvas').nth(1).waitFor();
      const paths = loaded
        .map(({path}) => path)
        .filter((path, index, all) => !READ_AGAIN.has(path) || all.indexOf(path) === index);
      const sizes = await Promise.all(loaded.map(({size}) => size));
      const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
      const figures = `${paths.length} responses, ${(sizeBytes / 1000).toFixed(1)} kB gzipped, usable after ${usableMs.toFixed(0)} ms`;
      console.log(`First load for ${name}: ${figures}`);
      // `localhost` leads to the console's own name, without a page between.
      expect(paths.filter(path => path === '/livez' || path.includes('entrance'))).toEqual([]);
      expect(paths.filter((path, index) => path !== '/' && paths.indexOf(path) !== index)).toEqual([]);
      expect(loaded.filter(({isFailed}) => isFailed)).toEqual([]);
      expect(paths.length).toBeLessThanOrEqual(RESPONSES_MAX);
      expect(sizeBytes).toBeLessThanOrEqual(COMPRESSED_BYTES_MAX);
      expect(new URL(page.url()).origin).toBe(consoleAddress(service.url));
    });
});

describe.skipIf(!CAN_BROWSE)('the console at 127.0.0.1', () => {
  test('leads to its own name if that answers, with the fragment', async () => {
    const service = await startInTest({ephemeral: true});
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${service.port}/#/plugins`);
    await page.getByText('No plugins yet').waitFor();
    expect(page.url()).toBe(`${consoleAddress(service.url)}/#/plugins`);
  });
});

describe.skipIf(!CAN_BROWSE)('the console in a browser that knows no name below localhost', () => {
  test('begins once its styles are there', async () => {
    const service = await startInTest({ephemeral: true});
    const page = await openPage();
    const asked: string[] = [];
    page.on('request', request => asked.push(new URL(request.url()).pathname));
    await page.route('**/livez', route => route.abort());
    const scripts: string[] = [];
    await page.route('**/console/assets/console-*.css', async route => {
      const response = await route.fetch();
      scripts.push(...asked.filter(path => /assets\/console-.*\.js$/.test(path)));
      await route.fulfill({response});
    });
    await page.goto(`http://127.0.0.1:${service.port}/`);
    await page.getByText('Healthy').waitFor();
    expect(asked.filter(path => /assets\/console-.*\.(?:css|js)$/.test(path))).toHaveLength(2);
    expect(scripts).toEqual([]);
  });

  test('says so if it cannot be loaded, and has a link that tries again', async () => {
    const service = await startInTest({ephemeral: true});
    const page = await openPage();
    await page.route('**/livez', route => route.abort());
    await page.route('**/console/index.html', route => route.abort());
    await page.goto(`http://127.0.0.1:${service.port}/`);
    await page.getByText('The console could not be loaded').waitFor();
    await page.unroute('**/console/index.html');
    await page.getByRole('link', {name: 'Try again'}).click();
    await page.getByText('Healthy').waitFor();
  });
});

/** Each theme of the system with a choice of the user, and what the console shows. */
const THEMES = [
  {system: 'dark', settings: {}, shown: 'dark'},
  {system: 'light', settings: {}, shown: 'light'},
  {system: 'light', settings: {darkMode: true}, shown: 'dark'},
  {system: 'dark', settings: {darkWithSystem: false}, shown: 'light'},
] as const;

describe.skipIf(!CAN_BROWSE)('the theme of the console in Chromium', () => {
  // A dark theme that is emulated reaches a new process now and then after its first paint.
  let darkBrowser: Browser;
  beforeAll(async () => {
    darkBrowser = await launchChromium('--force-dark-mode');
  });
  afterAll(() => darkBrowser?.close());

  for (const {system, settings, shown} of THEMES)
    test(`is ${shown} from the first paint on, with a ${system} system and the settings ${JSON.stringify(settings)}`, async () => {
      const service = await startInTest({ephemeral: true});
      await service.crewroom.settings.update('core', settings);
      const page = await openPage({colorScheme: null}, system === 'dark' ? darkBrowser : browser);
      // The browser shows the page before until the next one is painted.
      await page.goto(`data:text/html,<body bgcolor="${shown === 'dark' ? 'black' : 'white'}">`);
      const frames = await recordFrames(page);
      // Where another page leads to it.
      await page.goto(`http://127.0.0.1:${service.port}/`);
      await page.getByText('Healthy').waitFor();
      expect(await page.evaluate(SHOWN_THEME)).toBe(shown);
      const corners = await frames.readCorners();
      expect(corners.length).toBeGreaterThan(1);
      expect(corners.filter(({brightness}) => brightness > 0.5 !== (shown === 'light'))).toEqual([]);
    });

  test('is one choice of three: that of the system, light, or dark', async () => {
    const service = await startInTest({ephemeral: true});
    const page = await openPage({colorScheme: 'light'});
    await page.goto(`${consoleAddress(service.url)}/`);
    const theme = page.getByLabel('Theme');
    const shown = (): Promise<unknown> => page.evaluate(SHOWN_THEME);
    await theme.waitFor();
    expect([await theme.inputValue(), await shown()]).toEqual(['light dark', 'light']);
    await page.emulateMedia({colorScheme: 'dark'});
    await expect.poll(shown).toBe('dark');
    await theme.selectOption('Light');
    await expect.poll(shown).toBe('light');
    await page.emulateMedia({colorScheme: 'light'});
    await theme.selectOption('Dark');
    await expect.poll(shown).toBe('dark');
    await page.reload();
    await expect.poll(() => theme.inputValue()).toBe('dark');
    await theme.selectOption('System');
    await expect.poll(shown).toBe('light');
    await page.emulateMedia({colorScheme: 'dark'});
    await expect.poll(shown).toBe('dark');
  });
});

describe.skipIf(!CAN_BROWSE_FIREFOX)('the theme of the console in Firefox (needs firefox-esr)', () => {
  let firefox: DrivenBrowser;
  let service: TestService;
  beforeAll(async () => {
    [firefox, service] = await Promise.all([driveFirefox(), startService({ephemeral: true})]);
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  test('is the chosen one, and its scroll bars are dark', async () => {
    await service.crewroom.settings.update('core', {darkMode: true});
    const tab = await firefox.newTab();
    await tab.open(`${consoleAddress(service.url)}/`);
    expect(await tab.run(SHOWN_THEME)).toBe('dark');
    await expect.poll(() => tab.run('document.body.innerText')).toContain('Healthy');
    const content = `document.querySelector('.content')`;
    // Once the next steps are there.
    await expect.poll(() => tab.run(`${content}.scrollHeight > ${content}.clientHeight`)).toBe(true);
    expect(await tab.run(`getComputedStyle(${content}).scrollbarColor`)).toMatch(/^rgb\(79, 94, 115\)/);
    await keepScreenshot(tab, 'firefox-dark');
  });
});
