import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Browser, BrowserContextOptions, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {manifestOf, type PluginFiles, writePlugin} from '../support/plugin-folder.ts';
import {makeTemporaryDirectory, startInTest, type TestService} from '../support/service.ts';

const ID = 'com.example.fuel';

/** A message that would be markup and a script, if it were not escaped. */
const MESSAGE = 'no <b>wind</b><img src=x onerror="window.escaped = 1">';

/** A background whose start and whose route fail, or do not. */
function background({starts, answers}: {readonly starts: boolean; readonly answers: boolean}): string {
  const fail = `throw new Error(${JSON.stringify(MESSAGE)});`;
  return `exports.onStart = () => {
    ${starts ? '' : fail}
  };
  exports.routes = {get: {fuel: {description: '', handler: (request, response) => {
    ${answers ? '' : fail}
    response.json(1);
  }}}};`;
}

/** Shows when it was loaded, and how its call was answered. */
const PAGE = `<!doctype html><title>Fuel</title><h1></h1><p></p><script type="module">
  document.querySelector('h1').textContent = performance.timeOrigin;
  const {status} = await fetch('/api/${ID}/fuel');
  document.querySelector('p').textContent = 'answered ' + status;
</script>`;

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

interface Developed {
  readonly page: Page;
  readonly folder: string;
  readonly service: TestService;
}

