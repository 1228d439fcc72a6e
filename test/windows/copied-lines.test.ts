import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {copyFile, open, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {HOSTILE_TEXTS, type Line, lineOf, WORDS} from '../support/hostile-lines.ts';
import {createUser} from './machine.ts';

const user = await createUser();
const program = user.file('crewroom.exe');

beforeAll(() => copyFile(join(user.windows.programs, 'words.exe'), program));

/** Types lines at the prompt of cmd. @returns The words after the program of each program that ran. */
async function splitByCmd(lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  await rm(`${program}.words`, {force: true});
  const typed = user.file('typed');
  await writeFile(typed, ['chcp 65001', ...lines, 'exit', ''].join('\r\n'));
  const input = await open(typed);
  const child = spawn('wine', ['cmd', '/q'], {
    cwd: user.file(),
    env: {...user.environment, X: 'expanded'},
    stdio: [input.fd, 'ignore', 'ignore'],
  });
  await once(child, 'exit');
  await input.close();
  const written = await readFile(`${program}.words`, 'utf8');
  return written
    .split('\u0001\0')
    .slice(0, -1)
    .map(words => words.split('\0').slice(0, -1));
}

/** Wine's cmd reads what is typed in the code page of the system, whatever is set. */
const isAscii = ({line}: Line): boolean => /^[\x20-\x7e]*$/.test(line);

describe('lines to copy, in cmd', () => {
  test('are split at all: what is not written by the function that makes them is something else', async () => {
    const lines = ['crewroom a&crewroom b', 'crewroom %X%', 'crewroom a b', 'crewroom "a b"'];
    expect(await splitByCmd(lines)).toEqual([['a'], ['b'], ['expanded'], ['a', 'b'], ['a b']]);
  });

  for (const shell of ['win32', 'any'] as const)
    test(`have the words that they were made of: ${shell}`, async () => {
      const named = HOSTILE_TEXTS.flatMap(text => [
        lineOf([text, 'end'], shell) ?? [],
        lineOf([{outside: text}], shell) ?? [],
      ]);
      const drawn = fc.sample(WORDS, 300).map(words => lineOf(words, shell) ?? []);
      const lines = [...named, ...drawn].flat().filter(isAscii);
      expect(lines.length).toBeGreaterThan(40);
      expect(await splitByCmd(lines.map(({line}) => line))).toEqual(lines.map(({words: [, ...words]}) => words));
    });
});
