import type {Browser, Request} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {consoleAddress, openConsole} from '../support/browsers/console.ts';
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

  test('sends its token with every request and every stream, and in no address', async () => {
    const service = await startInTest({ephemeral: true});
    await service.crewroom.entries.put('a', '1');
    const code = await createOwnerCode(service);
    const {page, problems} = await openConsole(browser, 'about:blank');
    const sent: Request[] = [];
    page.on('request', request => sent.push(request));
    await page.goto(`${consoleAddress(service.url)}/#code=${code}/entries`);
    const views = [
      // The console follows some events all the time, and its page of events all of them.
      {view: 'events', path: '/api/events', count: 2},
      {view: 'requests', path: '/api/requests', count: 1},
      {view: 'faults', path: '/api/faults', count: 1},
      {view: 'plugins', path: '/api/plugins', count: 1},
      {view: 'identity', path: '/api/pilots', count: 1},
      {view: '', path: '/metrics', count: 1},
    ];
    for (const {view, path, count} of views) {
      await page.evaluate(`location.hash = '#/${view}'`);
      await expect
        .poll(() => sent.filter(call => isOf(call, path)).length, {message: path})
        .toBeGreaterThanOrEqual(count);
    }
    const calls = sent.filter(call => /\/(?:api|metrics|readyz)\b/.test(new URL(call.url()).pathname));
    const without: string[] = [];
    for (const call of calls)
      if (!/^Bearer crewroom_/.test((await call.headerValue('authorization')) ?? '')) without.push(call.url());
    expect(without.map(url => new URL(url).pathname)).toEqual(['/api/access/page-tokens']);
    expect(sent.map(request => request.url()).join(' ')).not.toMatch(/crewroom_|Bearer/);
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
