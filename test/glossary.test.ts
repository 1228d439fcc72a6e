import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';

/** Files with prose of ours: everything in the repository except recorded data, licences and the lock file. */
const TEXT_FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {encoding: 'utf8'})
  .trimEnd()
  .split('\n')
  .filter(file => /\.(tsx?|js|lua|md|html|css|json|yml)$|^\.ci\//.test(file))
  .filter(file => !/^package-lock\.json$|\/fixtures?\/|^test\/glossary\.test\.ts$/.test(file));

const IN_SOURCE = /\.(tsx?|js)$/;

/** A word or phrase without a use here, the files in which it is not allowed, and what to write instead. */
interface Rule {
  readonly words: RegExp;
  readonly instead: string;
  /** @default {all text files} */
  readonly files?: RegExp;
  /** Legitimate uses, which are removed from a text before the search. */
  readonly allowed?: RegExp;
}

const RULES: readonly Rule[] = [
  {words: /\bmend(s|ed|ing)?\b/i, instead: 'fix'},
  {words: /\bparcels?\b/i, instead: 'batch'},
  {words: /\bstrangers?\b/i, instead: 'unknown name, other user'},
  {
    words: /\b(some|no|any|every)body\b|\bwhoever\b/i,
    instead: 'the actor: client, caller, user, operating system',
  },
  {
    words: /\b(un)?settl(e|es|ed|ing)\b/i,
    instead: 'checkpoint; for a promise: resolve, reject',
    allowed: /\b(allSettled|PromiseSettledResult)\b/g,
  },
  {words: /\blayered\b/i, instead: 'merged view'},
  {words: /\bjournal(s|l?ed|l?ing)?\b/i, instead: 'write-ahead log', allowed: /\b(journal_mode|journalctl)\b/g},
  {
    words: /\bhandlers?\b/i,
    instead: 'back end (of an airline)',
    files: /^(src\/(service\/identity|cli)|test\/(identity|cli)|docs|examples)\//,
    // The member of the back end's protocol, and the request handler of `http/`.
    allowed: /"?\bhandler"?: |\{[^}]*\bhandler\b[^}]*\}|\.handler\b|`handler`|['"]handler['"]|\bhandler\.ts\b/g,
  },
  {
    words: /\bin turns?\b|\bturns? of the (event )?loop\b|\b(its|their|a|one|the|whose) turns?\b/i,
    instead: 'exchange, tick, permit, round, round-robin',
  },
  {words: /\brooms?\b/i, instead: 'free space', allowed: /\bcrew rooms?\b/gi, files: /^(src\/store|docs|torture)\//},
];

/** Beginnings of a docstring that postpone its verb. */
const BAD_BEGINNINGS = /\/\*\*\s*\n?\s*\*?\s*(What|Who|Whoever|Of|With|Where|As|Those|Whether|Most)\b[^\n]*/g;

/** Docstrings that only repeat the name below them. */
const REPETITION = /\/\*\* (?:Dependencies|Options|Properties) of (?:an? )?(?:\{@link [\w.]+\}|`[\w.]+`)\. \*\//;

describe('the glossary', () => {
  for (const {words, instead, files = /./, allowed} of RULES) {
    test(`writes "${instead}" in place of ${words.source}`, () => {
      expect(linesOf(files, text => words.test(allowed === undefined ? text : text.replace(allowed, '')))).toEqual([]);
    });
  }

  test('begins no docstring with What, Who, Whoever, Of, With, Where, As, Those, Whether or Most', () => {
    const found = TEXT_FILES.filter(file => IN_SOURCE.test(file)).flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(BAD_BEGINNINGS)].map(([text]) => `${file}: ${text.replace(/\s+/g, ' ')}`),
    );
    expect(found).toEqual([]);
  });

  test('has no docstring that only says of which function something is', () => {
    expect(linesOf(IN_SOURCE, text => REPETITION.test(text))).toEqual([]);
  });
});

/** Returns the lines of the matching files that fail the check, with their places. */
function linesOf(files: RegExp, isBad: (line: string) => boolean): readonly string[] {
  return TEXT_FILES.filter(file => files.test(file)).flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (isBad(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}
