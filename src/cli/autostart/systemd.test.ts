import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {findUnitProblem, formatUnit, parseUnit, UNIT_NAME} from './systemd.ts';

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
    test.skipIf(IS_WINDOWS || (!existsSync(CHECKER) && process.env['CI'] === undefined))(
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

test('parseUnit() returns the program of a unit', () => {
  for (const script of ['/opt/a b/main.js', '/opt/100% "c"\\d/main.js'])
    expect(parseUnit(formatUnit({...INSTALLED, script}))).toEqual({...INSTALLED, script});
});

describe('findUnitProblem()', () => {
  for (const node of [`/opt/a"b/node`, `/opt/a'b/node`, '/opt/a\\b/node']) {
    test(`refuses Node at ${node}, which systemd does not start`, () => {
      expect(findUnitProblem({...INSTALLED, node})).toMatch(/quote or a backslash/);
    });
  }
});
