import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {findUnitProblem, formatUnit, UNIT_NAME} from './unit.ts';

const INSTALLED = {node: '/usr/bin/node', script: '/usr/lib/node_modules/crewroom/dist/cli/main.js'};

/** The checker of systemd, which comes with it. */
const CHECKER = '/usr/bin/systemd-analyze';

describe('formatUnit()', () => {
  test('starts the service by absolute paths, and names no variable', () => {
    const unit = formatUnit(INSTALLED);
    expect(unit).toContain(`ExecStart=:"${INSTALLED.node}" "${INSTALLED.script}" start\n`);
    expect(unit).not.toMatch(/Environment|\$/);
  });

  for (const name of ['node', 'a b', 'a%hb', 'a$HOME b', 'é;c']) {
    test.skipIf(!existsSync(CHECKER) && process.env['CI'] === undefined)(
      `is valid for a program ${JSON.stringify(name)} (needs systemd-analyze)`,
      () => {
        const folder = mkdtempSync(join(tmpdir(), 'crewroom-unit-'));
        try {
          const node = join(folder, name);
          symlinkSync(process.execPath, node);
          const file = join(folder, UNIT_NAME);
          writeFileSync(file, formatUnit({...INSTALLED, node}));
          // It fails if there is no such program, so it has read the name as it was meant.
          execFileSync(CHECKER, ['--user', '--man=no', 'verify', file], {
            stdio: 'pipe',
            env: {...process.env, XDG_RUNTIME_DIR: folder, HOME: folder},
          });
        } finally {
          rmSync(folder, {recursive: true, force: true});
        }
      },
    );
  }
});

describe('findPathProblem()', () => {
  test('accepts what an installer puts in place', () => {
    expect(findUnitProblem(INSTALLED, '/tmp')).toBeUndefined();
  });

  const refused = [
    {name: 'the cache of npx', script: '/home/ada/.npm/_npx/1f/node_modules/crewroom/dist/cli/main.js', said: /npx/},
    {name: 'a directory for temporary files', script: '/tmp/a/main.js', said: /temporary/},
    {name: 'that of this user', script: '/home/ada/tmp/main.js', said: /temporary/},
    {name: 'a relative path', script: 'main.js', said: /absolute/},
    {name: 'a line break', script: '/home/a\nb/main.js', said: /control/},
    {name: 'a C1 control', script: '/home/a\u009bb/main.js', said: /control/},
    {name: 'a change of direction', script: '/home/a\u202eb/main.js', said: /control/},
  ];
  for (const {name, script, said} of refused) {
    test(`refuses ${name}, of the script and of Node`, () => {
      expect(findUnitProblem({...INSTALLED, script}, '/home/ada/tmp')).toMatch(said);
      expect(findUnitProblem({...INSTALLED, node: script}, '/home/ada/tmp')).toMatch(said);
    });
  }

  for (const node of [`/opt/a"b/node`, `/opt/a'b/node`, '/opt/a\\b/node']) {
    test(`refuses Node at ${node}, which systemd does not start`, () => {
      expect(findUnitProblem({...INSTALLED, node}, '/tmp')).toMatch(/quote or a backslash/);
    });
  }
});
