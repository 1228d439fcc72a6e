#!/usr/bin/env node
// Runs the unit tests of src/ on any system. Tests that need a tool that is missing are skipped, also where CI is set: Windows and macOS have
// no tools of Linux.
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

const {CI: _, ...env} = process.env;
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const {status} = spawnSync(process.execPath, [vitest, 'run', 'src/', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env,
});
process.exitCode = status ?? 1;
