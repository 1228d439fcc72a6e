import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {SERVICE_PAGES} from '../../console/src/route.ts';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {FIND_UNMARKED, FITS_WIDTH, walkWith} from '../support/browsers/walk.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {callService, type TestService} from '../support/service.ts';

const ID = 'com.example.dispatch';

const SETTINGS = {
  callsign: {name: 'Callsign', type: 'string', default: 'Crewroom', settingType: 'user', required: true, order: 1},
  units: {name: 'Units', type: 'list', options: {kg: 'Kilograms', lb: 'Pounds'}, default: 'kg', settingType: 'user'},
  alerts: {name: 'Alerts', type: 'boolean', default: false, settingType: 'user'},
  server: {name: 'Server', type: 'string', default: 'none', settingType: 'user', advanced: true},
  routes: {name: 'Routes', type: 'number', default: 12, settingType: 'airline'},
};

const BACKGROUND = `
console.log('ready for departure');
exports.routes = {get: {say: {description: 'Repeats', handler: (req, res) => res.json(req.query)}}};`;

/** A key with a long part, which no line of a narrow page has space for. */
const KEY = `${ID}/flights/CRW118-EDDF-LPMA-of-the-twenty-third-of-august`;

/** Pages of the console, each with a text that it shows once it is complete. */
const PAGES: readonly (readonly [name: string, fragment: string, text: string])[] = [
  ['overview', '#/', 'Healthy'],
  ['identity', '#/identity', '"CRW0042"'],
  ['entries', '#/entries', KEY],
  ['entry', `#/entries/${encodeURIComponent(KEY)}`, 'Time to live'],
  ['events', '#/events', 'Written'],
  ['requests', '#/requests', '/api/identity'],
  ['plugins', '#/plugins', 'Running'],
  ['flight', '#/flight', 'Ground speed'],
  ['faults', '#/faults', 'Delay: 1 ms'],
  ['notifications', '#/notifications', 'No notifications since'],
  ['settings', '#/settings', 'Play sounds'],
  ['plugin', `#/plugins/${ID}`, 'Running'],
  ['plugin-settings', `#/plugins/${ID}/settings`, 'Callsign'],
  ['plugin-log', `#/plugins/${ID}/log`, 'ready for departure'],
  ['no-plugin', '#/plugins/none', 'No such plugin'],
];

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Dispatch', availableSettings: SETTINGS}),
      'ui/index.html': '<!doctype html><title>Dispatch</title><h1 style="color: gray">Dispatch</h1>',
      'background/index.js': BACKGROUND,
    }),
  async started => {
    ({browser, service} = started);
    const {crewroom} = service;
    await crewroom.entries.put(KEY, {from: 'EDDF', to: 'LPMA', fuel: {blockKg: 12450}});
    await callService(service, 'GET /api/identity');
    crewroom.flight.start();
    crewroom.faults.set([{kind: 'delay', delayMs: 1}]);
  },
);

