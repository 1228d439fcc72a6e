import {execFileSync} from 'node:child_process';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {HOSTILE_TEXTS, lineOf, textOf, WORDS} from '../../../test/support/hostile-lines.ts';
import {splitByPowerShell} from '../../../test/support/powershell.ts';
import {UNSEEN} from '../domain/unseen.ts';
import {formatGrant, formatLine, type LineWord} from './copied-line.ts';

/** Splits lines as bash does at a prompt, where "!" is an event of the history. */
function splitByBash(lines: readonly string[]): readonly (readonly string[])[] {
  const print = `printf '%s\\0' "$@"; printf '\\1\\0'`;
  const input = ['set -o history -o histexpand', `crewroom() { printf 'crewroom\\0'; ${print}; }`, ...lines, ''];
  const output = execFileSync('bash', ['--norc'], {input: input.join('\n'), encoding: 'utf8', cwd: '/'});
  return output
    .split('\u0001\0')
    .slice(0, -1)
    .map(words => words.split('\0').slice(0, -1));
}

describe('formatLine()', () => {
  test.skipIf(process.platform === 'win32')('writes lines whose words bash reads as they were', () => {
    fc.assert(
      fc.property(fc.array(WORDS, {minLength: 30, maxLength: 60}), all => {
        const lines = all.flatMap(words => lineOf(words, 'linux') ?? []);
        // One call of printf writes an empty word where there is none.
        const expected = lines.map(({words}) => (words.length === 1 ? [...words, ''] : words));
        expect(splitByBash(lines.map(({line}) => line))).toEqual(expected);
      }),
      {numRuns: 40},
    );
  });

  test('writes no body of which bash changes a line in quotes too: one that begins with a circumflex', () => {
    expect(formatLine(['curl', {body: 'a\n^b^c'}], 'linux')).toBe(undefined);
    expect(formatLine(['curl', {body: '^b\n a^c'}], 'linux')).toBe("curl '^b\n a^c'");
  });

  for (const shell of ['win32', 'any'] as const)
    test(`writes lines whose words PowerShell passes on as they were: ${shell}`, () => {
      fc.assert(
        fc.property(WORDS, words => {
          const found = lineOf(words, shell);
          fc.pre(found !== undefined);
          expect(splitByPowerShell(found?.line ?? '')).toEqual(found?.words);
        }),
        {numRuns: 3000, maxSkipsPerRun: 1000},
      );
    });

  test('writes on Windows only plain words from outside, and ours in double quotes that both shells leave alone', () => {
    for (const text of HOSTILE_TEXTS) {
      const isPlain = /^[A-Za-z0-9._:/][A-Za-z0-9._:/-]*$/.test(text);
      for (const word of [{outside: text}, {body: text}])
        expect(formatLine(['crewroom', word], 'win32'), text).toBe(isPlain ? `crewroom ${text}` : undefined);
    }
    const own = ['C:\\dir ö\\x.json', 'C:\\Program Files (x86)\\a', '@C:\\dir\\x.json'];
    for (const path of own) expect(formatLine(['crewroom', path], 'win32')).toBe(`crewroom "${path}"`);
    const none = ['"', '$', '`', '%', '!', '^', '&', '\u201c', '\u201d', '\u201e', '\u2018', '\u2019'];
    for (const each of none) expect(formatLine(['crewroom', `C:\\a ${each}b`], 'win32'), each).toBe(undefined);
    expect(formatLine(['crewroom', 'C:\\a b\\'], 'win32')).toBe(undefined);
  });

  test('writes own paths after flags, and none that cmd or PowerShell would expand, or that a terminal would obey', () => {
    const undo = (path: string, platform: string) =>
      formatLine(['crewroom', 'snapshot', 'load', 'before', '--data-dir', path], platform);
    expect(undo("/home/it's me", 'linux')).toBe(`crewroom snapshot load before --data-dir '/home/it'\\''s me'`);
    expect(undo('C:\\Users\\Käse Salat\\data', 'win32')).toBe(
      'crewroom snapshot load before --data-dir "C:\\Users\\Käse Salat\\data"',
    );
    expect(undo('C:\\%TEMP%', 'win32')).toBe(undefined);
    expect(undo('/a\u001b[2Jb', 'linux')).toBe(undefined);
  });

  test('writes for any shell plain words only, and for none a word from outside that could be a flag', () => {
    for (const text of HOSTILE_TEXTS.filter(each => !/^[A-Za-z0-9._:/-]+$/.test(each)))
      for (const word of [text, {outside: text}]) expect(formatLine(['crewroom', word], 'any'), text).toBe(undefined);
    for (const shell of ['linux', 'win32', 'any'] as const)
      for (const text of ['-rf', '--', "-r'f"]) expect(formatLine(['rm', {outside: text}], shell)).toBe(undefined);
  });

  test('has a plain program first', () => {
    for (const program of ['', 'a b', '$(id)', 'C:\\a'] as const)
      for (const shell of ['linux', 'win32', 'any'] as const) expect(formatLine([program, 'a'], shell)).toBe(undefined);
  });

  test('writes nothing that a terminal obeys, and outside of bodies nothing that the command line prints otherwise', () => {
    const unseen = new RegExp(`[${UNSEEN}]`);
    const obeyed = /(?![\t\r\n])[\0-\u001f\u007f-\u009f]/;
    fc.assert(
      fc.property(WORDS, words => {
        const line = formatLine(['crewroom', ...words], 'linux') ?? '';
        expect(line).not.toMatch(obeyed);
        const isBody = (word: LineWord): boolean => typeof word !== 'string' && 'body' in word;
        const mayHave = words.some(word => isBody(word) && unseen.test(textOf(word)));
        expect(mayHave || !unseen.test(line), line).toBe(true);
      }),
    );
    const all = Array.from({length: 0x10000}, (_, code) => String.fromCharCode(code)).filter(each => unseen.test(each));
    expect(all.length).toBeGreaterThan(30);
    for (const character of all) expect(formatLine(['crewroom', `a${character}`], 'linux')).toBe(undefined);
  });
});

describe('formatGrant()', () => {
  test('names permissions that are plain words', () => {
    expect(formatGrant('com.p', ['admin', 'entries:read:x/'])).toEqual({
      line: 'crewroom access grant com.p admin entries:read:x/',
      leftOut: 0,
    });
  });

  test('leaves out a permission with blanks, which would be several, or with what a shell runs', () => {
    const hostile = ['entries:read: admin identity:secrets entries:read:x/', 'entries:read:x;{touch,pwned};/'];
    expect(formatGrant('com.p', [...hostile, 'identity:secrets'])).toEqual({
      line: 'crewroom access grant com.p identity:secrets',
      leftOut: 2,
    });
    expect(formatGrant('com.p', hostile)).toEqual({line: undefined, leftOut: 2});
    expect(formatGrant('com p', ['admin']).line).toBe(undefined);
  });
});
