import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {MAIN} from './crewroom.ts';

describe('the file that starts the command line', () => {
  const programs = [
    {name: 'ends with the exit code of the program', body: 'return 5', exitCode: 5},
    {name: 'fails if the program fails', body: 'throw new Error("a bug")', exitCode: 1},
    {name: 'fails if the program waits for nothing', body: 'return new Promise(() => {})', exitCode: 13},
  ];
  for (const {name, body, exitCode} of programs)
    test(name, () => {
      const folder = mkdtempSync(join(tmpdir(), 'crewroom-main-'));
      onTestFinished(() => rmSync(folder, {recursive: true}));
      const main = join(folder, 'main.js');
      copyFileSync(MAIN, main);
      writeFileSync(join(folder, 'program.cjs'), `exports.runProgram = async () => { ${body}; };\n`);
      const {status} = spawnSync(process.execPath, [main], {env: {HOME: folder, XDG_CACHE_HOME: folder}});
      assert.equal(status, exitCode);
    });
});
