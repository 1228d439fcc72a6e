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
  {question: 'run my tests on github', page: 'guides/plugin-in-ci'},
  {question: 'start after a reboot', page: 'guides/keep-it-running'},
  {question: 'npx does not run in powershell', page: 'guides/windows-and-macos'},
  {question: 'where is my data stored', page: 'guides/move-upgrade-remove'},
  {question: 'port 7172 is already taken', page: 'guides/embed-in-a-desktop-client'},
  {question: 'what do my pilots need', page: 'guides/for-airlines'},
  {question: 'websocket events', page: 'http-api'},
  {question: 'value expires after a time', page: 'http-api'},
  {question: 'what is a revision', page: 'glossary'},
  {question: 'what is a backgroud', page: 'glossary'},
  {question: 'prometheus alerts', page: 'metrics'},
  {question: 'slow network', page: 'faults'},
  {question: 'simulate a flight', page: 'develop-plugins'},
  {question: 'CORS', page: 'guides/page-on-another-port'},
  {question: 'blocked by CORS policy', page: 'guides/page-on-another-port'},
  {question: 'allow origin', page: 'guides/page-on-another-port'},
  {question: 'maximum size', page: 'http-api'},
  {question: 'ttl', page: 'http-api'},
  {question: 'GitHub Actions', page: 'guides/plugin-in-ci'},
  {question: 'Docker', page: 'guides/containers'},
  {question: 'where is my data', page: 'guides/move-upgrade-remove'},
  {question: 'undo reset', page: 'guides/tour'},
  {question: 'Electron', page: 'guides/embed-in-a-desktop-client'},
  {question: 'own sign in', page: 'identity-source'},
  {question: 'identity source', page: 'identity-source'},
  {question: 'password stored', page: 'guides/for-airlines'},
  {question: 'WebSocket', page: 'http-api'},
  {question: 'publish', page: 'guides/first-plugin'},
  {question: 'uninstall', page: 'guides/move-upgrade-remove'},
  {question: 'update', page: 'guides/move-upgrade-remove'},
  {question: 'rate limit', page: 'http-api'},
  {question: 'wrong back end', page: 'back-ends'},
  {question: 'Prometheus alert', page: 'metrics'},
  {question: 'fake flight', page: 'develop-plugins'},
  {question: 'SimConnect', page: 'develop-plugins'},
  {question: 'rollback', page: 'guides/move-upgrade-remove'},
  {question: '421', page: 'errors/foreign-host'},
  {question: 'foreign-origin', page: 'errors/foreign-page'},
  {question: 'delete all data', page: 'guides/move-upgrade-remove'},
  {question: 'types of the identity', page: 'client'},
  {question: 'Windows service', page: 'guides/windows-and-macos'},
  {question: 'mock pilot', page: 'identity'},
  {question: 'port already in use', page: 'guides/embed-in-a-desktop-client'},
  {question: 'how do I change the port', page: 'settings'},
  {question: 'run on another port', page: 'settings'},
  {question: 'store a file', page: 'guides/another-language'},
  {question: 'react hook', page: 'guides/another-language'},
  {question: 'Next.js', page: 'guides/another-language'},
  {question: 'OAuth', page: 'guides/another-language'},
  {question: 'live updates', page: 'guides/another-language'},
  {question: 'is my session safe from other plugins', page: 'access'},
  {question: 'EADDRINUSE', page: 'guides/embed-in-a-desktop-client'},
  {question: 'Python', page: 'guides/another-language'},
  {question: 'Vue', page: 'guides/another-language'},
  {question: 'Svelte', page: 'guides/another-language'},
  {question: 'C#', page: 'guides/another-language'},
  {question: 'PowerShell', page: 'guides/windows-and-macos'},
  {question: 'realtime', page: 'guides/another-language'},
  {question: 'binary', page: 'guides/another-language'},
  {question: 'change port', page: 'settings'},
  {question: 'mock', page: 'identity'},
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
