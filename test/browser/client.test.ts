import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {bundleClient} from '../support/bundle-client.ts';
import {startService, type TestService} from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {js: 'text/javascript', html: 'text/html'};

let browser: Browser;
let pages: PageServer;
let service: TestService;
let origin: string;

beforeAll(async () => {
  if (!CAN_BROWSE) return;
  browser = await launchChromium();
  const bundles = new Map([
    ['/bundle.js', (await bundleClient()).code],
    ['/service.js', (await bundleClient('crewroom/client/service')).code],
  ]);
  // A page, two entry points bundled from the published package, and the example with its modules.
  pages = await servePages(async ({url = '/'}, response) => {
    const path = url.replace(/\?.*/, '').replace(/\/$/, '/index.html');
    response.setHeader('Content-Type', TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain');
    const bundle = bundles.get(path);
    if (bundle !== undefined) response.end(bundle);
    else if (
      /^\/(dist\/(client|core\/(domain|failures|json|protocol|time))(\/[a-z]+)?|examples\/watch-page)\/[a-z-]+\.[a-z]+$/.test(
        path,
      )
    )
      response.end(await readFile(join(ROOT, path)));
    else response.end('<!doctype html><title>a page</title>');
  });
  origin = `http://127.0.0.1:${pages.port}`;
  service = await startService({allowOrigins: [origin]});
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
});

/** Script that runs inside the page; as text, since the types of pages are not those of this program. */
const USE_CLIENT = `(async baseUrl => {
  const {AppError, createClient, encodeText} = await import('/bundle.js');
  const {createService} = await import('/service.js');
  const {entries, identity} = createClient({baseUrl});
  const {readiness, sessions} = createService({baseUrl});
  const failureOf = call => call.then(() => 'none', error => error instanceof AppError && [error.failure.code, error.message]);
  const {created, revision} = await entries.put('plugin/a', encodeText('{"id": 9007199254740993}'), {expected: 'absent'});
  await entries.put('plugin/b', {volume: 0.5});
  const entry = await entries.get('plugin/a');
  const listed = [];
  for await (const {key, text} of entries.listAll({prefix: 'plugin/', values: true, pageLimit: 1})) listed.push([key, text]);
  const schema = {'~standard': {version: 1, vendor: 'page', validate: value =>
    typeof value.volume === 'string' ? {value} : {issues: [{message: 'is no text', path: ['volume']}]}}};
  return {
    pilot: (await identity()).document.va_user.pilotID,
    ready: (await readiness()).ready,
    session: (await sessions.status()).state,
    written: [created, entry.revision === revision],
    read: [new TextDecoder().decode(entry.json), entry.text, entry.value.id, entry.updatedAtMs > 0],
    listed,
    absent: await entries.get('plugin/c') === undefined && (await entries.delete('plugin/c')).deleted === 0,
    failures: [
      await failureOf(entries.put('plugin/a', 1, {expected: 'absent'})),
      await failureOf(entries.put('plugin/a', encodeText('{bad'))),
      await failureOf(entries.transact({operations: [{kind: 'put', key: 'plugin/a', value: encodeText('1 2')}]})),
      await failureOf(entries.get('plugin/b', {schema})),
      await failureOf(entries.get('..')),
    ],
    aborted: await entries.get('plugin/a', {signal: AbortSignal.abort('enough')}).catch(reason => reason),
    deleted: await entries.deleteRange({prefix: 'plugin/'}),
  };
})`;

/** Follows events in the page; \`seen\` and \`states\` can be read from outside. */
const FOLLOW = `(async baseUrl => {
  const {createClient} = await import('/bundle.js');
  window.seen = [];
  window.states = [];
  window.controller = new AbortController();
  const events = createClient({baseUrl}).events({
    prefix: 'watched/', initial: true, signal: controller.signal, onConnection: ({kind}) => states.push(kind),
  });
  window.ended = (async () => {
    for await (const event of events) seen.push([event.kind, event.key, event.text]);
    return events.cursor;
  })();
})`;

describe.skipIf(!CAN_BROWSE)('the client in a real browser (needs Chromium), in a page of an allowed origin', () => {
  test('reads and writes entries', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const json = '{"id": 9007199254740993}';
    expect(await page.evaluate(`${USE_CLIENT}(${JSON.stringify(`http://localhost:${service.port}`)})`)).toEqual({
      pilot: 'CRW0042',
      ready: true,
      session: 'signed-in',
      written: [true, true],
      read: [json, json, 9007199254740992, true],
      listed: [
        ['plugin/a', json],
        ['plugin/b', '{"volume":0.5}'],
      ],
      absent: true,
      failures: [
        ['revision-conflict', expect.stringMatching(/^Cannot change "plugin\/a": expected no entry, found revision /)],
        ['invalid-json', expect.stringMatching(/^Cannot read the value as JSON: /)],
        ['invalid-json', 'Cannot read the value as JSON: expected the end of the text, found "2" at byte 2'],
        ['invalid-value', 'Cannot use the value of "plugin/b": $.volume is no text'],
        ['invalid-key', expect.stringMatching(/^Cannot use the key ".."/)],
      ],
      aborted: 'enough',
      deleted: 2,
    });
    await page.close();
  });

  test('follows events, also while the service restarts', async () => {
    const first = await startService({allowOrigins: [origin], dataDir: join(service.dataDir, '..', 'restarted')});
    await first.crewroom.entries.put('watched/a', Buffer.from('1.0'));
    const page = await browser.newPage();
    await page.goto(origin);
    await page.evaluate(`${FOLLOW}(${JSON.stringify(`http://localhost:${first.port}`)})`);
    await page.waitForFunction('seen.length === 2');
    await first.crewroom.entries.put('watched/b', Buffer.from('9007199254740993'));
    await page.waitForFunction('seen.length === 3');
    await first[Symbol.asyncDispose]();
    await page.waitForFunction("states.at(-1) === 'lost'");
    const second = await startService({allowOrigins: [origin], dataDir: first.dataDir, port: first.port});
    await second.crewroom.entries.delete('watched/a');
    await page.waitForFunction('seen.length === 4');
    expect(await page.evaluate('seen')).toEqual([
      ['entry-written', 'watched/a', '1.0'],
      ['initial-ended', undefined, undefined],
      ['entry-written', 'watched/b', '9007199254740993'],
      ['entry-deleted', 'watched/a', undefined],
    ]);
    expect(await page.evaluate('states')).toEqual(expect.arrayContaining(['connected', 'lost', 'connected']));
    expect(await page.evaluate('controller.abort(), ended')).toMatch(/-3$/);
    await page.close();
    await second[Symbol.asyncDispose]();
  });

  test('keeps the table of the example equal to the store', async () => {
    const {entries} = service.crewroom;
    await entries.put('shown/a', '<b>1</b>');
    const page = await browser.newPage();
    await page.goto(`${origin}/examples/watch-page/?prefix=shown/&service=http://localhost:${service.port}`);
    const cells = page.locator('#entries td');
    await expect.poll(() => cells.allTextContents()).toEqual(['shown/a', '"<b>1</b>"']);
    await entries.put('shown/b', 2);
    await entries.delete('shown/a');
    await expect.poll(() => cells.allTextContents()).toEqual(['shown/b', '2']);
    expect(await page.locator('#connection').textContent()).toBe('connected');
    await page.close();
  });

  test('names the missing flag in a page of another origin', async () => {
    const page = await browser.newPage();
    const foreign = origin.replace('127.0.0.1', 'localhost');
    await page.goto(foreign);
    const failure = await page.evaluate(`import('/bundle.js').then(({createClient}) =>
      createClient({baseUrl: 'http://localhost:${service.port}'}).entries.get('k')).catch(({message}) => message)`);
    expect(failure).toContain(`--allow-origin ${foreign}`);
    await page.close();
  });

  test('is unreachable for a page of another origin', async () => {
    const page = await browser.newPage();
    await page.goto(
      `${origin.replace('127.0.0.1', 'localhost')}/examples/watch-page/?service=http://localhost:${service.port}`,
    );
    await expect.poll(() => page.locator('#connection').textContent()).toBe('lost');
    await page.close();
  });
});
