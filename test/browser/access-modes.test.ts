import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {ACCESS_MODES} from '../../src/core/domain/access/access.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {type CallerKind, pageOrigin} from '../support/access-callers.ts';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {keepScreenshot, openConsole} from '../support/browsers/console.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {type PluginService, startPlugins} from '../support/plugin-service.ts';

const [HOSTILE, VICTIM] = ['com.example.hostile', 'com.example.hostile2'] as const;

/** The script of a page as published ones are: it calls the address that it has as a constant, without credentials. */
const PAGE = `
const service = 'http://localhost:7172';
const call = async (path, options) => {
  const answer = await fetch(service + path, options);
  return {status: answer.status, text: await answer.text()};
};
const keep = (key, value) => call('/api/store/' + encodeURIComponent(key), {method: 'POST', body: JSON.stringify(value)});
const follow = prefix => new Promise(resolve => {
  const stream = new EventSource(service + '/api/events?after=0&prefix=' + encodeURIComponent(prefix));
  stream.addEventListener('entry-written', event => (stream.close(), resolve(event.data)));
  stream.onerror = () => (stream.close(), resolve('refused'));
});
const socket = prefix => new Promise(resolve => {
  const opened = new WebSocket(service.replace('http', 'ws') + '/api/events?after=0&prefix=' + encodeURIComponent(prefix));
  opened.onmessage = event => (opened.close(), resolve(event.data));
  opened.onerror = () => resolve('refused');
});
const frame = url => new Promise(resolve => {
  const element = document.createElement('iframe');
  element.src = url;
  element.onload = () => { try { resolve(element.contentDocument.title); } catch (error) { resolve(error.name); } };
  document.body.append(element);
});
`;

let browser: Browser;
beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchChromium();
});
afterAll(() => browser?.close());

function startBoth(access: (typeof ACCESS_MODES)[number]): Promise<PluginService> {
  return startPlugins(
    async directory => {
      for (const id of [HOSTILE, VICTIM])
        await writePlugin(join(directory, id), {
          'ui/index.html': `<!doctype html><title>${id}</title><script src="page.js"></script><body>`,
          'ui/page.js': PAGE,
        });
    },
    {ephemeral: true, access},
  );
}

