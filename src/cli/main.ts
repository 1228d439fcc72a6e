#!/usr/bin/env node
import {createRequire} from 'node:module';
import {platformPaths} from '../paths.ts';
import {enableCompileCache} from '../system/compile-cache.ts';
import type * as program from './program.ts';

const paths = platformPaths();
enableCompileCache(paths.cacheDir, process.getuid?.());
// Only now: what was loaded before is not in the cache.
const {runProgram} = createRequire(import.meta.url)('./program.cjs') as typeof program;
process.exitCode = await runProgram(paths);
