import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {LogFields} from '../../src/core/domain/log.ts';
import {type DrivenBrowser, OTHER_NAME, type Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, driveChromium} from '../support/browsers/chromium.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {bundleClient} from '../support/bundle-client.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.counter';

/** A background whose route counts its calls, and a page that uses the client. */
const COUNTER = `let calls = 0;
exports.routes = {get: {
  count: {description: 'Counts', handler: (req, res) => res.json(++calls)},
  calls: {description: 'Shows', handler: (req, res) => res.json(calls)},
}};`;

/** Refusals of the service, so that a test can wait for a request that no page can see. */
const refused: LogFields[] = [];
const keep = (_message: string, about: LogFields = {}): void => void refused.push(about);

let service: TestService;
let pages: PageServer;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  const home = await makeTemporaryDirectory();
  await writePlugin(join(home.path, ID), {
    'background/index.js': COUNTER,
    'ui/index.html': '<!doctype html><title>a plugin</title>',
    'ui/client.js': Buffer.from((await bundleClient()).code).toString(),
  });
  const options = {allowHosts: [OTHER_NAME], pluginsDir: home.path, ephemeral: true};
  service = await startService(options, {log: {error: keep, info: keep, debug: keep}});
  pages = await servePages(({url = '/'}, response) => {
    const html = new URL(url, 'http://any').searchParams.get('html') ?? '';
    response.writeHead(200, {'Content-Type': 'text/html', 'Referrer-Policy': 'no-referrer'});
    response.end(`<!doctype html><title>a foreign page</title>${html}`);
  });
  disposables.push(pages, service, home);
  await untilRunning(service.crewroom.plugins, ID);
  await service.crewroom.entries.put('there', 'untouched');
}, 30_000);
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});
beforeEach(() => {
  refused.length = 0;
});

function own(path: string): string {
  return `http://${OTHER_NAME}:${service.port}${path}`;
}

function foreignPage(html = ''): string {
  return `http://127.0.0.2:${pages.port}/?html=${encodeURIComponent(html)}`;
}

/** Opens the page of the plugin, and waits until it is there in place of the one that leads to it. */
async function openPage(tab: Tab, origin: string): Promise<void> {
  await tab.open(`${origin}/plugins/${ID}/`);
  await expect.poll(() => tab.run('document.title').catch(() => '')).toBe('a plugin');
}

function codes(): readonly unknown[] {
  return refused.map(({code}) => code);
}

async function countCalls(): Promise<unknown> {
  return (await fetch(`${service.url}/api/${ID}/calls`)).json();
}

/** Ways in which a page sends a GET that no preflight precedes. */
const WAYS = [
  {way: 'an image', html: (url: string) => `<img src="${url}">`},
  {way: 'a script', html: (url: string) => `<script src="${url}"></script>`},
  {way: 'a style sheet', html: (url: string) => `<link rel="stylesheet" href="${url}">`},
  {way: 'a frame', html: (url: string) => `<iframe src="${url}"></iframe>`},
  {way: 'fetch()', html: (url: string) => `<script>fetch('${url}', {mode: 'no-cors'}).catch(() => {})</script>`},
];

const BROWSERS = [
  {name: 'Chromium', present: CAN_BROWSE, drive: driveChromium},
  {name: 'Firefox', present: CAN_BROWSE_FIREFOX, drive: driveFirefox},
];

