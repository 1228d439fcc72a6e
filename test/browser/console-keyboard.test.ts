import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {press, type} from '../support/browsers/keyboard.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

const ID = 'com.example.radio';

const BACKGROUND = `
console.log('ready');
exports.routes = {get: {say: {description: 'Repeats', handler: (req, res) => res.json({said: req.query.text ?? null})}}};`;

const SETTINGS = {callsign: {name: 'Callsign', type: 'string', default: 'Crewroom', settingType: 'user'}};

/** Keeps the names of all animations, transitions and smooth scrolling of a page in \`moved\`. */
const WATCH_MOTION = `window.moved = [];
for (const kind of ['animationstart', 'transitionrun'])
  addEventListener(kind, event => moved.push(kind + ' ' + (event.animationName ?? event.propertyName)), true);
for (const name of ['scrollTo', 'scrollBy', 'scrollIntoView']) {
  const scroll = Element.prototype[name];
  Element.prototype[name] = function (...options) {
    if (options[0]?.behavior === 'smooth') moved.push(name);
    return scroll.apply(this, options);
  };
}`;

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Radio', availableSettings: SETTINGS}),
      'ui/index.html': '<!doctype html><title>Radio</title><button>Tune</button>',
      'background/index.js': BACKGROUND,
    }),
  started => {
    ({browser, service} = started);
    return service.crewroom.entries.put('radio/volume', 1);
  },
);

interface Use {
  /** Link in the menu. */
  readonly link: string;
  readonly heading: string | RegExp;
  /** Does what the page is for. */
  readonly use: (page: Page) => Promise<void>;
}

