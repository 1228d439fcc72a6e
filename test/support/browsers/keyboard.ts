import type {Locator, Page} from 'playwright-core';
import {expect} from 'vitest';

/** More steps than any page of the tests has from one element to another. */
const STEPS_MAX = 80;

/** Describes the element that has the focus if a user could not see it: the element, or that it has the focus. */
const FIND_HIDDEN_FOCUS = `(() => {
  let element = document.activeElement;
  if (element === null || element === document.body) return;
  // The editor has a shadow tree.
  element = element.shadowRoot?.activeElement ?? element;
  const {top, right, bottom, left} = element.getBoundingClientRect();
  const name = element.outerHTML.slice(0, 120);
  if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth) return 'not on the screen: ' + name;
  const isMarked = [element, element.parentElement, element.closest('.cm-editor')].some(each =>
    each !== null && (getComputedStyle(each).outlineStyle !== 'none' || getComputedStyle(each).boxShadow !== 'none'));
  if (!isMarked && element.localName !== 'iframe') return 'not marked: ' + name;
})()`;

/**
 * Presses Tab until an element has the focus, as a user without a mouse does.
 *
 * @throws {Error} If Tab does not lead there, or leads to an element on the way whose focus a user does not see.
 */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const hasFocus = async (): Promise<boolean> => (await target.and(page.locator(':focus')).count()) > 0;
  for (let step = 0; !(await hasFocus()); step++) {
    if (step === STEPS_MAX) throw new Error(`Tab does not lead to ${target}`);
    await page.keyboard.press('Tab');
    // The editor marks it a moment later.
    await expect.poll(() => page.evaluate(FIND_HIDDEN_FOCUS), {timeout: 1000}).toBeUndefined();
  }
}

/** Leads to an element with Tab, and presses a key there. @param key @default {'Enter'} */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Leads to a field with Tab, and types a text in place of its own. */
export async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
