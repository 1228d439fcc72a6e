import type {CDPSession, Page} from 'playwright-core';
import {findViolations} from './accessibility.ts';
import {keepScreenshot} from './console.ts';

/** Widths at which pages are looked at, in pixels. The narrowest is that of a telephone. */
const WIDTHS = [360, 1024, 1440] as const;
const THEMES = ['light', 'dark'] as const;

/** Says in a browser whether a page, and the region of the console that scrolls by itself, need no more than their width. */
export const FITS_WIDTH =
  "[document.documentElement, ...document.querySelectorAll('.content')].every(each => each.scrollWidth <= each.clientWidth)";

/** Finds what is chosen or wrong, and told by nothing that forced colours leave; that nothing is, if the page has none of them. */
export const FIND_UNMARKED = `(() => {
  const marked = [...document.querySelectorAll(
    '[aria-current], [aria-pressed=true], [aria-selected=true], [data-active=true], [data-selected=true], .dot, .note, .banner, .state')]
    .filter(each => each.checkVisibility({visibilityProperty: true}) && !each.matches('li'));
  if (marked.length === 0) return ['nothing is chosen or wrong'];
  return marked
    .filter(each => getComputedStyle(each).outlineStyle === 'none' && getComputedStyle(each).borderTopStyle === 'none')
    .map(each => each.outerHTML.slice(0, 90));
})()`;

/** A page of Chromium that walks through pages and looks at each. */
export interface Walker {
  readonly page: Page;
  /**
   * Looks at the page that is shown, at each width and in each theme, keeps a picture of each, and examines it with the rules of accessibility, at
   * the narrowest and the widest.
   *
   * @param name Name of the page, also of its pictures.
   * @returns What is wrong with it.
   */
  look(name: string): Promise<readonly string[]>;
  /** Looks at a page that has the form of another one: at the narrowest width, in both themes, without a picture. @returns What is wrong with it. */
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
          // The one in between shows nothing that neither the narrowest nor the widest has.
          if (width !== WIDTHS[1]) problems.push(...(await examine(page, {name, theme, width})));
        }
      }
      return problems;
    },
    async glance(name) {
      const [width] = WIDTHS;
      await page.setViewportSize({width, height: 900});
      const problems = (await isTooWide(page)) ? [`${name} scrolls sideways at ${width} px`] : [];
      for (const theme of THEMES) {
        await page.emulateMedia({colorScheme: theme});
        problems.push(...(await examine(page, {name, theme, width})));
      }
      return problems;
    },
  };
}

interface Look {
  readonly name: string;
  readonly theme: (typeof THEMES)[number];
  readonly width: number;
}

/** Examines what a page shows with the rules of accessibility. */
async function examine(page: Page, {name, theme, width}: Look): Promise<readonly string[]> {
  const violations = await findViolations(page);
  return violations.map(violation => `${name} in the theme ${theme} at ${width} px: ${violation}`);
}

async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate(FITS_WIDTH)) === false;
}

/** Takes a picture in less than half the time that {@link Page.screenshot} takes: nothing waits for fonts, and the file is larger. */
async function capture(session: CDPSession): Promise<Uint8Array> {
  const {data} = await session.send('Page.captureScreenshot', {format: 'png', optimizeForSpeed: true});
  return Buffer.from(data, 'base64');
}