describe.skipIf(!CAN_BROWSE)('each page of the console in Chromium', () => {
  test('is one of those that are looked at', () => {
    const looked = PAGES.map(([name]) => name);
    expect(SERVICE_PAGES.filter(page => !looked.includes(page))).toEqual([]);
  });

  test('fits from 360 to 1440 px in both themes, without a failed request, and with nothing that the rules of accessibility forbid', async () => {
    const {page, problems} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    const walker = await walkWith(page);
    const wrong: string[] = [];
    for (const [name, fragment, text] of PAGES) {
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.getByRole('main').getByText(text).first().waitFor();
      wrong.push(...(await walker.look(`console-${name}`)));
    }
    expect([...wrong, ...problems]).toEqual([]);
  }, 240_000);

  test('can be used at 320 × 256 px, as at 400 %: it scrolls one way, and each list has four rows', async () => {
    const {page, problems} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      viewport: {width: 320, height: 256},
    });
    const wrong: unknown[] = [];
    const kinds: string[] = [];
    for (const [name, fragment, text] of PAGES) {
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.getByRole('main').getByText(text).first().waitFor({state: 'attached'});
      await keepScreenshot(page, `small-${name}`);
      if ((await page.evaluate(FITS_WIDTH)) === false) wrong.push([name, 'scrolls sideways']);
      const found = await page.evaluate<{kinds: string[]; wrong: unknown[]}>(FIND_UNREACHABLE);
      kinds.push(...found.kinds);
      wrong.push(...found.wrong.map(each => [name, each]));
    }
    expect(new Set(kinds)).toEqual(new Set(['rows', 'json', 'live', 'plugin-frame']));
    await page.evaluate(`location.hash = '#/entries'`);
    await page.getByTitle(KEY, {exact: true}).click();
    await page.getByRole('button', {name: 'Close the entry'}).click();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', {name: 'Events'}).waitFor();
    await keepScreenshot(page, 'small-palette');
    await page.keyboard.type('Events');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', {name: 'Events'}).waitFor();
    expect([...wrong, ...problems]).toEqual([]);
  }, 120_000);

  test('shows what is chosen and what is wrong in forced colours, and edges of 3 : 1 in both themes', async () => {
    const {page, problems} = await openConsole(browser, service.url, {code: await createOwnerCode(service)});
    const wrong: unknown[] = [];
    for (const [name, fragment, text] of PAGES) {
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.getByRole('main').getByText(text).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({colorScheme, forcedColors: 'none', contrast: null});
        wrong.push(...(await page.evaluate<readonly unknown[]>(FIND_FAINT)).map(each => [name, colorScheme, each]));
        await page.emulateMedia({colorScheme, contrast: 'more'});
        await keepScreenshot(page, `contrast-${name}-${colorScheme}`);
        wrong.push(...(await findViolations(page)).map(each => [name, 'more contrast', each]));
        await page.emulateMedia({colorScheme, forcedColors: 'active', contrast: null});
        await keepScreenshot(page, `forced-${name}-${colorScheme}`);
        wrong.push(...(await page.evaluate<readonly unknown[]>(FIND_UNMARKED)).map(each => [name, colorScheme, each]));
      }
    }
    expect([...wrong, ...problems]).toEqual([]);
  }, 240_000);
});

/** Finds what scrolls by itself, with that which has less than four rows, or which scrolling does not show. */
const FIND_UNREACHABLE = `(() => {
  const found = [...document.querySelectorAll('.rows, .live, .json, iframe')].filter(each =>
    each.checkVisibility({visibilityProperty: true}));
  return {
    kinds: found.map(each => each.className.split(' ')[0]),
    wrong: found.flatMap(each => {
      each.scrollIntoView();
      const {top, height} = each.getBoundingClientRect();
      return height >= 4 * 34 && top > -1 && top < innerHeight - 34 ? [] : [each.className, top, height];
    }),
  };
})()`;

/** Finds buttons and fields whose edge has less than 3 : 1 to what is around them, unless they are filled or cannot be used. */
const FIND_FAINT = `(() => {
  const luminance = color => color.map(each => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
  const read = text => text.match(/[\\d.]+/g).map(Number);
  const backgroundOf = element => {
    for (let each = element; each !== null; each = each.parentElement) {
      const color = read(getComputedStyle(each).backgroundColor);
      if (color[3] !== 0) return color.slice(0, 3);
    }
  };
  return [...document.querySelectorAll('button, select, input:not([type=checkbox], [type=radio])')].flatMap(each => {
    const {borderTopWidth, borderTopColor} = getComputedStyle(each);
    const edge = read(borderTopColor);
    if (!each.checkVisibility({visibilityProperty: true}) || borderTopWidth === '0px' || edge[3] === 0) return [];
    if (each.matches(':disabled, [aria-disabled=true], .menu-button')) return [];
    const [a, b] = [luminance(edge.slice(0, 3)), luminance(backgroundOf(each.parentElement))].sort((a, b) => a - b);
    return (b + 0.05) / (a + 0.05) >= 3 ? [] : [each.outerHTML.slice(0, 90)];
  });
})()`;
