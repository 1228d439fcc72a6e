import {existsSync} from 'node:fs';
import {type Browser, chromium} from 'playwright-core';

/** Where Debian puts it; `CHROMIUM_PATH` names another. */
const CHROMIUM_PATH = '/usr/bin/chromium';

/**
 * Starts a real browser.
 *
 * @throws {Error} When there is none: what a browser lets a page do cannot be tested without it.
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? CHROMIUM_PATH;
  if (!existsSync(executablePath))
    throw new Error(
      `Cannot find Chromium at ${executablePath}: install it (apt-get install chromium), or set CHROMIUM_PATH`,
    );
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
  });
}
