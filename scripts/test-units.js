#!/usr/bin/env node
// Runs the unit tests of src/ on any system. Tests that need a tool that is missing are skipped, also where CI is set: Windows and macOS have
// no tools of Linux.
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

const {CI: _, ...env} = process.env;
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
process.exitCode = 0;
for (const config of ['vitest.config.ts', 'vitest.long.config.ts']) {
  const words = [vitest, 'run', '--config', config, 'src/', ...process.argv.slice(2)];
  const {status} = spawnSync(process.execPath, words, {stdio: 'inherit', env});
  process.exitCode ||= status ?? 1;
}
