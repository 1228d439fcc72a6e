import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {SHORTCUTS} from '../../console/src/shell/keys/shortcuts.ts';
import {findViolations} from '../support/browsers/accessibility.ts';
import {CAN_BROWSE} from '../support/browsers/chromium.ts';
import {keepScreenshot, type OpenConsole, openConsole} from '../support/browsers/console.ts';
import {usePlugins} from '../support/browsers/plugin-browser.ts';
import {createOwnerCode} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import type {TestService} from '../support/service.ts';

const ID = 'com.example.radio';

let browser: Browser;
let service: TestService;

usePlugins(
  directory =>
    writePlugin(join(directory, ID), {
      'plugin.json': manifestOf(ID, {name: 'Radio'}),
      'ui/index.html': '<!doctype html><title>Radio</title><button>Tune</button>',
    }),
  async started => {
    ({browser, service} = started);
    for (const name of ['volume', 'presets/tower', 'presets/ground'])
      await service.crewroom.entries.put(`com.example.radio/${name}`, 1);
  },
);

/** Opens the console, and waits until its plugins are known. */
async function open(options: Parameters<typeof openConsole>[2] = {}): Promise<OpenConsole> {
  const opened = await openConsole(browser, service.url, options);
  await opened.page.locator('.menu-link', {hasText: 'Radio'}).waitFor({state: 'attached'});
  return opened;
}

/** Opens the palette, and types into it. */
async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('[role="combobox"]').waitFor();
  await page.keyboard.type(text);
}

/** Returns the name of the option that Enter runs, as assistive technology finds it. */
function chosen(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const id = document.activeElement.getAttribute('aria-activedescendant');
    const option = document.getElementById(id);
    return option?.getAttribute('aria-selected') === 'true' ? option.querySelector('bdi').textContent : undefined;
  })()`);
}

describe.skipIf(!CAN_BROWSE)('the palette in Chromium, with the keyboard alone', () => {
  for (const {text, name, address, heading} of [
    {text: 'requ', name: 'Requests', address: '#/requests', heading: 'Requests'},
    {text: 'radio log', name: 'Radio: log', address: `#/plugins/${ID}/log`, heading: 'Radio'},
    {
      text: `${ID}/presets/t`,
      name: `${ID}/presets/tower`,
      address: `#/entries/${encodeURIComponent(`${ID}/presets/tower`)}`,
      heading: 'Entries',
    },
  ])
    test(`leads to ${name}, and moves the focus there`, async () => {
      const {page, problems} = await open();
      await find(page, text);
      await expect.poll(() => chosen(page)).toBe(name);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', {name: heading, level: 1}).waitFor();
      expect(await page.evaluate('location.hash')).toBe(address);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
      expect(problems).toEqual([]);
    });

  test('keeps what is chosen when keys are found above it', async () => {
    await service.crewroom.entries.put('full/tank', 1);
    const {page} = await open();
    await find(page, 'full');
    await expect.poll(() => chosen(page)).toBe('Switch on Full disk');
    await page.getByRole('option', {name: 'full/tank'}).waitFor();
    expect(await chosen(page)).toBe('Switch on Full disk');
    await page.keyboard.press('ArrowUp');
    expect(await chosen(page)).toBe('full/tank');
  });

  test('runs nothing while the Enter that opened it is held down', async () => {
    const {page} = await open();
    await page.getByRole('button', {name: 'Find…'}).focus();
    await page.keyboard.down('Enter');
    await page.locator('[role="combobox"]').waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('serves another sample pilot, whom the header names then', async () => {
    const {page} = await open({code: await createOwnerCode(service)});
    await page.getByRole('banner').getByText('Ada').waitFor();
    await find(page, 'pilot first-officer');
    await expect.poll(() => chosen(page)).toBe('Serve first-officer');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const {json} = service.crewroom.identitySource.current() ?? {};
    const served = JSON.parse(Buffer.from(json ?? []).toString()).va_user;
    await page.getByRole('banner').getByText(`${served.firstName} ${served.lastName}`).waitFor();
    service.crewroom.pilots.use('captain');
  });

  test('switches a fault on and all faults off for the owner, and leads others to their page', async () => {
    const {page} = await open({code: await createOwnerCode(service)});
    await page.getByText('Healthy').waitFor();
    await find(page, 'full disk');
    await expect.poll(() => chosen(page)).toBe('Switch on Full disk');
    await page.keyboard.press('Enter');
    await page.getByText('A fault is on:').waitFor();
    await find(page, 'clear');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText('A fault is on:').count()).toBe(0);
    const {page: reader} = await open();
    await find(reader, 'full disk');
    await reader.keyboard.press('Enter');
    await reader.getByRole('heading', {name: 'Faults', level: 1}).waitFor();
  });

  test('moves among what it finds, says how much that is, and returns the focus when it is closed', async () => {
    const {page} = await open();
    await page.getByRole('link', {name: 'Events'}).first().focus();
    await find(page, '');
    expect(await chosen(page)).toBe('Overview');
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).toBe('Identity');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await chosen(page)).toBe('Overview');
    await page.keyboard.type('no such thing');
    await page.getByRole('dialog').getByRole('status').getByText('Nothing found').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Events');
    await page.keyboard.press('Meta+k');
    await page.locator('[role="combobox"]').waitFor();
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 360],
  ] as const)
    test(`has a button, and nothing that the rules of accessibility forbid, ${theme}, ${width} px`, async () => {
      const {page} = await open({viewport: {width, height: 800}, colorScheme: theme});
      if (width === 360) await page.getByRole('button', {name: 'Menu'}).click();
      await page.getByRole('button', {name: 'Find…'}).click();
      for (const [text, name] of [
        ['', 'palette'],
        ['radio', 'palette-found'],
        ['xyz', 'palette-nothing'],
      ] as const) {
        await page.locator('[role="combobox"]').fill(text);
        if (text === 'radio') await page.locator('[role="option"]').nth(2).waitFor();
        await keepScreenshot(page, `${name}-${theme}-${width}`);
        expect([text, ...(await findViolations(page))]).toEqual([text]);
      }
      await page.keyboard.press('Escape');
      await expect.poll(() => page.evaluate(`document.activeElement.matches('button.find')`)).toBe(true);
    });
});

describe.skipIf(!CAN_BROWSE)('the list of shortcuts in Chromium', () => {
  test('is at "?" and has all of them, and closes with Escape', async () => {
    const {page} = await open({viewport: {width: 360, height: 800}});
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', {name: 'Shortcuts'});
    for (const {does} of Object.values(SHORTCUTS)) await dialog.getByText(does, {exact: true}).waitFor();
    await keepScreenshot(page, 'shortcuts');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
  });

  test('does not open while the user is typing, also in the editor of a value', async () => {
    const {page} = await open({fragment: `#/entries/${encodeURIComponent(`${ID}/volume`)}`});
    const value = page.getByRole('textbox', {name: 'Value', exact: true});
    for (const field of [page.getByLabel('Prefix of keys'), value]) {
      await field.click();
      await page.keyboard.type('?/');
      expect(await page.getByRole('dialog').count()).toBe(0);
    }
    await expect.poll(() => value.textContent()).toContain('?/');
    expect(await page.getByLabel('Prefix of keys').inputValue()).toBe('?/');
  });
});
