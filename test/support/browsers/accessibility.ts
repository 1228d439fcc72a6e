import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {Page} from 'playwright-core';

const require = createRequire(import.meta.url);

/** The rules of accessibility: a script that pages load to be examined. The short form, which is there in half the time. */
export const RULES: string = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Finds violations of accessibility rules in a page, without its frames: each as its rule and the elements that violate it. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // Evaluated, since the policy of a page forbids scripts of other origins; once for each document.
  if ((await page.evaluate(`'axe' in window`)) !== true) await page.evaluate(RULES);
  // Without the results of the rules that a page keeps, which would take as long again.
  return page.evaluate(`axe.run(document, {iframes: false, resultTypes: ['violations']}).then(({violations}) =>
    violations.map(({id, nodes}) => id + ': ' + nodes.map(({target}) => target.join(' ')).join(', ')))`);
}
