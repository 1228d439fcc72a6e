import type {CDPSession, Page} from 'playwright-core';
import {findContrastViolations, findViolations} from './accessibility.ts';
import {keepScreenshot} from './console.ts';

/** Widths at which pages are looked at, in pixels. The narrowest is that of a telephone. */
const WIDTHS = [360, 1024, 1440] as const;
const THEMES = ['light', 'dark'] as const;

/** A page of Chromium that walks through pages and looks at each. */
export interface Walker {
  readonly page: Page;
  /**
   * Looks at the page that is shown, at each width and in each theme, keeps a picture of each, and examines it with the rules of accessibility.
   *
   * @param name Name of the page, also of its pictures.
   * @returns What is wrong with it.
   */
  look(name: string): Promise<readonly string[]>;
  /** Looks at a page that has the form of another one: at the narrowest width, in one theme, without a picture. @returns What is wrong with it. */
  glance(name: string): Promise<readonly string[]>;
}

/** Makes a walker of a page. */
export async function walkWith(page: Page): Promise<Walker> {
  const session = await page.context().newCDPSession(page);
  return {
    page,
    async look(name) {
      const problems: string[] = [];
      for (const theme of THEMES) {
        await page.emulateMedia({colorScheme: theme});
        // Plots are drawn again in the next frame.
        await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
        for (const width of WIDTHS) {
          await page.setViewportSize({width, height: 900});
          if (await isTooWide(page)) problems.push(`${name} scrolls sideways at ${width} px`);
          await keepScreenshot({screenshot: () => capture(session)}, `${name.replaceAll('/', '-')}-${theme}-${width}`);
        }
      }
      // The theme changes no other rule than that of contrasts.
      const dark = await findViolationsOf(page, findContrastViolations, 'dark');
      const light = await findViolationsOf(page, findViolations, 'light');
      return [...problems, ...[...dark, ...light].map(violation => `${name} ${violation}`)];
    },
    async glance(name) {
      await page.setViewportSize({width: WIDTHS[0], height: 900});
      const violations = await findViolationsOf(page, findViolations, 'light');
      const problems = [...violations, ...((await isTooWide(page)) ? [`scrolls sideways at ${WIDTHS[0]} px`] : [])];
      return problems.map(problem => `${name} ${problem}`);
    },
  };
}

async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true;
}

async function findViolationsOf(
  page: Page,
  find: (page: Page) => Promise<readonly string[]>,
  theme: (typeof THEMES)[number],
): Promise<readonly string[]> {
  await page.emulateMedia({colorScheme: theme});
  return (await find(page)).map(violation => `in the theme ${theme}: ${violation}`);
}

/** Takes a picture in less than half the time that {@link Page.screenshot} takes: nothing waits for fonts, and the file is larger. */
async function capture(session: CDPSession): Promise<Uint8Array> {
  const {data} = await session.send('Page.captureScreenshot', {format: 'png', optimizeForSpeed: true});
  return Buffer.from(data, 'base64');
}
