import {join} from 'node:path';
import type {Browser, Page, Request} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {Permission} from '../../src/core/domain/access/access.ts';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {bearer} from '../support/access-tokens.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {createOwnerCode, readOwnerToken} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {type PluginService, startPlugins, untilRunning} from '../support/plugin-service.ts';
import {callService} from '../support/service.ts';

const [CENTER, ANNOUNCER, UPLOADER, BOOKER] = [
  'com.example.center',
  'com.example.announcer',
  'com.example.uploader',
  'com.example.booker',
] as const;

/** A page as Vite builds those of published plugins: the address of the service is a constant, and calls have no credentials. */
const page = (id: string, body: string): string => `<!doctype html><html><head>
<script type="module" crossorigin src="/plugins/${id}/assets/index.js"></script></head>
<body style="background-color: transparent !important">${body}</body></html>`;

const CALLS = `const base = 'http://localhost:7172';
const localApi = async (path, method = 'GET', body) => {
  const answer = await fetch(base + '/' + path, {method, headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
  if (!answer.ok) throw new Error(path + ' ' + answer.status);
  return answer.json();
};
const notify = (source, message, type) => parent.postMessage({kind: 'crewroom-notification', source, message, type}, '*');
`;

/** Starts a flight as the pages of published flight centers do, and shows its progress as they do. */
const CENTER_SCRIPT = `${CALLS}
const airport = (code, name, latitude, longitude) => ({id: 1, code, name, latitude, longitude});
const flight = {number: 'CAV' + 100, departure: airport('EGLL', 'London Heathrow', 51.47, -0.46),
  arrival: airport('ZZAF', '<img src=x onerror=alert(1)>', '40.64', '-73.78'), aircraft: {id: 3, code: 'A320', name: 'Airbus A320', registration: 'G-CAVA'},
  flightTime: 7.5, departureTime: '10:00', arrivalTime: '17:30', network: 'offline', cruise: 350, route: ['CPT', 'UL9'], distance: 2999, bidId: 77, type: 'P'};
document.querySelector('#fly').onclick = async () => {
  try {
    await localApi('api/com.tfdidesign.flight-tracking/startflight', 'POST', flight);
    await localApi('api/navigate', 'POST', {pluginID: 'com.tfdidesign.flight-tracking'});
  } catch (error) { notify('${CENTER}', error.message, 'danger'); }
};
document.querySelector('#bid').onclick = () => notify('${CENTER}', 'Flight dispatched successfully', 'success');
const installed = await localApi('api/plugins/installed');
const data = await localApi('api/com.tfdidesign.flight-tracking/data');
if (installed.some(plugin => plugin.id === 'com.tfdidesign.flight-tracking') && data.bidID === 77)
  document.querySelector('p').textContent = data.flightPlanData.number + ', ' + Math.round(data.distanceToGo / 1852) + ' nm to go';
`;

/** Calls routes of its own background, as the pages of published flight centers do: by their address, without a header of any library. */
const BOOKER_SCRIPT = `${CALLS}
const {length} = await localApi('api/${BOOKER}/bookings?nocache=true');
await localApi('api/${BOOKER}/book-flight', 'POST', {flightID: 'schedule-103-3'});
document.querySelector('p').textContent = length + ' booked; units: ' + (await localApi('api/settings')).core.weightUnits;
document.querySelector('#restore').onclick = () => localApi('api/com.tfdidesign.flight-tracking/restoreflight', 'POST',
  {number: 'CAV7', departure: 'EGLL', arrival: 'EGLL', bidId: 7, phase: 'CLIMB', elapsedTime: 960});
`;

const BOOKER_BACKGROUND = `const bids = [];
module.exports = {onStart() {}, routes: {
  get: {bookings: {description: 'Bookings', handler: (req, res) => res.json(bids)}},
  post: {'book-flight': {description: 'Books', handler: (req, res) => { bids.push(req.body.flightID); res.json({bidID: bids.length}); }}},
}};`;

/** Reads what pages that upload for the pilot read. */
const UPLOADER_SCRIPT = `${CALLS}
const {va_user} = await localApi('api/identity');
document.querySelector('p').textContent = 'session: ' + va_user.session;
`;

