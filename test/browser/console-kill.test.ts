import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {createMachine} from '../cli/crewroom.ts';
import {CAN_BROWSE, launchShell} from '../support/browsers/chromium.ts';
import {openConsole} from '../support/browsers/console.ts';

const machine = await createMachine();

let browser: Browser;

beforeAll(async () => {
  if (CAN_BROWSE) browser = await launchShell();
});
afterAll(() => browser?.close());

/** Stores a value, as a plugin does. */
async function write(url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/api/store/${key}`, {method: 'POST', body: '1'});
  expect(answer.status).toBe(200);
}

describe.skipIf(!CAN_BROWSE)('a console in Chromium whose service is killed', () => {
  test('reports it on each page, and follows it again once it is back', async () => {
    const dataDir = join(machine.home, 'killed');
    const first = await machine.start(['--data-dir', dataDir]);
    const {page, problems} = await openConsole(browser, first.url, {fragment: '#/events'});
    await page.getByText('Nothing has changed since').waitFor();
    await write(first.url, 'before');
    await page.getByRole('button', {name: 'Written before'}).waitFor();
    first.child.kill('SIGKILL');
    await first.finished;
    for (const fragment of [
      '#/',
      '#/identity',
      '#/entries',
      '#/requests',
      '#/plugins',
      '#/faults',
      '#/settings',
      '#/events',
    ]) {
      await page.evaluate(`location.hash = '${fragment}'`);
      await page.getByText('The service does not answer.').waitFor();
      await page.getByRole('heading', {level: 1}).waitFor();
    }
    machine.spawn(['start', '--port', String(first.port), '--data-dir', dataDir]);
    await expect.poll(() => page.getByText('The service does not answer.').count()).toBe(0);
    // The list of events began again with its page.
    await page.getByText('Nothing has changed since').waitFor();
    await write(first.url, 'after');
    await page.getByRole('button', {name: 'Written after'}).waitFor();
    await page.evaluate(`location.hash = '#/entries'`);
    for (const key of ['before', 'after']) await page.getByTitle(key, {exact: true}).waitFor();
    // Browsers report each request that nothing answers. Nothing else went wrong.
    expect(
      problems.filter(problem => !/ERR_CONNECTION_|ERR_INCOMPLETE|ERR_EMPTY|ERR_SOCKET|50\d/.test(problem)),
    ).toEqual([]);
  });
});
