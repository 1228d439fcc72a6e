import axe from 'axe-core';
import type {Page} from 'playwright-core';

/** Finds violations of accessibility rules in a page, without its frames: each as its rule and the elements that violate it. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // Evaluated, since the policy of a page forbids scripts of other origins.
  await page.evaluate(axe.source);
  return run(page, {});
}

/** Finds texts without enough contrast: after {@link findViolations} in the same page, if only its colours have changed. */
export async function findContrastViolations(page: Page): Promise<readonly string[]> {
  return run(page, {runOnly: ['color-contrast']});
}

async function run(page: Page, options: object): Promise<readonly string[]> {
  return page.evaluate(`axe.run(document, ${JSON.stringify({iframes: false, ...options})}).then(({violations}) =>
    violations.map(({id, nodes}) => id + ': ' + nodes.map(({target}) => target.join(' ')).join(', ')))`);
}
