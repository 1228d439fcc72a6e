import {once} from 'node:events';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {startInTest} from '../support/service.ts';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchChromium();
});
afterAll(() => browser?.close());

describe.skipIf(!CAN_BROWSE)('the list of plugins in Chromium', () => {
  for (const [fragment, none] of [
    ['#/', 'Begin a plugin'],
    ['#/plugins', 'No plugins yet'],
  ] as const)
    test(`is looked for before there are none: ${fragment}`, async () => {
      const {url} = await startInTest({ephemeral: true});
      const looked = new EventTarget();
      const {page, problems} = await openConsole(browser, url, {fragment: '#/faults'});
      await page.route('**/api/plugins', async route => {
        await once(looked, 'end');
        await route.continue();
      });
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.reload();
      await page.getByText('Looking for plugins…').waitFor();
      expect(await page.getByText(none).count()).toBe(0);
      looked.dispatchEvent(new Event('end'));
      await page.getByText(none).waitFor();
      expect(await page.getByText('Looking for plugins…').count()).toBe(0);
      expect(problems).toEqual([]);
    });
});
