import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, test} from 'vitest';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

describe('the completion of files', () => {
  const places = [
    ['import', ''],
    ['import', 'ba'],
    ['export', '--prefix', 'com.', 'ba'],
    ['plugin', 'install', ''],
    ['plugin', 'check', 'my-'],
    ['start', '--profile', ''],
    ['start', '--profile='],
    ['start', '--profile=me'],
    ['start', '--profile', '=', 'me'],
    ['start', '--port=1', '--airline', 'a'],
    ['start', '--data-dir', 'd'],
    ['get', '--config', 'c'],
    ['sign-in', '--password-file', ''],
  ];
  for (const words of places) {
    test(`leaves crewroom ${words.join(' ')} to the shell`, async () => {
      const {exitCode, stdout, stderr} = await machine.run(['complete', '--', ...words]);
      assert.deepEqual([exitCode, stdout, stderr], [0, ':0\n', '']);
    });
  }

  // As processes: the library writes to the standard output by itself.
  const others = [
    {words: ['start', '--port', ''], offered: ''},
    {words: ['status', ''], offered: ''},
    {words: ['get', ''], offered: ''},
    {words: ['put', 'k', ''], offered: ''},
    {words: ['config', '--log-level', 'd'], offered: 'debug\t\n'},
    {words: ['snapshot', 'l'], offered: 'load\t\nlist\t\n'},
    {words: ['plugin', 'a'], offered: 'adopt\t\n'},
    {words: ['import', '--mo'], offered: '--mode\tmerge keeps other entries (default), replace deletes them\n'},
  ];
  for (const {words, offered} of others) {
    test(`offers no files after crewroom ${words.join(' ')}`, async () => {
      const {exitCode, stdout, stderr} = await machine.runProcess(['complete', '--', ...words]);
      assert.deepEqual([exitCode, stdout, stderr], [0, `${offered}:4\n`, '']);
    });
  }
});

function has(program: string): boolean {
  return existsSync(`/usr/bin/${program}`) || existsSync(`/bin/${program}`);
}

describe.runIf(process.platform === 'linux')('a real shell', () => {
  beforeAll(async () => {
    await mkdir(join(home, 'bin'));
    await symlink(new URL('../../dist/cli/main.js', import.meta.url).pathname, join(home, 'bin', 'crewroom'));
    for (const shell of ['bash', 'zsh'])
      await writeFile(join(home, `completion.${shell}`), (await machine.runProcess(['completion', shell])).stdout);
    await writeFile(join(home, 'rc.bash'), 'source ./completion.bash\nPS1="ready> "\n');
    await writeFile(
      join(home, '.zshrc'),
      'autoload -Uz compinit; compinit -u -D; source ./completion.zsh; PS1="ready> "\n',
    );
    await writeFile(join(home, 'backup of today.ndjson'), '1');
  });

  const shells = [
    {program: 'bash', line: 'exec bash --noprofile --rcfile rc.bash -i'},
    {program: 'zsh', line: 'exec zsh -i'},
  ];
  const lines = [
    {typed: 'crewroom snaps', completed: 'crewroom snapshot '},
    {typed: 'crewroom start --airl', completed: 'crewroom start --airline '},
    {typed: 'crewroom import backup', completed: 'crewroom import backup\\ of\\ today.ndjson'},
    {typed: 'crewroom start --profile backup', completed: 'crewroom start --profile backup\\ of\\ today.ndjson'},
    {typed: 'crewroom start --profile=backup', completed: 'crewroom start --profile=backup\\ of\\ today.ndjson'},
  ];
  for (const {program, line} of shells) {
    test.runIf(has(program))(`completes commands, flags and names of files: ${program}`, async () => {
      const environment = {PATH: `${join(home, 'bin')}:${process.env['PATH']}`, ZDOTDIR: home};
      const running = machine.spawnLineOnTerminal(line, {environment});
      await running.until(({stdout}) => plain(stdout).includes('ready> '));
      for (const {typed, completed} of lines) {
        running.child.stdin.write(`${typed}\t`);
        await running.until(({stdout}) => plain(stdout).includes(completed));
        running.child.stdin.write('\u0015');
      }
      running.child.stdin.write('exit\n');
      await running.finished;
    });
  }
});
