import type {Browser, Request} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {startInTest} from '../support/service.ts';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchChromium();
});
afterAll(() => browser?.close());

describe.skipIf(!CAN_BROWSE)('a console of the owner', () => {
  test('sends its token with the metrics and with both requests of the identity', async () => {
    const service = await startInTest({ephemeral: true});
    const code = await createOwnerCode(service);
    const {page, problems} = await openConsole(browser, service.url, {code, fragment: '#/'});
    const metrics = await page.waitForRequest(isOwners('/metrics'));
    expect(await metrics.headerValue('authorization')).toMatch(/^Bearer crewroom_/);
    const identity: (string | null)[] = [];
    page.on('request', async request => {
      if (isOf(request, '/api/identity')) identity.push(await request.headerValue('authorization'));
    });
    await page.evaluate(`location.hash = '#/identity'`);
    await page.getByText('CRW0042').first().waitFor();
    service.crewroom.pilots.use('first-officer');
    await expect.poll(() => identity.length).toBeGreaterThan(1);
    expect(identity.filter(value => value?.startsWith('Bearer crewroom_') !== true)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

function isOf(request: Request, path: string): boolean {
  return new URL(request.url()).pathname === path;
}

/** Returns a test for requests of a path with any credentials. */
function isOwners(path: string): (request: Request) => boolean {
  return request => isOf(request, path) && request.headers()['authorization'] !== undefined;
}
