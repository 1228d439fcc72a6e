import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {SERVICE_PAGES} from '../../console/src/route.ts';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {walkWith} from '../support/browsers/walk.ts';
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
  ['events', '#/events', 'Show the last changes'],
  ['requests', '#/requests', '/api/identity'],
  ['plugins', '#/plugins', 'Running'],
  ['flight', '#/flight', 'Ground speed'],
  ['faults', '#/faults', 'Delay: 1 ms'],
  ['notifications', '#/notifications', 'No notifications since'],
  ['settings', '#/settings', 'Dark mode'],
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
    await crewroom.entries.put(KEY, '{"from":"EDDF","to":"LPMA","fuel":{"blockKg":12450}}');
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
});
