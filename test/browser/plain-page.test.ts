import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

/** Pages of plugins, and the ground that each of them has in a dark window. */
const PAGES = [
  {what: 'without colours', body: '<h1>Fuel</h1><p>4,500 kg</p>', ground: 'white'},
  {
    what: 'without colours, whose text comes later',
    body: '<div id="app"></div><script>setTimeout(() => {app.textContent = "4,500 kg"}, 100)</script>',
    ground: 'white',
  },
  {
    what: 'as published, with light text on a transparent body',
    body: '<style>body {background-color: transparent !important; color: #eee}</style><p>4,500 kg</p>',
    ground: 'none',
  },
  {
    what: 'with light text in its elements alone',
    body: '<h1 style="color: #fff">Fuel</h1><p style="background: #fff">4,500 kg</p>',
    ground: 'none',
  },
  {
    what: 'that follows the window',
    body: '<meta name="color-scheme" content="light dark"><p>4,500 kg</p>',
    ground: 'none',
  },
  {what: 'with a ground of its own', body: '<style>body {background: #ffd}</style><p>4,500 kg</p>', ground: 'none'},
] as const;

const idOf = (index: number): string => `com.example.page${index}`;

/** The ground that a document was given, once it is loaded. */
const GROUND = `document.readyState === 'complete' ? document.documentElement.style.background : 'not yet'`;

let browser: Browser;
let service: TestService;
usePlugins(
  async directory => {
    for (const [index, {body}] of PAGES.entries())
      await writePlugin(join(directory, idOf(index)), {'ui/index.html': `<!doctype html><title>a</title>${body}`});
  },
  started => {
    ({browser, service} = started);
  },
);

describe.skipIf(!CAN_BROWSE)('in a dark console, a page', () => {
  for (const [index, {what, ground}] of PAGES.entries())
    test(`${what} ${ground === 'white' ? 'gets the white ground that it has by itself' : 'stays as it is'}`, async () => {
      const {page} = await openConsole(browser, service.url, {
        fragment: `#/plugins/${idOf(index)}`,
        colorScheme: 'dark',
      });
      const text = page.frameLocator('iframe').getByText('4,500 kg');
      await text.waitFor();
      await expect.poll(() => text.evaluate(GROUND)).toBe(ground === 'white' ? 'rgb(255, 255, 255)' : '');
      await keepScreenshot(page, `plain-page-${index}`);
    });

  test('in a light one gets nothing', async () => {
    const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${idOf(0)}`, colorScheme: 'light'});
    const text = page.frameLocator('iframe').getByText('4,500 kg');
    await text.waitFor();
    await expect.poll(() => text.evaluate(GROUND)).toBe('');
  });
});
