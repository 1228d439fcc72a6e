import {existsSync} from 'node:fs';
import {type Browser, chromium} from 'playwright-core';

/** Where Debian puts it; `CHROMIUM_PATH` names another. */
const CHROMIUM_PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/**
 * Whether what a browser lets a page do can be tested here. Where everything has to be (`CI` is set), a
 * missing browser is a failure and not a test less.
 */
export const CAN_BROWSE = existsSync(CHROMIUM_PATH) || process.env['CI'] !== undefined;

/**
 * Starts a real browser.
 *
 * @throws {Error} When there is none.
 */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM_PATH))
    throw new Error(`Cannot find Chromium at ${CHROMIUM_PATH}: install it, or set CHROMIUM_PATH`);
  return chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
  });
}