/** Each page with what a user does there. The keys alone are used. */
const USES: readonly Use[] = [
  {
    link: 'Overview',
    heading: 'Welcome, Ada',
    use: async page => {
      // They come last, above what has the focus, and move it.
      await page.getByRole('heading', {name: 'Next steps'}).waitFor();
      await press(page, page.locator('summary', {hasText: 'Limits'}));
      await page.getByRole('row', {name: 'Largest value'}).waitFor();
    },
  },
  {
    link: 'Radio',
    heading: 'Radio',
    use: async page => {
      await page.frameLocator('iframe').getByRole('button', {name: 'Tune'}).waitFor();
      await press(page, page.locator('.tabs a').last(), 'Tab');
      await page.frameLocator('iframe').locator('button:focus').waitFor();
      await press(page, page.getByRole('link', {name: 'Settings', exact: true}).first());
      await type(page, page.getByLabel('Callsign'), 'Tower');
      await page.keyboard.press('Enter');
      await page.getByText('Saved', {exact: true}).waitFor();
      await press(page, page.getByRole('link', {name: 'Log', exact: true}));
      await page.getByText('ready').waitFor();
    },
  },
  {
    link: 'Identity',
    heading: 'Identity',
    use: async page => {
      await press(page, page.getByRole('button', {name: 'Serve first-officer'}));
      await page.locator('.pilots li[data-current="true"]', {hasText: 'first-officer'}).waitFor();
      await press(page, page.getByRole('button', {name: 'Serve captain'}));
      await page.locator('.pilots li[data-current="true"]', {hasText: 'captain'}).waitFor();
    },
  },
  {
    link: 'Entries',
    heading: 'Entries',
    use: async page => {
      await page.keyboard.press('/');
      await page.keyboard.type('radio/');
      await page.getByTitle('radio/volume', {exact: true}).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const value = page.getByRole('textbox', {name: 'Value', exact: true});
      await type(page, value, '[0.5]');
      await page.keyboard.press('Control+s');
      await page.getByText('Saved', {exact: true}).waitFor();
      await page.keyboard.press('Escape');
      await press(page, page.getByRole('button', {name: 'Export…'}));
      await page.getByRole('dialog', {name: 'Export entries'}).waitFor();
      const exported = page.waitForEvent('download');
      await press(page, page.getByRole('button', {name: 'Export', exact: true}));
      await exported;
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    },
  },
  {
    link: 'Events',
    heading: 'Events',
    use: async page => {
      const list = page.getByRole('region', {name: 'List of events'});
      await list.getByText('radio/volume').first().waitFor();
      await press(page, list, 'ArrowUp');
      await page.keyboard.press('Enter');
      await page.getByRole('complementary').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    },
  },
  {
    link: 'Requests',
    heading: 'Requests',
    use: async page => {
      const path = '/api/keys?prefix=keyboard';
      await (await fetch(service.url + path)).text();
      const list = page.getByRole('region', {name: 'List of requests'});
      const line = list.getByRole('button', {name: `GET ${path}, 200`});
      await line.waitFor();
      await press(page, list, 'ArrowUp');
      // Those of the console may come after it, some of which it does not send again.
      while ((await line.and(page.locator(':focus')).count()) === 0) await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await press(page, page.getByRole('complementary').getByRole('button', {name: 'Send again'}));
      await page.getByRole('complementary').getByText('200', {exact: true}).first().waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    },
  },
  {
    link: 'Plugins',
    heading: 'Plugins',
    use: async page => {
      await press(page, page.locator('summary', {hasText: '1 route'}));
      await press(page, page.getByRole('button', {name: 'Try GET say'}));
      await type(page, page.getByLabel('Query'), 'text=fog');
      await page.keyboard.press('Enter');
      await page.getByText('{"said":"fog"}').waitFor();
    },
  },
  {
    link: 'Faults',
    heading: 'Faults',
    use: async page => {
      await type(page, page.getByLabel('Milliseconds'), '5');
      await page.keyboard.press('Enter');
      await page.locator('.fault strong', {hasText: 'Delay: 5 ms'}).waitFor();
      await press(page, page.getByRole('button', {name: 'Clear Delay: 5 ms'}));
      await page.getByText('Nothing fails on purpose.').waitFor();
    },
  },
  {
    link: 'Notifications',
    heading: 'Notifications',
    use: async page => {
      await page.getByText('No notifications since').waitFor();
    },
  },
  {
    link: 'Settings',
    heading: /Settings/,
    use: async page => {
      await press(page, page.getByLabel('Play sounds'), 'Space');
      await press(page, page.getByRole('button', {name: 'Save'}));
      await page.getByText('Saved', {exact: true}).waitFor();
      expect(await page.getByLabel('Play sounds').isChecked()).toBe(false);
      await press(page, page.getByRole('button', {name: 'Restore defaults'}));
      await expect.poll(() => page.getByLabel('Play sounds').isChecked()).toBe(true);
    },
  },
];

describe.skipIf(!CAN_BROWSE)('the console in Chromium, 360 px wide, with the keyboard and with reduced motion', () => {
  for (const {link, heading, use} of USES)
    test(`leads to ${link}, can be used there, and nothing moves`, async () => {
      const {page, problems} = await openConsole(browser, service.url, {
        code: await createOwnerCode(service),
        fragment: link === 'Overview' ? '#/identity' : '#/',
        viewport: {width: 360, height: 740},
        reducedMotion: 'reduce',
        script: WATCH_MOTION,
      });
      await press(page, page.getByRole('button', {name: 'Menu'}));
      await press(page, page.getByRole('navigation').getByRole('link', {name: link, exact: true}));
      await page.getByRole('heading', {name: heading, level: 1}).waitFor();
      await page.locator('[data-open="false"].menu').waitFor();
      await use(page);
      await keepScreenshot(page, `keyboard-${link.toLowerCase()}`);
      expect(await page.evaluate(FITS_WIDTH)).toBe(true);
      expect(await page.evaluate('moved')).toEqual([]);
      expect(await page.evaluate('document.getAnimations().map(String)')).toEqual([]);
      expect(problems).toEqual([]);
    });
});