for (const {name, present, drive} of BROWSERS) {
  describe.skipIf(!present)(`at a name that browsers do not trust (needs ${name})`, () => {
    let browser: DrivenBrowser;
    beforeAll(async () => {
      browser = await drive();
    });
    afterAll(() => browser?.[Symbol.asyncDispose]());

    async function newTab(): Promise<Tab> {
      const tab = await browser.newTab();
      onTestFinished(() => tab.close().catch(() => {}));
      return tab;
    }

    for (const {way, html} of WAYS)
      test(`${way} of a foreign page calls no route of a plugin`, async () => {
        const before = await countCalls();
        const tab = await newTab();
        await tab.open(foreignPage(html(own(`/api/${ID}/count`))));
        await expect.poll(codes).toContain('foreign-page');
        expect(await countCalls()).toBe(before);
      });

    test('is refused at once, whether or not a key exists', async () => {
      const tab = await newTab();
      for (const prefix of ['there', 'absent'])
        await tab.open(foreignPage(`<img src="${own(`/api/events?prefix=${prefix}&after=1&waitSeconds=50`)}">`));
      // A look-up would have waited for 50 seconds.
      expect(codes()).toContain('foreign-page');
    }, 45_000);

    test('a window shows no data, and names localhost', async () => {
      const tab = await newTab();
      await tab.open(own('/api/identity'));
      const text = String(await tab.run('document.documentElement.textContent'));
      expect(text).toContain('foreign-page');
      expect(text).toContain('http://localhost');
      expect(text).not.toMatch(/va_user|pilotID/);
    });

    test('a page of a plugin asks first if a foreign page chose its query', async () => {
      const tab = await newTab();
      for (const address of [own(`/plugins/${ID}/?evil`), own(`/plugins/${ID}/route/of/its/own?evil`)]) {
        await tab.open(foreignPage());
        await tab.run(`void setTimeout(() => { location.href = '${address}'; })`);
        await expect
          .poll(() => tab.run('document.body.innerText').catch(() => ''), {timeout: 5000})
          .toMatch(/Show the plugin/);
        await tab.run(`void document.querySelector('main button').click()`);
        await expect.poll(() => tab.run('document.title').catch(() => '')).toBe('a plugin');
        expect(await tab.run('location.href')).toBe(address);
      }
    });

    test('the console shows the page of a plugin in a frame', async () => {
      const tab = await newTab();
      await tab.open(own('/'));
      await expect.poll(() => tab.run(`document.querySelectorAll('nav a[href*="${ID}"]').length`)).toBeGreaterThan(0);
      await tab.run(`void document.querySelector('nav a[href*="${ID}"]').click()`);
      const title = `document.querySelector('iframe')?.contentDocument?.title`;
      await expect.poll(() => tab.run(title).catch(() => ''), {timeout: 5000}).toBe('a plugin');
    });

    test('the console shows its data', async () => {
      const tab = await newTab();
      await tab.open(own('/#/identity'));
      await expect.poll(() => tab.run('document.body.textContent'), {timeout: 10_000}).toContain('CRW0042');
      expect(codes()).not.toContain('foreign-page');
    });

    test('the client, a WebSocket and writes of its own page are answered, EventSource and plain reads are not', async () => {
      const tab = await newTab();
      await openPage(tab, own(''));
      const seen = await tab.run(`(async () => {
        const {createClient} = await import('./client.js');
        const {entries, events} = createClient({baseUrl: location.origin});
        await entries.put('own', 1);
        const {text} = await entries.get('own');
        let first;
        for await (const {kind} of events({initial: true, prefix: 'own'})) { first = kind; break; }
        const source = new EventSource('/api/events');
        const sourceOpened = await new Promise(end => { source.onopen = () => end(true); source.onerror = () => end(false); });
        source.close();
        const socket = new WebSocket('ws://' + location.host + '/api/events');
        const socketOpened = await new Promise(end => { socket.onopen = () => end(true); socket.onerror = () => end(false); });
        socket.close();
        const read = (await fetch('/api/store/own')).status;
        const written = (await fetch('/api/store/own', {method: 'POST', body: '2'})).status;
        return {text, first, sourceOpened, socketOpened, read, written};
      })()`);
      expect(seen).toEqual({
        ...{text: '1', first: 'entry-written', sourceOpened: false, socketOpened: true, read: 403, written: 200},
      });
    });

    test('the client of a page of another origin needs no preflight to read', async () => {
      const tab = await newTab();
      await openPage(tab, `http://localhost:${service.port}`);
      const {requests} = service.crewroom;
      const {cursor} = await requests.read();
      await tab.run(`import('./client.js').then(({createClient}) => createClient({baseUrl: '${own('')}'}).identity())`);
      const sent = (await requests.read(cursor)).requests.filter(({path}) => path === '/api/identity');
      expect(sent.map(({method, status}) => [method, status])).toEqual([['GET', 200]]);
    });
  });
}
