import type {PlatformPaths} from '../platform/paths.ts';
import {COMMAND_LOADERS} from './loaders.ts';
import {runProcess} from './process-context.ts';

/** Runs the command that the arguments of this process name. The build bundles everything behind it into one file, `program.cjs`. @returns The exit code. */
export function runProgram(paths: PlatformPaths): Promise<number> {
  return runProcess(paths, COMMAND_LOADERS);
}
