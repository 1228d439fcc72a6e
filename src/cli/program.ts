import type {PlatformPaths} from '../paths.ts';
import {withoutProxy} from '../system/without-proxy.ts';
import {processContext} from './process-context.ts';
import {runCli} from './run.ts';

/** Runs the command that the arguments of this process name. The build bundles everything behind it into one file, `program.cjs`. @returns The exit code. */
export function runProgram(paths: PlatformPaths): Promise<number> {
  // Before anything is sent. Not in what embeds the service: its environment is its own.
  Object.assign(process.env, withoutProxy(process.env, {isNode: true}));
  return runCli(processContext(process, paths));
}
