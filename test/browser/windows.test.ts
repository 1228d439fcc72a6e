import type {IncomingHttpHeaders} from 'node:http';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {LogFields} from '../../src/core/domain/log.ts';
import type {DrivenBrowser, Tab} from '../support/browsers/browser.ts';
import {CAN_BROWSE, driveChromium} from '../support/browsers/chromium.ts';
import {CAN_BROWSE_FIREFOX, driveFirefox} from '../support/browsers/firefox.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {startService, type TestService} from '../support/service.ts';

/** Refusals of the service, so that a test can wait for a request that no page can see. */
const refused: LogFields[] = [];
const keep = (_message: string, about: LogFields = {}): void => void refused.push(about);

let service: TestService;
let pages: PageServer;
/** The same foreign pages, by their relation to the service at `localhost`. */
let origins: Readonly<Record<'samesite' | 'crosssite', string>>;
/** The headers of the last request for `/recorded`. */
let recorded: IncomingHttpHeaders = {};

beforeAll(async () => {
  service = await startService({}, {log: {error: keep, info: keep, debug: keep}});
  await service.crewroom.entries.put('there', 'untouched');
  pages = await servePages(({url = '/', headers}, response) => {
    const {pathname, searchParams} = new URL(url, 'http://any');
    if (pathname === '/recorded') recorded = headers;
    const status = Number(/^\/redirect\/(\d+)/.exec(pathname)?.[1] ?? 200);
    const to = searchParams.get('to');
    response.writeHead(status, {'Content-Type': 'text/html', ...(to === null ? {} : {Location: to})});
    response.end(`<!doctype html><title>a page</title>${searchParams.get('html') ?? ''}`);
  });
  const {port} = pages;
  origins = {samesite: `http://localhost:${port}`, crosssite: `http://127.0.0.2:${port}`};
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  refused.length = 0;
});

/** An address of the service as plugins call it. */
function api(path: string): string {
  return `http://localhost:${service.port}${path}`;
}

/** A foreign page that redirects. */
function redirectTo(url: string, status = 302): string {
  return `${origins.crosssite}/redirect/${status}?to=${encodeURIComponent(url)}`;
}

/** A foreign page with this content. */
function pageWith(html: string, origin = origins.crosssite): string {
  return `${origin}/?html=${encodeURIComponent(html)}`;
}

function codes(): readonly unknown[] {
  return refused.map(({code}) => code);
}

/** Waits until a tab shows an address of the service, and returns its text. */
async function readText(tab: Tab): Promise<string> {
  await expect.poll(() => tab.run('location.origin').catch(() => '')).toBe(api(''));
  return String(await tab.run('document.documentElement.textContent'));
}

async function expectRefusedText(tab: Tab): Promise<void> {
  const text = await readText(tab);
  expect(text).toContain('not-a-page');
  expect(text).toContain('/docs');
  expect(text).not.toMatch(/va_user|pilotID|untouched/);
}

const BROWSERS = [
  {name: 'Chromium', present: CAN_BROWSE, drive: driveChromium},
  {name: 'Firefox', present: CAN_BROWSE_FIREFOX, drive: driveFirefox},
];

