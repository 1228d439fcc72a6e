#!/usr/bin/env node
// Tests stores in etcd: test/shared/etcd/. With --etcd PATH in that program, and in etcdctl beside it, instead of those that are installed. All
// other words go to Vitest.
import {spawnSync} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {basename, delimiter, dirname, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const words = process.argv.slice(2);
const at = words.indexOf('--etcd');
const [, program] = at === -1 ? [] : words.splice(at, 2);
const env = {...process.env};
if (at !== -1) {
  const path = resolve(program ?? '');
  if (basename(path) !== 'etcd') throw new Error('--etcd needs the path of a program that is called etcd');
  for (const each of [path, resolve(dirname(path), 'etcdctl')]) accessSync(each, constants.X_OK);
  env.PATH = `${dirname(path)}${delimiter}${env.PATH}`;
}
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const {status} = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.shared.config.ts', ...words], {
  stdio: 'inherit',
  env,
});
process.exitCode = status ?? 1;
