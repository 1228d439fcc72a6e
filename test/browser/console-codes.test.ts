import type {Browser, Page, Route} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {consoleAddress, keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {servePages} from '../support/browsers/pages.ts';
import {findFreePort} from '../support/free-port.ts';
import {createOwnerCode, readOwnerToken} from '../support/owner-file.ts';
import {startInTest, startService} from '../support/service.ts';

const REFUSED = 'Cannot open the console as the owner';
const EXCHANGE = '/api/access/page-tokens';
const KEPT = 'JSON.stringify([{...sessionStorage}, {...localStorage}])';

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

/** Waits until a page shows that it is the owner's, or that it is not. */
async function untilOwner(page: Page, isOwner = true): Promise<void> {
  const note = page.getByText('This page only reads').first();
  const stop = page.getByRole('button', {name: 'Stop being the owner'});
  await (isOwner ? stop : note).waitFor();
  expect(await (isOwner ? note : stop).count()).toBe(0);
}

/** Does what pasting an address with a code into the address bar of a page does. */
async function paste(page: Page, code: string, route = ''): Promise<void> {
  await page.evaluate(`location.href = location.origin + '/#code=' + ${JSON.stringify(code + route)}`);
}

/** Collects the bodies of exchanges of a page, and the addresses that it had then. */
function watchExchanges(page: Page): {readonly body: string; readonly address: string}[] {
  const seen: {body: string; address: string}[] = [];
  page.on('request', request => {
    if (request.url().endsWith(EXCHANGE)) seen.push({body: request.postData() ?? '', address: page.url()});
  });
  return seen;
}

describe.skipIf(!CAN_BROWSE)('a code of the owner', () => {
  test('that is pasted into an open tab is out of its address before it is sent, and makes the tab the owner’s', async () => {
    const service = await startInTest({ephemeral: true});
    const {page, problems} = await openConsole(browser, service.url, {fragment: '#/faults'});
    await untilOwner(page, false);
    const note = await page.getByText('This page only reads').textContent();
    expect(note).toContain('press o in the terminal, or run');
    const exchanges = watchExchanges(page);
    const code = await createOwnerCode(service);
    await paste(page, code);
    await untilOwner(page);
    const address = `${consoleAddress(service.url)}/#/faults`;
    expect(exchanges).toEqual([{body: JSON.stringify({code}), address}]);
    expect(page.url()).toBe(address);
    expect(await page.evaluate('JSON.stringify(navigation.entries().map(({url}) => url))')).not.toContain(code);
    await paste(page, await createOwnerCode(service), '/identity');
    await page.getByRole('heading', {name: 'Identity'}).waitFor();
    expect(problems).toEqual([]);
  });

  test('makes the view of an open tab load what only the owner sees', async () => {
    const service = await startInTest({ephemeral: true, access: 'strict'});
    await service.crewroom.entries.put('of-the-owner', 1);
    const {page} = await openConsole(browser, service.url, {fragment: '#/entries'});
    await page.getByText('only to its owner').waitFor();
    await paste(page, await createOwnerCode(service));
    await page.getByText('of-the-owner').first().waitFor();
    expect(await page.getByText('only to its owner').count()).toBe(0);
  });

  test('that is refused changes nothing, and says so', async () => {
    const service = await startInTest({ephemeral: true});
    const used = await createOwnerCode(service);
    const dropped = await createOwnerCode(service);
    const fresh = await createOwnerCode(service);
    const {page} = await openConsole(browser, service.url, {code: used, fragment: '#/faults'});
    await untilOwner(page);
    for (let count = 0; count < 8; count++) await createOwnerCode(service);
    const before = await page.evaluate(KEPT);
    const refused = [
      used,
      dropped,
      'wrong',
      '',
      'ä%20"<b>',
      `${fresh}${fresh}`,
      `${fresh}#code=${fresh}`,
      'x'.repeat(9000),
    ];
    for (const code of refused) {
      const answered = page.waitForResponse(answer => answer.url().endsWith(EXCHANGE) && answer.status() >= 400);
      await paste(page, code, '/identity');
      await answered;
      await untilOwner(page);
      await page.getByText(REFUSED).waitFor();
      expect(new URL(page.url()).hash, code.slice(0, 50)).toBe('#/faults');
    }
    expect(await page.evaluate(KEPT)).toBe(before);
    await paste(page, await createOwnerCode(service));
    await expect.poll(() => page.getByText(REFUSED).count()).toBe(0);
  });

  test('is exchanged alone, and the last one that was pasted meanwhile after it', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {fragment: '#/faults'});
    const held: Route[] = [];
    await page.route(`**${EXCHANGE}`, route => void held.push(route));
    const exchanges = watchExchanges(page);
    const last = await createOwnerCode(service);
    for (const code of ['first', 'second', last]) await paste(page, code);
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.continue();
    await expect.poll(() => held.length).toBe(2);
    await held[1]?.continue();
    await untilOwner(page);
    expect(exchanges.map(({body}) => JSON.parse(body).code)).toEqual(['first', last]);
    expect(await page.getByText(REFUSED).count()).toBe(0);
  });

  test('is not exchanged in a frame, which has no rights of the owner either', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await untilOwner(page);
    const exchanges = watchExchanges(page);
    // A browser shows no console in a frame. Here it does, as if it knew neither of the two policies.
    const address = consoleAddress(service.url);
    await page.context().route(`${address}/`, async route => {
      // The name of the console leads to this machine in browsers only.
      const answer = await route.fetch({url: `http://localhost:${service.port}/console/index.html`});
      const {'content-security-policy': _policy, 'cross-origin-opener-policy': _opener, ...headers} = answer.headers();
      await route.fulfill({response: answer, headers});
    });
    await page.goto(`${address}/`);
    const code = await createOwnerCode(service);
    const frameUrl = JSON.stringify(`/#code=${code}/faults`);
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), {src: ${frameUrl}}))`);
    const frame = page.frameLocator('iframe');
    await frame.getByText('This page only reads').waitFor();
    expect(exchanges).toEqual([]);
  });

  test('that a foreign page puts into an address makes no page the owner’s, and shows no plugin', async () => {
    const service = await startInTest({ephemeral: true});
    await using foreign = await servePages();
    const {page: own} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await untilOwner(own);
    const page = await own.context().newPage();
    await page.goto(`http://127.0.0.1:${foreign.port}/`);
    const address = `${consoleAddress(service.url)}/#code=guess/faults`;
    const [opened] = await Promise.all([
      own.context().waitForEvent('page'),
      page.evaluate(`void (window.opened = open(${JSON.stringify(address)}, 'console'))`),
    ]);
    await opened.getByText(REFUSED).waitFor();
    await untilOwner(opened, false);
    const exchanges = watchExchanges(opened);
    await page.evaluate(`void (window.opened.location = ${JSON.stringify(address.replace('guess', 'second'))})`);
    await opened.evaluate('new Promise(resolve => setTimeout(resolve))');
    expect(exchanges).toEqual([]);
    await untilOwner(own);
  });
});