/** Plays a sound of its own, by the address that published backgrounds have as a constant. */
const ANNOUNCER_BACKGROUND = `
const post = (path, body) => fetch('http://localhost:7172/api/' + path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
module.exports = {onStart() {}, routes: {
  get: {'current.wav': {description: 'The sound', handler: (req, res) => {
    console.log('asked with ' + JSON.stringify([req.headers.authorization ?? null, req.query]));
    res.sendFile(__dirname + '/sound.wav');
  }}},
  post: {announce: {description: 'Plays it', handler: async (req, res) => {
    await post('play-sound', {url: 'http://localhost:7172/api/${ANNOUNCER}/current.wav?' + req.body.at});
    res.json({});
  }}},
}};`;

/** Half a second of silence, as a WAV file of 8 kHz. */
const SOUND = Buffer.concat([
  Buffer.from(
    'RIFF\xc4\x0f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\b\0data\xa0\x0f\0\0',
    'latin1',
  ),
  Buffer.alloc(4000, 0x80),
]);

let browser: Browser;
beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell('--autoplay-policy=no-user-gesture-required');
});
afterAll(() => browser?.close());

async function start(access: AccessMode): Promise<PluginService> {
  const service = await startPlugins(
    async directory => {
      await writePlugin(join(directory, CENTER), {
        'ui/index.html': page(CENTER, '<p>No flight</p><button id="fly">Fly</button><button id="bid">Book</button>'),
        'ui/assets/index.js': CENTER_SCRIPT,
      });
      await writePlugin(join(directory, UPLOADER), {
        'ui/index.html': page(UPLOADER, '<p>Loading</p>'),
        'ui/assets/index.js': UPLOADER_SCRIPT,
      });
      await writePlugin(join(directory, BOOKER), {
        'ui/index.html': page(BOOKER, '<p>Loading</p><button id="restore">Restore</button>'),
        'ui/assets/index.js': BOOKER_SCRIPT,
        'background/index.js': BOOKER_BACKGROUND,
      });
      await writePlugin(join(directory, ANNOUNCER), {
        'background/index.js': ANNOUNCER_BACKGROUND,
        'background/sound.wav': SOUND,
      });
    },
    {ephemeral: true, access},
  );
  await untilRunning(service.crewroom.plugins, ANNOUNCER);
  await untilRunning(service.crewroom.plugins, BOOKER);
  return service;
}

/** Gives a plugin what the service names as lacking. */
async function grantNamed(service: PluginService, plugin: string): Promise<readonly Permission[]> {
  const headers = [bearer(await readOwnerToken(service))];
  const {json} = await callService(service, 'GET /api/access/refused', {headers});
  const refused = json['refused'] as readonly {readonly plugin: string; readonly permission: Permission}[];
  const permissions = refused.filter(each => each.plugin === plugin).map(({permission}) => permission);
  if (permissions.length > 0)
    await callService(service, 'POST /api/access/grants', {headers, body: JSON.stringify({plugin, permissions})});
  return permissions;
}

describe.skipIf(!CAN_BROWSE)(
  'plugins with the calls of published ones, in the console of the owner in Chromium',
  () => {
    for (const access of ACCESS_MODES)
      test(`fly, play sounds and read the session in the mode ${access}`, async () => {
        const service = await start(access);
        const code = await createOwnerCode(service);
        const {page} = await openConsole(browser, service.url, {code, fragment: `#/plugins/${CENTER}`});
        await fly(page, access);
        await playSound(page, service, access);
        await readSession(page, service, access);
      });
  },
);

describe.skipIf(!CAN_BROWSE)(
  'plugins with the calls of published ones, at the address of their page in Chromium',
  () => {
    for (const access of ['open', 'attributed'] as const)
      test(`book, restore, fly and read the session in the mode ${access}`, async () => {
        const service = await start(access);
        const tab = await openTab();
        await tab.goto(`${service.url}/plugins/${BOOKER}/`);
        await tab.getByText('0 booked; units: KGS').waitFor();
        await tab.getByText('Restore').click();
        await expect.poll(() => service.crewroom.flight.status()).toMatchObject({number: 'CAV7', phase: 'CLIMB'});
        expect(service.crewroom.flight.status()?.elapsedSeconds).toBeGreaterThanOrEqual(960);
        await service.crewroom.flight.stop();

        await tab.goto(`${service.url}/plugins/${CENTER}/`);
        await tab.getByText('Fly').click();
        await expect.poll(() => service.crewroom.flight.status()).toMatchObject({number: 'CAV100', bidId: 77});
        await tab.goto(`${service.url}/plugins/${CENTER}/`);
        await tab.getByText(/^CAV100, 29\d\d nm to go$/).waitFor();

        await tab.goto(`${service.url}/plugins/${UPLOADER}/`);
        const {session} = SAMPLE_DOCUMENT.va_user;
        await tab.getByText(`session: ${access === 'open' ? session : 'undefined'}`).waitFor();
        expect(await grantNamed(service, UPLOADER)).toEqual(access === 'open' ? [] : ['identity:secrets']);
        await tab.goto(`${service.url}/plugins/${UPLOADER}/`);
        await tab.getByText(`session: ${session}`).waitFor();
      });

    test('are told in the mode strict to open the console, where they are known', async () => {
      const service = await start('strict');
      const tab = await openTab();
      await tab.goto(`${service.url}/plugins/${UPLOADER}/`);
      await tab.getByText('Loading').waitFor();
      expect(await tab.evaluate(`fetch('/api/identity').then(answer => answer.json())`)).toMatchObject({
        ...{code: 'token-required', plugin: UPLOADER},
        advice: expect.stringContaining('"crewroom console"'),
      });
    });
  },
);

