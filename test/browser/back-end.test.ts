import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {createMachine, type Running} from '../cli/crewroom.ts';
import {startPlay} from '../cli/play.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {type PageServer, servePages} from '../support/browsers/pages.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';

const ID = 'com.example.caller';

/** Scripts that run inside a page; as text, since the types of pages are not those of this program. */
const READ = `(url => fetch(url).then(answer => answer.json().then(({handler}) => handler), error => String(error)))`;
/** Sends the request; no page of another origin sees if it was refused. */
const POST_TO = `(url => fetch(url, {method: 'POST', mode: 'no-cors', body: 'x'}).then(() => {}, () => {}))`;
const SUBMIT = `(url => new Promise(resolve => {
  const frame = Object.assign(document.createElement('iframe'), {name: 'sink'});
  const form = Object.assign(document.createElement('form'), {action: url, method: 'post', target: 'sink'});
  document.body.append(frame, form);
  frame.addEventListener('load', () => resolve('sent'));
  form.submit();
}))`;

function inPage(page: Page, source: string, url: string): Promise<unknown> {
  return page.evaluate(`${source}(${JSON.stringify(url)})`);
}

describe.skipIf(!CAN_BROWSE)('the back end of a command that runs a plugin, in a real browser (needs Chromium)', () => {
  let browser: Browser;
  let pages: PageServer;
  beforeAll(async () => {
    browser = await launchShell();
    pages = await servePages();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.[Symbol.asyncDispose]();
  });

  async function openPage(url: string): Promise<Page> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(url);
    return page;
  }

  /** Opens the page of the plugin, or the card before it: both have its origin. */
  async function openPluginPage(port: number): Promise<Page> {
    const listed = await (await fetch(`http://127.0.0.1:${port}/api/plugins`)).text();
    const [, id = ''] = /"id":"([^"]+)"/.exec(listed) ?? [];
    const [, label = ''] = /"label":"([^"]+)"/.exec(listed) ?? [];
    return openPage(`http://${label}.crewroom.localhost:${port}/plugins/${id}/`);
  }

  async function check(running: Running, url: string, port: number): Promise<void> {
    const own = await openPluginPage(port);
    expect(await inPage(own, READ, url)).toBe('sample');
    const identity = await (await fetch(`http://127.0.0.1:${port}/api/identity`)).text();
    const [, session = ''] = /"session":"([^"]+)"/.exec(identity) ?? [];
    for (const host of ['localhost', '127.0.0.1', '127.0.0.2', 'evil.crewroom.localhost']) {
      const page = await openPage(`http://${host}:${pages.port}/`);
      expect(await inPage(page, READ, url)).toMatch(/^TypeError/);
      await inPage(page, POST_TO, `${url}sessions/expire`);
      expect(await inPage(page, SUBMIT, `${url}sessions/expire`)).toBe('sent');
    }
    const airports = await fetch(`${url}data/airports`, {headers: {Authorization: `Bearer ${session}`}});
    expect(airports.status).toBe(200);
    expect(running.child.exitCode).toBe(null);
  }

  test('answers the page of the plugin of dev, and no page of another origin', async () => {
    const machine = await createMachine();
    const folder = join(machine.home, ID);
    await writePlugin(folder, {'plugin.json': manifestOf(ID), 'ui/index.html': '<!doctype html>'});
    const running = machine.spawn(['dev', folder, '--json', '--no-open', '--port', '0', '--back-end', 'sample']);
    await running.until(({stdout}) => stdout.includes('\n'));
    const started = JSON.parse(running.said().stdout) as {
      readonly port: number;
      readonly backEnd: {readonly url: string};
    };
    await check(running, started.backEnd.url, started.port);
  }, 60_000);

  test('answers the page of the plugin of play, and no page of another origin', async () => {
    const {running, port} = await startPlay();
    const identity = await (await fetch(`http://127.0.0.1:${port}/api/identity`)).text();
    const [, url = ''] = /"scriptURL":"([^"]+)"/.exec(identity) ?? [];
    await check(running, url, port);
  }, 60_000);
});
