#!/usr/bin/env node
import {fileURLToPath} from 'node:url';
import {platformPaths} from '../paths.ts';
import {loadProgram} from '../system/code-cache.ts';
import {enableCompileCache, prepareCompileCache} from '../system/compile-cache.ts';
import type * as program from './program.ts';

const paths = platformPaths();
const directory = prepareCompileCache(paths.cacheDir, process.getuid?.());
// Before the program is loaded: what was loaded before is not in the cache.
const isKeptByNode = directory !== undefined && enableCompileCache(directory);
const file = fileURLToPath(new URL('./program.cjs', import.meta.url));
const {exports, keep} = loadProgram<typeof program>(file, isKeptByNode ? undefined : directory);
// It is bundled as CommonJS, which has no `await` here.
exports.runProgram(paths).then(exitCode => {
  process.exitCode = exitCode;
  keep();
});
