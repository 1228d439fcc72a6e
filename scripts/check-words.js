#!/usr/bin/env node
// Counts the words of the documentation, as `wc -w` does, and fails above a limit: docs compete for the time of their readers.
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** Maximum words of ARCHITECTURE.md: one reads it before anything else, in one go. */
const PICTURE_WORDS_MAX = 900;

/** Maximum words of a page: what a reader takes in at one sitting, a quarter of an hour. */
const PAGE_WORDS_MAX = 3_500;

/** Maximum words of all pages without decisions: more is not read, and a fact that stands twice is wrong in one place. */
const ALL_WORDS_MAX = 39_500;

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = readdirSync(join(root, 'docs'), {recursive: true})
  .map(name => `docs/${name.replaceAll('\\', '/')}`)
  .filter(name => name.endsWith('.md') && !name.startsWith('docs/decisions/'));
let all = 0;
assertAtMost('ARCHITECTURE.md', countWords('ARCHITECTURE.md'), PICTURE_WORDS_MAX);
for (const page of ['README.md', ...pages]) {
  const words = countWords(page);
  assertAtMost(page, words, PAGE_WORDS_MAX);
  all += words;
}
assertAtMost('README.md and docs/ without decisions', all, ALL_WORDS_MAX);

function countWords(page) {
  return readFileSync(join(root, page), 'utf8').match(/\S+/g)?.length ?? 0;
}

function assertAtMost(what, words, max) {
  if (words <= max) return;
  process.stderr.write(`${what}: ${words} words, and at most ${max} are allowed\n`);
  process.exitCode = 1;
}