/** Opens a tab that ends with the test. */
async function openTab(): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  return context.newPage();
}

async function fly(page: Page, access: AccessMode): Promise<void> {
  const frame = page.frameLocator('iframe');
  await frame.getByText('Book').click();
  await page.getByText('Flight dispatched successfully').waitFor();
  await frame.getByText('Fly').click();
  await page.getByRole('heading', {name: 'Flight', exact: true, level: 1}).waitFor();
  await page.locator('.flight-title', {hasText: 'CAV100 · EGLL – ZZAF'}).waitFor();
  // What a page sent is text for the console.
  await page.getByText('<img src=x onerror=alert(1)> (ZZAF)').waitFor();
  await page.getByText(`Plugin ${CENTER}`).last().waitFor();
  await page.getByLabel('Speed').first().selectOption('60×');
  await page.getByLabel('Jump to').selectOption('Climb');
  await page.getByRole('img', {name: /Altitude over time: now [1-9]/}).waitFor();
  await keepScreenshot(page, `flight-${access}`);
  await page
    .getByRole('link', {name: `Plugin ${CENTER}`})
    .first()
    .click();
  await frame.getByText(/^CAV100, 29\d\d nm to go$/).waitFor();
  await page.getByRole('link', {name: 'Flight', exact: true}).click();
  await page.getByRole('button', {name: 'Stop', exact: true}).click();
  await page.getByText('No flight runs.').waitFor();
  await page.evaluate(`location.hash = '#/'`);
  await expect.poll(() => page.getByRole('link', {name: 'Flight', exact: true}).count()).toBe(0);
}

async function playSound(page: Page, service: PluginService, access: AccessMode): Promise<void> {
  const sent: Request[] = [];
  page.on('request', request => request.resourceType() === 'media' && sent.push(request));
  await service.json(ANNOUNCER, 'announce', {at: 5});
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  const statuses = await Promise.all(sent.map(async each => (await each.response())?.status()));
  expect(
    statuses.every(status => status === 200 || status === 206),
    String(statuses),
  ).toBe(true);
  // The background is asked as the plugin itself would ask: with its query, and without a token of the owner.
  const [line] = service.crewroom.plugins.logs(ANNOUNCER).filter(({text}) => text.includes('asked with'));
  expect(line?.text).toBe('asked with [null,{"5":""}]');
  expect(sent.map(each => each.headers()['authorization'])).toEqual(sent.map(() => undefined));
  expect(sent[0]?.url().includes('/api/play-sound/')).toBe(access !== 'open');
}

async function readSession(page: Page, service: PluginService, access: AccessMode): Promise<void> {
  const {session} = SAMPLE_DOCUMENT.va_user;
  await page.evaluate(`location.hash = '#/plugins/${UPLOADER}'`);
  const frame = page.frameLocator('iframe');
  await frame.getByText(`session: ${access === 'open' ? session : 'undefined'}`).waitFor();
  if (access !== 'open') {
    await page.evaluate(`location.hash = '#/plugins'`);
    await page.getByText(`crewroom access grant ${UPLOADER} identity:secrets`).first().scrollIntoViewIfNeeded();
    await keepScreenshot(page, `refused-${access}`);
  }
  expect(await grantNamed(service, UPLOADER)).toEqual(access === 'open' ? [] : ['identity:secrets']);
  expect(await grantNamed(service, CENTER)).toEqual([]);
  await page.evaluate(`location.hash = '#/'`);
  await page.evaluate(`location.hash = '#/plugins/${UPLOADER}'`);
  await frame.getByText(`session: ${session}`).waitFor();
}
