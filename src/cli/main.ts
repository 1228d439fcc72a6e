#!/usr/bin/env node
import {fileURLToPath} from 'node:url';
import {ownUserId} from '../files/own.ts';
import {platformPaths} from '../paths.ts';
import {loadProgram} from '../system/code-cache.ts';
import {enableCompileCache, prepareCompileCache} from '../system/compile-cache.ts';
import type * as program from './program.ts';

/** Source: Node's documentation of `process`, exit codes. */
const UNFINISHED_EXIT_CODE = 13;

/** Digest of the program's file. The build replaces the name. */
declare const PROGRAM_DIGEST: string;

const paths = platformPaths();
const directory = prepareCompileCache(paths.cacheDir, ownUserId());
// Before the program is loaded: what was loaded before is not in the cache.
const isKeptByNode = directory !== undefined && enableCompileCache(directory);
const file = fileURLToPath(new URL('./program.cjs', import.meta.url));
const {exports, keep} = loadProgram<typeof program>(
  {file, digest: PROGRAM_DIGEST},
  isKeptByNode ? undefined : directory,
);
// It is bundled as CommonJS, which has no `await` here. With one, Node would report a command that waits for nothing by this exit code.
const reportUnfinished = (): void => {
  process.exitCode = UNFINISHED_EXIT_CODE;
};
process.once('beforeExit', reportUnfinished);
exports.runProgram(paths).then(exitCode => {
  process.off('beforeExit', reportUnfinished);
  process.exitCode = exitCode;
  keep();
});