/** Opens the page of a plugin in a window, and returns a function that evaluates an expression in it. */
async function openPage(service: PluginService, kind: CallerKind, id: string) {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page: Page = await context.newPage();
  await page.goto(`${await pageOrigin(service, kind, id)}/plugins/${id}/`);
  return <T>(expression: string): Promise<T> => page.evaluate<T>(expression);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

describe.skipIf(!CAN_BROWSE)('two plugins of which one tries to take what the other has (needs Chromium)', () => {
  const secrets = [SAMPLE_DOCUMENT.va_user.session, SAMPLE_DOCUMENT.vendor_design_user?.token ?? ''];
  const cases = [
    {access: 'open', kind: 'page', own: true, others: true, session: true},
    {access: 'attributed', kind: 'page', own: true, others: false, session: false},
    {access: 'strict', kind: 'page in the console', own: true, others: false, session: false},
    {access: 'strict', kind: 'page', own: false, others: false, session: false},
  ] as const;
  for (const {access, kind, own, others, session} of cases)
    test(`${access}, ${kind}: ${own ? 'works with its own data' : 'gets nothing'}${others ? ', and with everything else' : ''}`, async () => {
      const service = await startBoth(access);
      await service.crewroom.entries.put(`${VICTIM}/secret`, 'of the victim');
      await service.crewroom.entries.put('shared/x', 'shared');
      const evaluate = await openPage(service, kind, HOSTILE);

      // Its own data, by every way of a page.
      expect((await evaluate<Answer>(`keep('${HOSTILE}/x', 'kept')`)).status).toBe(own ? 200 : 401);
      const follows = async (prefix: string, text: string) => {
        const got = await evaluate<readonly string[]>(`Promise.all([follow('${prefix}'), socket('${prefix}')])`);
        return got.map(each => each.includes(text));
      };
      expect(await follows(`${HOSTILE}/`, 'kept')).toEqual([own, own]);
      expect(await follows('shared/', 'shared')).toEqual([own, own]);

      // The identity, with the session only in the mode open.
      const identity = await evaluate<Answer>(`call('/api/identity')`);
      expect([identity.status, ...secrets.map(secret => identity.text.includes(secret))]).toEqual([
        own ? 200 : 401,
        session,
        session,
      ]);

      // The data of the other one, whose id begins like its own.
      const refused = own ? 403 : 401;
      for (const path of [
        `/api/store/${VICTIM}%2Fsecret`,
        '/api/keys?values=true',
        '/api/export',
        `/api/keys?prefix=${VICTIM}/&values=true`,
      ]) {
        const {status, text} = await evaluate<Answer>(`call('${path}')`);
        expect([status, text.includes('of the victim')], path).toEqual(others ? [200, true] : [refused, false]);
      }
      expect(await follows(`${VICTIM}/`, 'of the victim')).toEqual([others, others]);
      expect(await follows('', 'of the victim')).toEqual([others, others]);
      const written = await evaluate<Answer>(`keep('${VICTIM}/secret', 'taken over')`);
      expect(written.status).toBe(others ? 200 : refused);
      expect((await service.crewroom.entries.get(`${VICTIM}/secret`))?.text).toBe(
        others ? '"taken over"' : '"of the victim"',
      );

      // Its page, whose address it may know in the modes without a secret.
      const page = `${await pageOrigin(service, kind, VICTIM)}/plugins/${VICTIM}/`;
      expect(await evaluate<string>(`frame('${page}')`)).not.toBe(VICTIM);
      const through = await evaluate<string>(
        `fetch('${page}../../api/store/${VICTIM}%2Fsecret').then(answer => answer.text(), error => error.name)`,
      );
      expect(through).toBe('TypeError');
    });

  test('strict: tells a page that was opened elsewhere to open it in the console', async () => {
    const service = await startBoth('strict');
    const evaluate = await openPage(service, 'page', HOSTILE);
    const {text} = await evaluate<Answer>(`call('/api/identity')`);
    expect(JSON.parse(text)).toMatchObject({
      ...{code: 'token-required', plugin: HOSTILE},
      advice: expect.stringContaining('"crewroom console"'),
    });
  });
});

describe.skipIf(!CAN_BROWSE)('the console of the owner (needs Chromium)', () => {
  for (const access of ['attributed', 'strict'] as const)
    test(`shows the page of a plugin in the mode ${access}, and there it works`, async () => {
      const service = await startBoth(access);
      const code = await createOwnerCode(service);
      const {page, problems} = await openConsole(browser, service.url, {code, fragment: `#/plugins/${HOSTILE}`});
      const element = await page.waitForSelector('iframe');
      const frame = await element.contentFrame();
      await frame?.waitForFunction('typeof keep === "function"');
      expect(frame?.url()).toContain(
        await pageOrigin(service, access === 'strict' ? 'page in the console' : 'page', HOSTILE),
      );
      expect(await frame?.evaluate<Answer>(`keep('${HOSTILE}/x', 'kept')`)).toMatchObject({status: 200});
      expect(await frame?.evaluate<string>(`follow('${HOSTILE}/')`)).toContain('kept');
      expect(problems).toEqual([]);
    });

  for (const access of ['attributed', 'strict'] as const)
    test(`says in the mode ${access} how it is opened, if it was opened without a code`, async () => {
      const service = await startBoth(access);
      const {page} = await openConsole(browser, service.url, {fragment: `#/plugins/${HOSTILE}`});
      await page.getByText('crewroom console').first().waitFor();
      await keepScreenshot(page, `console-without-code-${access}`);
      expect(await page.locator('iframe').count()).toBe(0);
    });
});
