import {join} from 'node:path';
import type {Browser, Request, Route} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {consoleAddress, openConsole} from '../support/browsers/console.ts';
import {findFreePort} from '../support/free-port.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins, untilRunning} from '../support/plugin-service.ts';
import {startInTest, startService} from '../support/service.ts';

const RADIO = 'com.example.radio';

/** Refuses every call as the service refuses a token, and counts the calls. */
const REFUSING = `
let calls = 0;
exports.routes = {get: {tune: {description: '', handler: (req, res) => res.status(401).json({code: 'invalid-token', detail: 'call ' + ++calls})}}};`;

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

  test('shows the page that its user chose while the code was exchanged', async () => {
    const service = await startInTest({ephemeral: true});
    const {page, problems} = await openConsole(browser, 'about:blank');
    const exchange = new Promise<Route>(resolve => void page.route('**/api/access/page-tokens', resolve));
    await page.goto(`${consoleAddress(service.url)}/#code=${await createOwnerCode(service)}`);
    const held = await exchange;
    await page.evaluate(`location.hash = '#/faults'`);
    await held.continue();
    await page.getByText('Nothing fails on purpose.').waitFor();
    expect(problems).toEqual([]);
  });

  test('sends its token with every request and every stream, and in no address', async () => {
    const service = await startInTest({ephemeral: true});
    await service.crewroom.entries.put('a', 1);
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

  test('keeps its token if a route of a plugin answers like a service that refuses it, and calls that route once', async () => {
    const prepare = (directory: string) => writePlugin(join(directory, RADIO), {'background/index.js': REFUSING});
    const service = await startPlugins(prepare, {ephemeral: true});
    await untilRunning(service.crewroom.plugins, RADIO);
    const code = await createOwnerCode(service);
    const {page} = await openConsole(browser, service.url, {code, fragment: '#/plugins'});
    const plugin = page.getByRole('region', {name: `Plugin ${RADIO}`});
    await plugin.getByText('1 route').click();
    await plugin.getByRole('button', {name: 'Try GET tune'}).click();
    await plugin.getByRole('button', {name: 'Send'}).click();
    expect(await plugin.getByText(/call \d/).textContent()).toContain('"call 1"');
    const metrics = page.waitForRequest(request => isOf(request, '/metrics'));
    await page.evaluate(`location.hash = '#/'`);
    expect(await (await metrics).headerValue('authorization')).toMatch(/^Bearer crewroom_/);
  });

  test('forgets its token once another service refuses it, and reads without it', async () => {
    const port = await findFreePort();
    const first = await startService({ephemeral: true, port});
    const code = await createOwnerCode(first);
    const {page} = await openConsole(browser, first.url, {code, fragment: '#/'});
    await page.waitForRequest(isOwners('/metrics'));
    await first[Symbol.asyncDispose]();
    await using _second = await startService({ephemeral: true, port});
    const unowned = page.waitForResponse(
      answer => isOf(answer.request(), '/api/faults') && answer.request().headers()['authorization'] === undefined,
    );
    await page.evaluate(`location.hash = '#/faults'`);
    expect((await unowned).status()).toBe(200);
  });
});

function isOf(request: Request, path: string): boolean {
  return new URL(request.url()).pathname === path;
}

/** Returns a test for requests of a path with any credentials. */
function isOwners(path: string): (request: Request) => boolean {
  return request => isOf(request, path) && request.headers()['authorization'] !== undefined;
}
