#!/usr/bin/env node
import {fileURLToPath} from 'node:url';
import {ownUserId} from '../core/files/own.ts';
import {platformPaths} from '../platform/paths.ts';
import {loadProgram, prepareCacheDirectory} from '../platform/system/code-cache.ts';
import type * as program from './program.ts';
import type * as service from './service.ts';

/** Source: Node's documentation of `process`, exit codes. */
const UNFINISHED_EXIT_CODE = 13;

/** Digests of the programs' files. The build replaces the names. */
declare const SERVICE_DIGEST: string;
declare const PROGRAM_DIGEST: string;

const paths = platformPaths();
// What only the other commands load would stay in the memory of a service.
const [name, digest] = process.argv[2] === 'start' ? ['service', SERVICE_DIGEST] : ['program', PROGRAM_DIGEST];
const {exports, keep} = loadProgram<typeof program | typeof service>(
  {file: fileURLToPath(new URL(`./${name}.cjs`, import.meta.url)), digest},
  prepareCacheDirectory(paths.cacheDir, ownUserId()),
);
// It is bundled as CommonJS, which has no `await` here. With one, Node would report a command that waits for nothing by this exit code.
const reportUnfinished = (): void => {
  process.exitCode = UNFINISHED_EXIT_CODE;
};
process.once('beforeExit', reportUnfinished);
const run = 'runService' in exports ? exports.runService : exports.runProgram;
run(paths).then(exitCode => {
  process.off('beforeExit', reportUnfinished);
  process.exitCode = exitCode;
  keep();
});
