#!/usr/bin/env node
// Builds dist/ from src/. Plain JavaScript, since it runs on every supported Node before anything is built.
import {spawnSync} from 'node:child_process';
import {chmodSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

rmSync(dist, {recursive: true, force: true});
const compiled = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {stdio: 'inherit'});
if (compiled.status === 0) chmodSync(join(dist, 'cli', 'main.js'), 0o755);
else process.exitCode = 1;
