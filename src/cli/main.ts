#!/usr/bin/env node
import {platformPaths} from '../paths.ts';
import {enableCompileCache} from '../system/compile-cache.ts';

const paths = platformPaths();
enableCompileCache(paths.cacheDir, process.getuid?.());
// Only now: what was imported before is not in the cache.
const [{processContext}, {runCli}] = await Promise.all([import('./process-context.ts'), import('./run.ts')]);
process.exitCode = await runCli(processContext(process, paths));
