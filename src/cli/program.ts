import type {PlatformPaths} from '../paths.ts';
import {processContext} from './process-context.ts';
import {runCli} from './run.ts';

/** Runs the command that the arguments of this process name. The build bundles everything behind it into one file, `program.cjs`. @returns The exit code. */
export function runProgram(paths: PlatformPaths): Promise<number> {
  return runCli(processContext(process, paths));
}
