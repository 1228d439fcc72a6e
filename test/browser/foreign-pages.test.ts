import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {LogFields} from '../../src/core/domain/log.ts';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {startService, type TestService} from '../support/service.ts';

/** Log lines of refused requests, so that a test can wait for a request that no page can see. */
const refused: LogFields[] = [];
const keep = (_message: string, about: LogFields = {}): void => void refused.push(about);
// Refusals repeated within a minute are logged as debug.
const log = {error: () => {}, info: keep, debug: keep};

let browser: Browser;
let pages: PageServer;
let service: TestService;

/** Origins of the pages, by their relation to the service at `localhost`. */
let origins: Readonly<Record<'samesite' | 'crosssite' | 'allowed', string>>;

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  pages = await servePages();
  const {port} = pages;
  origins = {
    samesite: `http://localhost:${port}`,
    crosssite: `http://127.0.0.2:${port}`,
    allowed: `http://127.0.0.1:${port}`,
  };
  service = await startService({allowOrigins: [origins.allowed]}, {log});
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
});

async function openPage(who: keyof typeof origins): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(origins[who]);
  return page;
}

beforeEach(async () => {
  await service.crewroom.entries.put('k', 'untouched');
  refused.length = 0;
});

/** Address of the services as plugins call it. */
function url(path: string): string {
  return `http://localhost:${service.port}${path}`;
}

async function readValue(): Promise<string> {
  return Buffer.from((await service.crewroom.entries.get('k'))?.json ?? []).toString();
}

/** Script that runs inside a page; as text, since the types of pages are not those of this program. */
const SEND_BEACON = `(target => navigator.sendBeacon(target, '"evil"'))`;
const OPEN_SOCKET = `(target => new Promise(resolve => {
  const socket = new WebSocket(target);
  socket.onopen = () => resolve('open');
  socket.onerror = () => resolve('error');
}))`;
const SUBMIT_FORM = `(([action, enctype]) => {
  const frame = document.createElement('iframe');
  frame.name = 'sink';
  const form = document.createElement('form');
  Object.assign(form, {action, enctype, method: 'post', target: 'sink'});
  const field = document.createElement('input');
  // As text/plain this becomes {"a":"=b"}, which is JSON.
  Object.assign(field, {name: '{"a":"', value: 'b"}'});
  form.append(field);
  document.body.append(frame, form);
  form.submit();
})`;
const EMBED = `(([src, tag]) => new Promise(resolve => {
  const element = document.createElement(tag);
  // A frame loads its error page too; what counts is whether it can be read.
  const seen = () => tag !== 'iframe' ? 'loaded' : element.contentDocument === null ? 'unreadable' : 'readable';
  element.addEventListener('load', () => resolve(seen()));
  element.addEventListener('error', () => resolve('unreadable'));
  element.src = src;
  document.body.append(element);
}))`;

function inPage(page: Page, source: string, argument: string | readonly string[]): Promise<unknown> {
  return page.evaluate(`${source}(${JSON.stringify(argument)})`);
}

/** Waits until the service has refused a request, and checks that nothing else happened. */
async function expectRefusal(): Promise<void> {
  await expect.poll(() => refused.length).toBeGreaterThan(0);
  expect(['foreign-page', 'not-a-page']).toContain(refused[0]?.['code']);
  expect(await readValue()).toBe('"untouched"');
}

