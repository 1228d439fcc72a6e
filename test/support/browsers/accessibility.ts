import axe from 'axe-core';
import type {Page} from 'playwright-core';

/** Finds violations of accessibility rules in a page, without its frames: each as its rule and the elements that violate it. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // Evaluated, since the policy of a page forbids scripts of other origins.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, {iframes: false}).then(({violations}) =>
    violations.map(({id, nodes}) => id + ': ' + nodes.map(({target}) => target.join(' ')).join(', ')))`);
}
