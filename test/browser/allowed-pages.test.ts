import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {LogFields} from '../../src/core/domain/log.ts';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const PLUGIN = 'com.example.routes';
const BACKGROUND = `exports.routes = {get: {headers: {description: '', handler: (req, res) => res.json(Object.keys(req.headers))}}};`;

const refused: LogFields[] = [];
const keep = (_message: string, about: LogFields = {}): void => void refused.push(about);
const log = {error: () => {}, info: keep, debug: keep};

let browser: Browser;
let pages: PageServer;
let service: TestService;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  pages = await servePages();
  const home = await makeTemporaryDirectory();
  await writePlugin(join(home.path, PLUGIN), {'plugin.json': manifestOf(PLUGIN), 'background/index.js': BACKGROUND});
  const allowOrigins = [`http://localhost:${pages.port}`];
  service = await startService({allowOrigins, pluginsDir: home.path, ephemeral: true}, {log});
  disposables.push(service, home, pages);
  await untilRunning(service.crewroom.plugins, PLUGIN);
});

afterAll(async () => {
  await browser?.close();
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

beforeEach(() => {
  refused.length = 0;
});

/** Opens a page of an origin, which has a cookie for all ports of its host. */
async function openPage(host = 'localhost'): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`http://${host}:${pages.port}/`);
  await page.evaluate(`document.cookie = 'session=of-another-program'`);
  return page;
}

/** Address of the service as plugins call it. */
function url(path: string): string {
  return `http://localhost:${service.port}${path}`;
}

/** Runs an expression in a page, and returns its result, or the name of what it throws. */
function attempt(page: Page, expression: string): Promise<unknown> {
  return page.evaluate(`(async () => ${expression})().catch(error => error.name)`);
}

/** Headers that libraries add to the requests of a page. */
const LIBRARIES = {
  Sentry: {'sentry-trace': 'a-b-1', baggage: 'sentry-release=1'},
  OpenTelemetry: {traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b'},
  Laravel: {'X-CSRF-TOKEN': 'x', 'X-Requested-With': 'XMLHttpRequest'},
  caches: {'Cache-Control': 'no-cache', Pragma: 'no-cache'},
};

describe.skipIf(!CAN_BROWSE)('in a real browser (needs Chromium), a page of an allowed origin', () => {
  for (const [library, headers] of Object.entries(LIBRARIES))
    test(`may send the headers that libraries add: ${library}`, async () => {
      const call = `(await fetch('${url('/api/identity')}', {headers: ${JSON.stringify(headers)}})).status`;
      expect(await attempt(await openPage(), call)).toBe(200);
    });

  test('may send credentials, which change nothing: fetch, XMLHttpRequest as axios sends it, EventSource', async () => {
    const page = await openPage();
    expect(await attempt(page, `(await fetch('${url('/api/identity')}', {credentials: 'include'})).status`)).toBe(200);
    const request = `await new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('PUT', '${url('/api/store/from-axios')}');
      request.withCredentials = true;
      request.setRequestHeader('Content-Type', 'application/json');
      request.onload = () => resolve(request.status);
      request.onerror = reject;
      request.send('1');
    })`;
    expect(await attempt(page, request)).toBe(201);
    const events = `await new Promise((resolve, reject) => {
      const events = new EventSource('${url('/api/events?after=0&prefix=from-axios')}', {withCredentials: true});
      events.addEventListener('entry-written', ({data}) => { events.close(); resolve(JSON.parse(data).key); });
      events.onerror = reject;
    })`;
    expect(await attempt(page, events)).toBe('from-axios');
  });

  test('may send a beacon of JSON, with a preflight', async () => {
    const page = await openPage();
    const beacon = `navigator.sendBeacon('${url('/api/store/beacon')}', new Blob(['{"a":1}'], {type: 'application/json'}))`;
    const events = service.crewroom.events({prefix: 'beacon'})[Symbol.asyncIterator]();
    const written = events.next();
    expect(await attempt(page, beacon)).toBe(true);
    expect(await written).toMatchObject({value: {kind: 'entry-written', text: '{"a":1}'}});
    await events.return?.();
  });

  test('gives no cookie to a background, and gets and loses none', async () => {
    const page = await openPage();
    const call = `(await fetch('${url(`/api/${PLUGIN}/headers`)}', {credentials: 'include'})).json()`;
    const sent = page.waitForRequest(/headers$/);
    expect(await attempt(page, call)).toEqual(expect.not.arrayContaining(['cookie']));
    // The browser has sent it.
    expect((await (await sent).allHeaders())['cookie']).toContain('session=of-another-program');
    const answered = await (await (await sent).response())?.allHeaders();
    expect(answered).toMatchObject({'access-control-allow-credentials': 'true'});
    expect(answered).not.toHaveProperty('set-cookie');
    expect(answered).not.toHaveProperty('clear-site-data');
    expect(await page.evaluate('document.cookie')).toBe('session=of-another-program');
  });

  for (const {name, header} of [
    {name: 'the token of a background', header: 'X-Crewroom-Token'},
    {name: 'a header that stands for all', header: '*'},
  ])
    test(`may not send ${name}, and the log has the reason`, async () => {
      const page = await openPage();
      for (const credentials of ['include', 'omit']) {
        const init = JSON.stringify({credentials, headers: {[header]: 'x'}});
        expect(await attempt(page, `(await fetch('${url('/api/identity')}', ${init})).status`)).toBe('TypeError');
      }
      expect(refused).toContainEqual(
        expect.objectContaining({
          method: 'OPTIONS',
          code: 'invalid-header',
          problem: expect.stringContaining('Headers'),
        }),
      );
    });

  test('is the only one that may: a page of another origin gets no header and no credentials', async () => {
    const page = await openPage('127.0.0.1');
    for (const init of [{credentials: 'include'}, {headers: {baggage: 'a'}}])
      expect(await attempt(page, `(await fetch('${url('/api/identity')}', ${JSON.stringify(init)})).status`)).toBe(
        'TypeError',
      );
    expect(refused).toContainEqual(expect.objectContaining({code: 'foreign-page'}));
  });
});
