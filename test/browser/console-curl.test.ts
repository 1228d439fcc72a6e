import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import type {Browser, Locator, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';
import {callService, useService} from '../support/service.ts';

const run = promisify(execFile);

/** Texts that shells, curl or URLs take for something else. */
const KEYS = [
  `it's "quoted"/$HOME $(id) \`id\` \\ \\n !! * ~ & ; | # <é 日本 😀>`,
  '%2F/../{a,b}[1-3]/./?x=1&y#z',
  '@/dev/null',
];

/** One line, and several: with a quote, a variable, a command and a backslash each. */
const VALUES = [
  `{"it's": "$HOME $(id) \`id\` \\\\ \\u0041 \\" !! é 日本 😀", "n": 1.0}`,
  `[\n  "it's",\r\n  "$HOME\\\\"\n]`,
];

/** The shell of scripts, and one that people type into. */
const SHELLS = ['sh', 'bash'];

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

/** Presses a button that copies, and returns what the clipboard has then. */
async function copy(page: Page, button: Locator): Promise<string> {
  await page.evaluate(`navigator.clipboard.writeText('')`);
  await button.click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).not.toBe('');
  return page.evaluate('navigator.clipboard.readText()');
}

/** Runs a command in a shell. @returns What it prints. */
async function answerOf(shell: string, command: string): Promise<string> {
  return (await run(shell, ['-c', `${command} --silent --show-error`])).stdout;
}

describe.skipIf(!CAN_BROWSE)('a curl command that the console copies', () => {
  const service = useService({ephemeral: true});
  const open = (fragment: string) =>
    openConsole(browser, service().url, {fragment, permissions: ['clipboard-read', 'clipboard-write']});

  for (const key of KEYS)
    for (const value of VALUES)
      test(`reads and writes ${JSON.stringify(value)} at ${JSON.stringify(key)}`, async () => {
        const {entries} = service().crewroom;
        await entries.put(key, Buffer.from(value));
        const {page} = await open(`#/entries/${encodeURIComponent(key)}`);
        const write = await copy(page, page.getByRole('button', {name: 'Copy curl to write the entry'}));
        const read = await copy(page, page.getByRole('button', {name: 'Copy curl to read the entry'}));
        for (const shell of SHELLS) {
          await entries.put(key, null);
          expect(JSON.parse(await answerOf(shell, write))).toHaveProperty('etag');
          expect((await entries.get(key))?.text).toBe(value);
          expect(await answerOf(shell, read)).toBe(value);
        }
      });

  test('repeats a request with its address and its headers', async () => {
    const {entries, requests} = service().crewroom;
    const key = `repeated/${KEYS[0]}`;
    await entries.put(key, Buffer.from('1.0'));
    const path = `/api/store/${encodeURIComponent(key)}`;
    const headers = [`If-None-Match: "it's-$HOME-\`id\`-\\"`, 'Accept: a/b;q="1"'];
    await callService(service(), `GET ${path}`, {headers});
    const {page} = await open('#/requests');
    await page.getByRole('button', {name: `GET ${path}, 200`}).click();
    const command = await copy(page, page.getByRole('button', {name: 'Copy as curl'}));
    for (const shell of SHELLS) expect(await answerOf(shell, command)).toBe('1.0');
    const sent = (await requests.read()).requests
      .filter(request => request.path === path)
      .map(request => [`If-None-Match: ${request.headers['if-none-match']}`, `Accept: ${request.headers['accept']}`]);
    expect(sent).toEqual([headers, headers, headers]);
  });

  test('on Windows, has a note in its place if cmd or PowerShell would read a part of it otherwise', async () => {
    const {entries} = service().crewroom;
    await entries.put('plain', 1);
    await entries.put('a&calc', Buffer.from('{"a": "$(calc)"}'));
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/120.0.0.0 Safari/537.36';
    const permissions = ['clipboard-read', 'clipboard-write'];
    const {page} = await openConsole(browser, service().url, {fragment: '#/entries/plain', permissions, userAgent});
    const reading = page.getByRole('button', {name: 'Copy curl to read the entry'});
    expect(await copy(page, reading)).toBe(`curl.exe http://localhost:${service().port}/api/store/plain`);
    await page.evaluate(`location.hash = '#/entries/a%26calc'`);
    await page.getByText('use “crewroom get” and, with a file, “crewroom put”').waitFor();
    await expect.poll(() => page.getByRole('button', {name: /^curl/}).count()).toBe(0);
    await callService(service(), 'GET /api/x&calc&');
    await page.evaluate(`location.hash = '#/requests'`);
    await page.getByRole('button', {name: 'GET /api/x&calc&, 404'}).click();
    await page.getByText('There is no command to copy').waitFor();
    expect(await page.getByRole('button', {name: 'Copy as curl'}).count()).toBe(0);
  });
});