/** Opens the page of a plugin in development in the console. */
async function develop(files: PluginFiles, options: BrowserContextOptions = {}): Promise<Developed> {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const folder = join(home.path, 'fuel');
  await writePlugin(folder, {'plugin.json': manifestOf(ID, {name: 'Fuel'}), 'ui/index.html': PAGE, ...files});
  const service = await startInTest({devPlugins: [folder], ephemeral: true});
  const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${ID}`, ...options});
  return {page, folder, service};
}

const overlayOf = (page: Page) => page.getByRole('alert');
const frameOf = (page: Page) => page.frameLocator('iframe');

describe.skipIf(!CAN_BROWSE)('a plugin in development whose background fails,', () => {
  test('has an overlay over its page with the message as text and its place, and one click to the log', async () => {
    const {page, folder} = await develop({'background/index.js': background({starts: false, answers: true})});
    const overlay = overlayOf(page);
    await overlay.getByRole('heading', {name: 'onStart failed'}).waitFor();
    expect(await overlay.locator('pre').textContent()).toBe(`Error: ${MESSAGE}`);
    expect(await overlay.getByText('background/index.js:2').count()).toBe(1);
    expect(await page.evaluate('[document.querySelectorAll("b, img[src=x]").length, window.escaped]')).toEqual([
      0,
      undefined,
    ]);
    expect(await page.locator('.plugin-head .state').textContent()).toBe('Running, with an error');
    const entry = page.getByRole('link', {name: /Fuel/});
    expect(await entry.textContent()).toContain('Running, with an error: onStart failed: Error: no');
    await overlay.getByRole('link', {name: 'Show the log'}).click();
    await page.getByText('onStart failed: Error: no').last().waitFor();
    expect(new URL(page.url()).hash).toBe(`#/plugins/${ID}/log`);
    await page.goBack();
    await overlay.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => overlay.count()).toBe(0);
    await writeFile(join(folder, 'background/index.js'), `${background({starts: false, answers: true})}\n`);
    await overlay.waitFor();
    await writeFile(join(folder, 'background/index.js'), background({starts: true, answers: true}));
    await expect.poll(() => overlay.count(), {timeout: 20_000}).toBe(0);
    await expect.poll(() => page.locator('.plugin-head .state').textContent()).toBe('Running');
  });

  test('has an overlay with the request that failed, until the page of its changed background is answered', async () => {
    const {page, folder} = await develop({'background/index.js': background({starts: true, answers: false})});
    const overlay = overlayOf(page);
    await overlay.getByRole('heading', {name: 'GET fuel failed'}).waitFor();
    expect(await overlay.getByText(`GET /api/${ID}/fuel`).count()).toBe(1);
    await keepScreenshot(page, 'plugin-overlay-request');
    const loadedAt = await frameOf(page).locator('h1').textContent();
    await writeFile(join(folder, 'background/index.js'), background({starts: true, answers: true}));
    await frameOf(page).getByText('answered 200').waitFor();
    await expect.poll(() => overlay.count()).toBe(0);
    expect(await frameOf(page).locator('h1').textContent()).not.toBe(loadedAt);
  });

  test('is loaded again by itself once a changed background runs, and not before', async () => {
    const {page, folder} = await develop({'background/index.js': background({starts: true, answers: true})});
    await frameOf(page).getByText('answered 200').waitFor();
    const loads: string[] = [];
    page.on('request', request => {
      if (request.url().includes(`/plugins/${ID}/?`)) loads.push(request.url());
    });
    await writeFile(join(folder, 'background/index.js'), `${background({starts: true, answers: true})}\nsetTimeout`);
    await expect.poll(() => loads.length, {timeout: 20_000}).toBe(1);
    await frameOf(page).getByText('answered 200').waitFor();
    expect(loads.length).toBe(1);
  });

  test('is not built, with the error of its build, until it is', async () => {
    const files = {
      'src/background/index.ts': '',
      '.build-error': 'src/background/index.ts:3:7: Unexpected <b>\n\n3 | <b>',
    };
    const {page, folder} = await develop(files);
    const overlay = overlayOf(page);
    await overlay.getByRole('heading', {name: 'The build of the background failed'}).waitFor();
    expect(await overlay.locator('pre').textContent()).toBe('src/background/index.ts:3:7: Unexpected <b>\n\n3 | <b>');
    expect(await page.locator('.plugin-head .state').textContent()).toBe('Not built');
    await rm(join(folder, '.build-error'));
    await mkdir(join(folder, 'background'));
    await writeFile(join(folder, 'background/index.js'), background({starts: true, answers: true}));
    await frameOf(page).getByText('answered 200').waitFor();
    expect(await overlay.count()).toBe(0);
  });

  const pageErrors = [
    {name: 'throws', script: `\nthrow new TypeError(${JSON.stringify(MESSAGE)});`},
    {name: 'rejects unhandled', script: `\nPromise.reject(new TypeError(${JSON.stringify(MESSAGE)}));`},
    {name: 'throws in a listener', script: `setTimeout(() => {\nthrow new TypeError(${JSON.stringify(MESSAGE)}); });`},
  ];
  for (const {name, script} of pageErrors)
    test(`or whose page ${name}, has an overlay with message and place, until a change fixes it`, async () => {
      const html =
        '<!doctype html><html lang="fr"><head><title>Fuel</title></head><p></p><script src="main.js"></script>';
      const {page, folder, service} = await develop({'ui/index.html': html, 'ui/main.js': script});
      const overlay = overlayOf(page);
      await overlay.getByRole('heading', {name: 'The page failed'}).waitFor();
      expect(await overlay.locator('pre').textContent()).toBe(`TypeError: ${MESSAGE}`);
      expect(await overlay.locator('code').first().textContent()).toBe('main.js:2');
      expect(await page.locator('.plugin-head .state').textContent()).toBe('Page only, with an error');
      expect(await frameOf(page).locator('html').getAttribute('lang')).toBe('fr');
      const {reason} = service.crewroom.plugins.status(ID);
      expect(reason).toBe(`its page failed: TypeError: ${MESSAGE} (main.js:2)`);
      expect(service.crewroom.plugins.logs(ID).map(({text}) => text)).toEqual([reason]);
      await writeFile(join(folder, 'ui/main.js'), 'document.querySelector("p").textContent = "works"');
      await frameOf(page).getByText('works').waitFor();
      await expect.poll(() => overlay.count()).toBe(0);
      expect(await page.locator('.plugin-head .state').textContent()).toBe('Page only');
    });

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 360])
      test(`is amber in the menu, on its page and in the list: ${colorScheme}, ${width} px wide`, async () => {
        const {page, service} = await develop(
          {'background/index.js': background({starts: false, answers: true})},
          {colorScheme, viewport: {width, height: 720}},
        );
        await service.crewroom.settings.update('core', {darkMode: colorScheme === 'dark'});
        await overlayOf(page).waitFor();
        const name = `${colorScheme}-${width}`;
        await keepScreenshot(page, `plugin-overlay-${name}`);
        const isNarrow = await page.evaluate(FITS_WIDTH);
        expect(isNarrow).toBe(true);
        await page.getByRole('button', {name: 'Hide'}).click();
        await keepScreenshot(page, `plugin-error-${name}`);
        const amber = await page.evaluate(`getComputedStyle(document.querySelector('.plugin-head .state')).color`);
        await page.evaluate(`location.hash = '#/plugins'`);
        const mark = page.locator('.plugin-section .state').first();
        await mark.waitFor();
        expect(await mark.textContent()).toBe('Running, with an error');
        expect(await page.evaluate(`getComputedStyle(document.querySelector('.plugin-section .state')).color`)).toBe(
          amber,
        );
        expect(await page.evaluate(`getComputedStyle(document.querySelector('.dot')).backgroundColor`)).toBe(amber);
        await keepScreenshot(page, `plugin-list-error-${name}`);
      });
});
