import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Browser, BrowserContextOptions, Page} from 'playwright-core';
import {onTestFinished} from 'vitest';

/** An open console, with everything that went wrong in it. */
export interface OpenConsole {
  readonly page: Page;
  /** Failed requests, errors in the console of the browser, and uncaught errors. */
  readonly problems: readonly string[];
}

/** View and browser window of a console. */
interface ConsoleOptions extends BrowserContextOptions {
  readonly fragment?: string;
  /** Script that runs before those of the page. */
  readonly script?: string;
}

/** Opens the console at a fragment, for the rest of a test. */
export async function openConsole(
  browser: Browser,
  url: string,
  {fragment = '', script = '', ...options}: ConsoleOptions = {},
): Promise<OpenConsole> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  await context.addInitScript(script);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('response', answer => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', error => problems.push(String(error)));
  await page.goto(`${url}/${fragment}`);
  return {page, problems};
}

/** Folder of the screenshots, which people look at: `test-output/`, or the one in `SCREENSHOTS_DIR`. */
const SCREENSHOTS =
  process.env['SCREENSHOTS_DIR'] ?? fileURLToPath(new URL('../../../test-output/screenshots', import.meta.url));

/** Keeps a picture of a page as output of the tests. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, {recursive: true});
  await page.screenshot({path: join(SCREENSHOTS, `${name}.png`)});
}
