import {existsSync} from 'node:fs';
import {type Browser, chromium, type Page} from 'playwright-core';
import {type DrivenBrowser, OTHER_NAME, type Tab} from './browser.ts';

/** Path of Debian's package; `CHROMIUM_PATH` overrides it. */
const CHROMIUM_PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Path of Debian's package of the same version without windows, which takes two thirds of the time. */
const SHELL_PATH = '/usr/bin/chromium-headless-shell';

/** True if Chromium is available. With `CI` set a missing browser is a failure, not a skipped test. */
export const CAN_BROWSE = existsSync(CHROMIUM_PATH) || process.env['CI'] !== undefined;

/**
 * Starts the browser that people have, for what a browser decides: who may call, which windows know each other, what is kept.
 *
 * @param flags Further flags of its command line.
 * @throws {Error} If there is none.
 */
export async function launchChromium(...flags: readonly string[]): Promise<Browser> {
  if (!existsSync(CHROMIUM_PATH))
    throw new Error(`Cannot find Chromium at ${CHROMIUM_PATH}: install it, or set CHROMIUM_PATH`);
  return launch(CHROMIUM_PATH, flags);
}

/** Starts the same without windows, or {@link launchChromium} where that is not installed, for what our own pages show and do. */
export async function launchShell(...flags: readonly string[]): Promise<Browser> {
  return existsSync(SHELL_PATH) ? launch(SHELL_PATH, flags) : launchChromium(...flags);
}

function launch(executablePath: string, flags: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run', ...flags],
  });
}

/** Starts Chromium for tests that every browser must pass. */
export async function driveChromium(): Promise<DrivenBrowser> {
  const browser = await launchChromium(`--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`);
  const context = await browser.newContext();
  return {
    newTab: async () => toTab(await context.newPage()),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function toTab(page: Page): Tab {
  return {
    // Refused addresses count as loaded too; the content of the page shows what was not loaded at all.
    open: async url => void (await page.goto(url).catch(() => {})),
    reload: async () => void (await page.reload()),
    run: script => page.evaluate(`(async () => (${script}))()`),
    async openWindow(url, act = `window.opened = window.open(${JSON.stringify(url)})`) {
      const [opened] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void (${act})`)]);
      await opened.waitForLoadState();
      return toTab(opened);
    },
    screenshot: () => page.screenshot(),
    close: () => page.close(),
  };
}
