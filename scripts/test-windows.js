#!/usr/bin/env node
// Tests the packed package on Node for Windows under Wine, on Linux: test/windows/. All words but --all go to Vitest.
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {describeMissing} from './missing-programs.js';

/** Programs that the tests start, with their packages in Debian. */
const PROGRAMS = {
  wine: 'wine wine64',
  wineboot: 'wine',
  wineserver: 'wine',
  'x86_64-w64-mingw32-gcc': 'gcc-mingw-w64-x86-64-win32',
  script: 'bsdutils',
};

/** Exit code of a test that was not run, as of automake. */
const SKIPPED = 77;

const missing = describeMissing(PROGRAMS);
if (missing !== undefined) {
  process.stderr.write(`Not tested on Windows: ${missing}\n`);
  // Where every change is checked, they have to be there.
  process.exitCode = process.env.CI === undefined ? SKIPPED : 1;
} else {
  const words = process.argv.slice(2);
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const {status} = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.windows.config.ts', ...words.filter(word => word !== '--all')],
    {stdio: 'inherit', env: {...process.env, WINDOWS_UNITS: words.includes('--all') ? 'all' : 'some'}},
  );
  process.exitCode = status ?? 1;
}
