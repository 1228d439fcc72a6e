import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {MAIN} from './crewroom.ts';

describe('the file that starts the command line', () => {
  const all = {args: [], program: 'program', run: 'runProgram'};
  const service = {args: ['start'], program: 'service', run: 'runService'};
  const programs = [
    {...all, name: 'ends with the exit code of the program', body: 'return 5', exitCode: 5},
    {...all, name: 'fails if the program fails', body: 'throw new Error("a bug")', exitCode: 1},
    {...all, name: 'fails if the program waits for nothing', body: 'return new Promise(() => {})', exitCode: 13},
    {...service, name: 'runs a service without the other commands', body: 'return 6', exitCode: 6},
  ];
  for (const {name, args, program, run, body, exitCode} of programs)
    test(name, () => {
      const folder = mkdtempSync(join(tmpdir(), 'crewroom-main-'));
      onTestFinished(() => rmSync(folder, {recursive: true}));
      const main = join(folder, 'main.js');
      copyFileSync(MAIN, main);
      writeFileSync(join(folder, `${program}.cjs`), `(exports => { exports.${run} = async () => { ${body}; }; })`);
      const {status} = spawnSync(process.execPath, [main, ...args], {env: {HOME: folder, XDG_CACHE_HOME: folder}});
      assert.equal(status, exitCode);
    });
});
