import {readFile} from 'node:fs/promises';
import type {Browser, Page} from 'playwright-core';

/** Memory of a page, in bytes. */
export interface PageMemory {
  /** Memory of the objects of its scripts. */
  readonly scriptBytes: number;
  /** Private memory of its process: scripts, document, styles and pictures. Undefined on systems without `/proc`. */
  readonly processBytes: number | undefined;
}

/** Reads the memory of a page after a garbage collection. The browser must have no other page that takes more. */
export async function readPageMemory(browser: Browser, page: Page): Promise<PageMemory> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const {usedSize} = await session.send('Runtime.getHeapUsage');
  const {processInfo} = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  // No command names the process of a page, and a browser keeps empty ones for later pages.
  const sizes = await Promise.all(
    processInfo.filter(({type}) => type === 'renderer').map(({id}) => readPrivateBytes(id)),
  );
  return {scriptBytes: usedSize, processBytes: process.platform === 'linux' ? Math.max(...sizes) : undefined};
}

/** Reads how much memory a process shares with no other, in bytes; 0 if it has ended. */
async function readPrivateBytes(processId: number): Promise<number> {
  const rollup = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8').catch(() => '');
  const sizes = Array.from(rollup.matchAll(/^Private_(?:Clean|Dirty): +([0-9]+) kB$/gm), match => Number(match[1]));
  return sizes.reduce((sum, size) => sum + size, 0) * 1024;
}
