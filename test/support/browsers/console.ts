import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Browser, BrowserContextOptions, Page} from 'playwright-core';
import {expect, onTestFinished} from 'vitest';
import type {Tab} from './browser.ts';

/** An open console, with everything that went wrong in it. */
export interface OpenConsole {
  readonly page: Page;
  /** Failed requests, errors in the console of the browser, and uncaught errors. */
  readonly problems: readonly string[];
}

/** View and browser window of a console. */
interface ConsoleOptions extends BrowserContextOptions {
  readonly fragment?: string;
  /** Code of the owner. @default {the console only reads} */
  readonly code?: string | undefined;
  /** Script that runs before those of the page. */
  readonly script?: string;
  /** True if the test tries what the policy of the page forbids. @default {false} */
  readonly mayViolatePolicy?: boolean;
}

/** Opens the console at a fragment, for the rest of a test. Unless the test wants that, it fails if anything in it violates its policy. */
export async function openConsole(
  browser: Browser,
  url: string,
  {fragment = '', code, script = '', mayViolatePolicy = false, ...options}: ConsoleOptions = {},
): Promise<OpenConsole> {
  const context = await browser.newContext(options);
  const problems: string[] = [];
  onTestFinished(async () => {
    await context.close();
    const violations = problems.filter(problem => problem.includes('Content Security Policy'));
    expect(mayViolatePolicy ? [] : violations).toEqual([]);
  });
  await context.addInitScript(script);
  const page = await context.newPage();
  page.on('response', answer => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', error => problems.push(String(error)));
  await page.goto(`${consoleAddress(url)}/${code === undefined ? '' : `#code=${code}`}`);
  // As its user: in an address that is opened, a plugin is shown only after a question.
  if (fragment !== '') await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  return {page, problems};
}

/** Script that returns the theme that a console shows: `dark` or `light`. */
export const SHOWN_THEME = `getComputedStyle(document.body).backgroundColor === 'rgb(18, 23, 31)' ? 'dark' : 'light'`;

/** Returns the address of the console of a service: the one to which its page leads at any other loopback name. */
export function consoleAddress(url: string): string {
  return url.replace(/(?<=^http:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=:|$)/, 'crewroom.localhost');
}

/** Folder of the screenshots, which people look at: `test-output/`, or the one in `SCREENSHOTS_DIR`; undefined in CI, where none does. */
const SCREENSHOTS =
  process.env['SCREENSHOTS_DIR'] ??
  (process.env['CI'] === undefined
    ? fileURLToPath(new URL('../../../test-output/screenshots', import.meta.url))
    : undefined);

/** Keeps a picture of a page as output of the tests. */
export async function keepScreenshot(page: Pick<Tab, 'screenshot'>, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  await mkdir(SCREENSHOTS, {recursive: true});
  await writeFile(join(SCREENSHOTS, `${name}.png`), await page.screenshot());
}