describe.skipIf(!CAN_BROWSE)('the rights of the owner in a tab', () => {
  test('are there after a reload, in no other tab, and in no storage that outlives the tab', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await untilOwner(page);
    await page.reload();
    await untilOwner(page);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain('crewroom_');
    const other = await page.context().newPage();
    await other.goto(`http://localhost:${service.port}/#/faults`);
    await untilOwner(other, false);
    expect(new URL(other.url()).hostname).toBe('crewroom.localhost');
  });

  test('end with "Stop being the owner", also after a reload', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await page.getByRole('button', {name: 'Stop being the owner'}).click();
    await untilOwner(page, false);
    expect(await page.evaluate(KEPT)).not.toContain('crewroom_');
    await page.reload();
    await untilOwner(page, false);
  });

  test('leave the tab with "Stop being the owner" before the service answers', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await untilOwner(page);
    await page.route('**/api/access/pages', () => {});
    const [request] = await Promise.all([
      page.waitForRequest('**/api/access/pages'),
      page.getByRole('button', {name: 'Stop being the owner'}).click(),
    ]);
    expect(await page.evaluate(KEPT)).not.toContain('crewroom_');
    expect(await request.headerValue('authorization')).toMatch(/^Bearer crewroom_/);
    await untilOwner(page, false);
  });

  test('end at the first 401, if the service was started again between two loads', async () => {
    const port = await findFreePort();
    const first = await startService({ephemeral: true, port});
    const {page} = await openConsole(browser, first.url, {code: await createOwnerCode(first), fragment: '#/faults'});
    await untilOwner(page);
    await page.goto('about:blank');
    await first[Symbol.asyncDispose]();
    const second = await startService({ephemeral: true, port});
    onTestFinished(() => second[Symbol.asyncDispose]());
    const refused: string[] = [];
    page.on('response', answer => answer.status() === 401 && refused.push(answer.url()));
    await page.goto(`${consoleAddress(second.url)}/#/faults`);
    await untilOwner(page, false);
    expect(refused.length).toBeGreaterThan(0);
    expect(await page.evaluate(KEPT)).not.toContain('crewroom_');
  });

  test('end when the service ends them between two loads, and the page says so', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await untilOwner(page);
    await page.goto('about:blank');
    const headers = {Authorization: `Bearer ${await readOwnerToken(service)}`};
    expect((await fetch(`${service.url}/api/access/pages`, {method: 'DELETE', headers})).status).toBe(200);
    await page.goto(`${consoleAddress(service.url)}/#/faults`);
    await untilOwner(page, false);
    await page.getByText('The service no longer takes this page for the owner').waitFor();
    await keepScreenshot(page, 'owner-ended');
    expect(await page.evaluate(KEPT)).not.toContain('crewroom_');
  });

  test('end on the service too when the user stops being the owner', async () => {
    const service = await startInTest({ephemeral: true});
    const {page} = await openConsole(browser, service.url, {
      code: await createOwnerCode(service),
      fragment: '#/faults',
    });
    await untilOwner(page);
    const token = /crewroom_[\w-]{43}/.exec(String(await page.evaluate(KEPT)))?.[0];
    await page.getByRole('button', {name: 'Stop being the owner'}).click();
    await untilOwner(page, false);
    const refused = await fetch(`${service.url}/api/faults`, {headers: {Authorization: `Bearer ${token}`}});
    expect(refused.status).toBe(401);
  });
});