for (const [who, name] of [
  ['samesite', 'a page of another port'],
  ['crosssite', 'a page of another site'],
] as const) {
  describe.skipIf(!CAN_BROWSE)(`in a real browser (needs Chromium), ${name}`, () => {
    test('cannot read the identity with fetch', async () => {
      const page = await openPage(who);
      const outcome = await page.evaluate(
        target =>
          fetch(target)
            .then(answer => answer.text())
            .catch(error => `failed: ${error}`),
        url('/api/identity'),
      );
      expect(outcome).toMatch(/^failed: TypeError/);
      await expectRefusal();
    });

    test('cannot read it with a fetch in mode no-cors', async () => {
      const page = await openPage(who);
      const outcome = await page.evaluate(async target => {
        const answer = await fetch(target, {mode: 'no-cors'}).catch(error => error as Error);
        return answer instanceof Response ? [answer.type, answer.status, await answer.text()] : [];
      }, url('/api/identity'));
      // Opaque, or no answer at all because of Cross-Origin-Resource-Policy.
      expect([[], ['opaque', 0, '']]).toContainEqual(outcome);
      await expectRefusal();
    });

    test('cannot write with a fetch of plain text, which browsers send without a preflight', async () => {
      const page = await openPage(who);
      await page.evaluate(
        target =>
          fetch(target, {method: 'POST', mode: 'no-cors', body: '"evil"'}).then(
            () => {},
            () => {},
          ),
        url('/api/store/k'),
      );
      await expectRefusal();
    });

    for (const method of ['PUT', 'DELETE']) {
      test(`cannot ${method}, for which browsers send a preflight`, async () => {
        const page = await openPage(who);
        const outcome = await page.evaluate(
          ([target, verb]) =>
            fetch(target, {method: verb}).then(
              answer => String(answer.status),
              error => `failed: ${error}`,
            ),
          [url('/api/store/k'), method] as const,
        );
        expect(outcome).toMatch(/^failed: TypeError/);
        await expectRefusal();
      });
    }

    test('cannot write with a beacon', async () => {
      expect(await inPage(await openPage(who), SEND_BEACON, url('/api/store/k'))).toBe(true);
      await expectRefusal();
    });

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      test(`cannot write with a form of ${type}`, async () => {
        await inPage(await openPage(who), SUBMIT_FORM, [url('/api/store/k'), type]);
        await expectRefusal();
      });
    }

    for (const tag of ['img', 'script', 'iframe']) {
      test(`cannot load the identity as ${tag}`, async () => {
        expect(await inPage(await openPage(who), EMBED, [url('/api/identity'), tag])).toBe('unreadable');
        await expectRefusal();
      });
    }

    test('cannot open a WebSocket', async () => {
      const target = url('/api/identity').replace('http:', 'ws:');
      expect(await inPage(await openPage(who), OPEN_SOCKET, target)).toBe('error');
      await expectRefusal();
    });
  });
}

describe.skipIf(!CAN_BROWSE)('in a real browser (needs Chromium), a page of an allowed origin', () => {
  test('reads the identity', async () => {
    const identity = await (await openPage('allowed')).evaluate(
      async target => (await fetch(target)).json() as Promise<object>,
      url('/api/identity'),
    );
    expect(identity).toHaveProperty('va_user');
  });

  test('writes as existing plugins do, without a preflight', async () => {
    const answer = await (await openPage('allowed')).evaluate(async target => {
      const answered = await fetch(target, {method: 'POST', body: JSON.stringify({a: 1})});
      return [answered.status, await answered.text()];
    }, url('/api/store/k'));
    expect(answer).toEqual([200, '{}']);
    expect(await readValue()).toBe('{"a":1}');
  });

  test('writes conditionally after a preflight, and reads the headers it needs', async () => {
    const seen = await (await openPage('allowed')).evaluate(async target => {
      const read = await fetch(target);
      const etag = read.headers.get('ETag') ?? '';
      const headers = {'Content-Type': 'application/json', 'If-Match': etag};
      const first = await fetch(target, {method: 'PUT', headers, body: '2'});
      const second = await fetch(target, {method: 'PUT', headers, body: '3'});
      const {code} = (await second.json()) as {code: string};
      return {etag, updatedAt: read.headers.get('Updated-At'), first: first.status, second: second.status, code};
    }, url('/api/store/k'));
    expect(seen).toEqual({
      etag: expect.stringMatching(/^"[0-9a-f]{16}-[0-9]+"$/),
      updatedAt: expect.stringMatching(/^20/),
      first: 200,
      second: 412,
      code: 'revision-conflict',
    });
    expect(await readValue()).toBe('2');
  });

  test('reads why it failed', async () => {
    const failure = await (await openPage('allowed')).evaluate(
      async target => (await fetch(target)).json() as Promise<object>,
      url('/api/store/absent'),
    );
    expect(failure).toMatchObject({code: 'no-entry', key: 'absent'});
  });

  test('deletes', async () => {
    const status = await (await openPage('allowed')).evaluate(
      async target => (await fetch(target, {method: 'DELETE'})).status,
      url('/api/store/k'),
    );
    expect(status).toBe(200);
    expect(await readValue()).toBe('');
  });
});
