#!/usr/bin/env node
import {enableCompileCache} from './compile-cache.ts';

enableCompileCache(process.getuid?.());
// Only now: what was imported before is not in the cache.
const [{processContext}, {runCli}] = await Promise.all([import('./terminal/context.ts'), import('./run.ts')]);
process.exitCode = await runCli(processContext());
