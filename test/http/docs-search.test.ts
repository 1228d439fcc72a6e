import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {findSections, openIndex} from '../../src/http/docs-page/find.js';

const index = openIndex(readFileSync(new URL('../../dist/docs/search.json', import.meta.url), 'utf8'));

/** Number of results that a reader looks at first. */
const FIRST = 4;

/** Questions of newcomers, and the pages that answer them. */
const QUESTIONS = [
  {question: 'how do I install it', page: 'guides/tour'},
  {question: 'write my first plugin', page: 'guides/first-plugin'},
  {question: 'which pilot is signed in?', page: 'guides/sign-in'},
  {question: 'CORS error in the browser', page: 'guides/page-on-another-port'},
  {question: 'vite dev server', page: 'guides/page-on-another-port'},
  {question: 'docker', page: 'guides/containers'},
  {question: 'run my tests on github', page: 'guides/plugin-in-ci'},
  {question: 'start after a reboot', page: 'guides/keep-it-running'},
  {question: 'npx does not run in powershell', page: 'guides/windows-and-macos'},
  {question: 'where is my data stored', page: 'guides/move-upgrade-remove'},
  {question: 'uninstall', page: 'guides/move-upgrade-remove'},
  {question: 'port 7172 is already taken', page: 'guides/embed-in-a-desktop-client'},
  {question: 'electron', page: 'guides/embed-in-a-desktop-client'},
  {question: 'what do my pilots need', page: 'guides/for-airlines'},
  {question: 'websocket events', page: 'http-api'},
  {question: 'value expires after a time', page: 'http-api'},
  {question: 'what is a revision', page: 'glossary'},
  {question: 'what is a backgroud', page: 'glossary'},
  {question: 'prometheus alerts', page: 'metrics'},
  {question: 'slow network', page: 'faults'},
  {question: 'simulate a flight', page: 'develop-plugins'},
  {question: 'error revision-conflict', page: 'errors/revision-conflict'},
];

describe('the search in the documentation', () => {
  for (const {question, page} of QUESTIONS) {
    test(`answers "${question}" with ${page}`, () => {
      const pages = findSections(index, question)
        .slice(0, FIRST)
        .map(({address}) => address.replace(/^\/docs\/|#.*$/g, ''));
      expect(pages).toContain(page);
    });
  }

  test('finds nothing for words that no page has', () => {
    expect(findSections(index, 'xylophone')).toEqual([]);
  });

  test('shows at most two sections of one page', () => {
    const pages = findSections(index, 'plugin', 8).map(({page}) => page);
    expect(pages).toHaveLength(8);
    for (const page of pages) expect(pages.filter(each => each === page).length).toBeLessThanOrEqual(2);
  });
});