for (const {name, present, drive} of BROWSERS) {
  describe.skipIf(!present)(`in a real browser (needs ${name})`, () => {
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

    test('an opened address that redirects to another site looks as if the user had typed it', async () => {
      const tab = await newTab();
      await tab.open(redirectTo(`${origins.samesite}/recorded`));
      expect(recorded).toMatchObject({'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate'});
      expect(recorded).not.toHaveProperty('origin');
    });

    for (const status of [301, 302, 307]) {
      test(`an opened address that redirects (${status}) to the identity shows nothing of it`, async () => {
        const tab = await newTab();
        await tab.open(redirectTo(api('/api/identity'), status));
        await expectRefusedText(tab);
        expect(codes()).toContain('not-a-page');
      });
    }

    test('such an address is refused at once, whether or not a key exists', async () => {
      const tab = await newTab();
      for (const key of ['there', 'absent']) {
        await tab.open(redirectTo(api(`/api/events?prefix=${key}&after=1&waitSeconds=50`)));
        await expectRefusedText(tab);
      }
      // A lookup would have waited for 50 seconds.
    }, 45_000);

    test('a page that navigates back to such an address gets nothing', async () => {
      const tab = await newTab();
      await tab.open(redirectTo(api('/api/identity')));
      await tab.open(pageWith(''));
      await tab.run('void setTimeout(() => history.back())');
      await expectRefusedText(tab);
    });

    test('a refused page stays refused when it is reloaded', async () => {
      const tab = await newTab();
      await tab.open(pageWith(`<a href="${api('/api/store/there')}">link</a>`));
      await tab.run('void setTimeout(() => document.links[0].click())');
      await expectRefusedText(tab);
      refused.length = 0;
      await tab.reload();
      await expectRefusedText(tab);
      expect(codes()).toContain('not-a-page');
    });

    test('an opener has no reference to a window that shows the service, and cannot navigate it back', async () => {
      const opener = await newTab();
      await opener.open(pageWith(''));
      const opened = await opener.openWindow(pageWith('<p>opened'));
      onTestFinished(() => opened.close().catch(() => {}));
      expect(await opener.run('opened.closed')).toBe(false);
      await opened.open(redirectTo(api('/api/identity')));
      await expectRefusedText(opened);
      expect(await opener.run('opened.closed')).toBe(true);
      await opened.open(pageWith('<p>elsewhere'));
      await opener.run(`(() => { try { opened.history.back() } catch {} })()`);
      expect(await opener.run('opened.closed')).toBe(true);
      expect(await opened.run('document.body.textContent')).toBe('elsewhere');
    });

    for (const {path, title} of [
      {path: '/', title: 'Crewroom'},
      {path: '/docs', title: 'Crewroom docs - Crewroom'},
      {path: '/docs/api', title: 'API explorer - Crewroom'},
    ]) {
      test(`a link from another site opens ${path}, in a window without a reference for that site`, async () => {
        const opener = await newTab();
        await opener.open(pageWith(''));
        const opened = await opener.openWindow(api(path));
        onTestFinished(() => opened.close().catch(() => {}));
        await expect.poll(() => opened.run('document.title').catch(() => '')).toBe(title);
        // The console moves to its own name meanwhile.
        await expect.poll(() => opened.run('window.opener').catch(() => undefined)).toBe(null);
        await expect.poll(() => opener.run('opened.closed')).toBe(true);
      });
    }

    test('another site cannot frame the documentation', async () => {
      const tab = await newTab();
      await tab.open(pageWith(`<iframe src="${api('/docs')}"></iframe>`));
      await expect.poll(codes).toContain('not-a-page');
    });

    test('a prefetch by a link element gets nothing', async () => {
      const tab = await newTab();
      await tab.open(pageWith(`<link rel="prefetch" href="${api('/api/store/there')}">`));
      await expect.poll(codes).toContain('foreign-page');
      expect(refused).toHaveLength(1);
    });
  });
}

describe.skipIf(!CAN_BROWSE)('speculation rules (needs Chromium)', () => {
  let browser: DrivenBrowser;
  beforeAll(async () => {
    browser = await driveChromium();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  for (const {action, origin} of [
    {action: 'prefetch', origin: 'crosssite'},
    {action: 'prefetch', origin: 'samesite'},
    {action: 'prerender', origin: 'samesite'},
  ] as const) {
    for (const path of ['/api/identity', '/api/store/there', '/docs']) {
      test(`${action} of ${path} by a page that is ${origin} gets nothing`, async () => {
        const tab = await browser.newTab();
        onTestFinished(() => tab.close());
        const rules = JSON.stringify({[action]: [{source: 'list', urls: [api(path)], eagerness: 'immediate'}]});
        await tab.open(pageWith(`<script type="speculationrules">${rules}</script>`, origins[origin]));
        await expect.poll(codes).toContain('foreign-page');
        expect(refused.every(({status}) => status === 403)).toBe(true);
      });
    }
  }
});
