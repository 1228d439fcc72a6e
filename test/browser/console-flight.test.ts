import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole, SHOWN_THEME} from '../support/browsers/console.ts';
import {FITS_WIDTH} from '../support/browsers/walk.ts';
import {startInTest} from '../support/service.ts';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

const WIDE = {width: 1280, height: 900};

/** Counts the opaque pixels of the first plot that have a colour: its axes are grey. */
function countColoredPixels(page: Page): Promise<unknown> {
  return page.evaluate(`
    const canvas = document.querySelector('.plot canvas');
    const {data = []} = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height) ?? {};
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const channels = data.slice(at, at + 3);
      if (data[at + 3] > 200 && Math.max(...channels) - Math.min(...channels) > 60) count++;
    }
    count;
  `);
}

describe.skipIf(!CAN_BROWSE)('the simulated flight in Chromium', () => {
  test('is not there without a failed request', async () => {
    const {url} = await startInTest({ephemeral: true});
    const {page, problems} = await openConsole(browser, url, {fragment: '#/plugins'});
    await page.getByRole('main').getByRole('link', {name: 'Flight', exact: true}).click();
    await page.getByText('No flight runs.').waitFor();
    expect(problems).toEqual([]);
  });

  test('is in the header beside the pilot while it runs, wide and narrow, and leads to its page', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, url, {viewport: {width: 360, height: 740}});
    const header = page.getByRole('banner');
    await header.getByText('Ada Quill CRW0042').waitFor();
    expect(await header.getByRole('link', {name: 'Flight'}).count()).toBe(0);
    crewroom.flight.start();
    const {from, to} = crewroom.flight.status() ?? {};
    const link = header.getByRole('link', {name: `${from?.code} – ${to?.code}`});
    await link.waitFor();
    await keepScreenshot(page, 'header-360');
    expect(await page.evaluate(FITS_WIDTH)).toBe(true);
    await page.setViewportSize({width: 1280, height: 740});
    await keepScreenshot(page, 'header-1280');
    await link.click();
    await page.getByRole('heading', {name: 'Flight', exact: true, level: 1}).waitFor();
    await crewroom.flight.stop();
    await link.waitFor({state: 'detached'});
  });

  test('jumps to the phases that the service names', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    crewroom.flight.start();
    const {page} = await openConsole(browser, url, {fragment: '#/plugins'});
    const phases = ['BOARDING', 'PUSH_BACK', 'ORBIT'];
    await page.route('**/api/flight', route => route.fulfill({json: {flight: crewroom.flight.status(), phases}}));
    await page.getByRole('main').getByRole('link', {name: 'Flight', exact: true}).click();
    await expect
      .poll(() => page.getByLabel('Jump to').locator('option').allTextContents())
      .toEqual(['Boarding', 'Push back', 'Orbit']);
  });

  test('has its first altitude in the plot before there is a second one', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    crewroom.flight.start();
    crewroom.flight.change({phase: 'CRUISE', isPaused: true});
    const {page} = await openConsole(browser, url, {fragment: '#/plugins'});
    await page.getByRole('main').getByRole('link', {name: 'Flight', exact: true}).click();
    await page.getByRole('img', {name: /Altitude over time: now [1-9]/}).waitFor();
    await expect.poll(() => countColoredPixels(page)).toBeGreaterThan(5);
    await keepScreenshot(page, 'plugins-flight-first');
  });

  test('shows a landing, light and dark, wide and narrow', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    crewroom.flight.start({from: 'EGLL', to: 'EHAM', number: 'CAV7', speed: 60, landingRateFeetPerMinute: 250});
    crewroom.flight.change({phase: 'APPROACH'});
    const {page, problems} = await openConsole(browser, url, {fragment: '#/flight', viewport: WIDE});
    await page
      .getByText(/^Approach/)
      .first()
      .waitFor();
    expect(await page.getByText('Landing', {exact: true}).count()).toBe(0);
    await page.getByText(/^about -250 ft\/min, 1\.\d+ g$/).waitFor();
    await page.getByText('Taxi to gate').first().waitFor();
    for (const darkMode of [false, true]) {
      await fetch(`${url}/api/settings/core`, {method: 'PUT', body: JSON.stringify({darkMode})});
      await expect.poll(() => page.evaluate(SHOWN_THEME)).toBe(darkMode ? 'dark' : 'light');
      for (const viewport of [WIDE, {width: 360, height: 1300}]) {
        await page.setViewportSize(viewport);
        await keepScreenshot(page, `flight-landing-${darkMode ? 'dark' : 'light'}-${viewport.width}`);
        expect(await page.evaluate(FITS_WIDTH)).toBe(true);
        expect(await findViolations(page)).toEqual([]);
      }
    }
    expect(problems).toEqual([]);
  });

  test('shows a flight that a simulator reports by its name as text, and when its frames have ended', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    const {reporterId} = crewroom.flight.report({timeSeconds: 1, simulator: '<b>Sim', latitude: 50, longitude: 8});
    crewroom.flight.report({
      timeSeconds: 2,
      reporterId,
      latitude: 53,
      longitude: 8,
      heightFeet: 9000,
      groundSpeedKnots: 250,
    });
    const {page} = await openConsole(browser, url, {fragment: '#/flight'});
    await page.locator('.flight-title').getByText('<b>Sim').waitFor();
    await page.getByText('teleport', {exact: true}).waitFor();
    // What it does not report is not plotted as 0.
    await page.getByRole('img', {name: 'Ground speed over time: now 250 kt'}).waitFor();
    expect(await page.getByRole('img', {name: /^Altitude/}).count()).toBe(0);
    expect(await page.getByLabel('Jump to').count()).toBe(0);
    await page.getByText('Cruise, not connected').waitFor({timeout: 20_000});
    await keepScreenshot(page, 'flight-reported-ended');
  });

  test('counts on its axes in round steps with units, over the time and over the distance', async () => {
    const {url, crewroom} = await startInTest({ephemeral: true});
    crewroom.flight.start();
    const script = `window.labels = new Set(); const {fillText} = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { labels.add(text); fillText.call(this, text, ...rest); }`;
    const viewport = {width: 1440, height: 900};
    const {page, problems} = await openConsole(browser, url, {script, viewport, reducedMotion: 'reduce'});
    let asked = 0;
    const flown = [0, 0, 40, 160, 300, 420, 510, 590];
    const feet = [0, 0, 21_000, 38_000, 38_000, 38_000, 14_000, 3000];
    const knots = [0, 14, 390, 452, 452, 452, 300, 160];
    // A flight of 84 minutes, 12 of them each time that the page looks.
    await page.route('**/api/flight', route => {
      const at = Math.min(asked++, flown.length - 1);
      const now = {
        elapsedSeconds: at * 720,
        flownNauticalMiles: flown[at],
        altitudeFeet: feet[at],
        groundSpeedKnots: knots[at],
      };
      return route.fulfill({json: {flight: {...crewroom.flight.status(), ...now}, phases: ['CRUISE']}});
    });
    await page.evaluate(`location.hash = '#/flight'`);
    await page.getByRole('img', {name: 'Altitude over time: now 3,000 ft'}).waitFor();
    await page.getByRole('img', {name: 'Ground speed over time: now 160 kt'}).waitFor();
    const labels = (): Promise<readonly string[]> => page.evaluate('[...labels]');
    // Without those of the overview, where the console began.
    await page.evaluate('labels.clear()');
    await expect.poll(labels).toEqual(expect.arrayContaining(['40,000 ft', '20,000 ft', '600 kt', '30 min', '1 h']));
    expect((await labels()).filter(label => !ROUND_LABEL.test(label))).toEqual([]);
    await keepScreenshot(page, 'flight-plots-1440');
    await page.evaluate('labels.clear()');
    await page.getByRole('button', {name: 'Over distance'}).click();
    await page.getByRole('img', {name: 'Altitude over distance: now 3,000 ft'}).waitFor();
    await expect.poll(labels).toEqual(expect.arrayContaining(['200 NM', '400 NM', '40,000 ft']));
    expect((await labels()).filter(label => !ROUND_LABEL.test(label))).toEqual([]);
    await keepScreenshot(page, 'flight-plots-distance-1440');
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** A label of an axis: a number without a rest, and its unit. */
const ROUND_LABEL = /^(?:\d+ s|\d+ min|\d+:30 min|\d+ h|\d+:\d\d h|(?:0|[1-9][\d,]*) (?:ft|kt|NM))$/;
