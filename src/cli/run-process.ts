import type {PlatformPaths} from '../platform/paths.ts';
import {withoutProxy} from '../platform/system/without-proxy.ts';
import {processContext} from './process-context.ts';
import {type Loaders, runCli} from './run.ts';

/** Runs the command that the arguments of this process name. @returns The exit code. */
export function runProcess(paths: PlatformPaths, loaders: Loaders): Promise<number> {
  // Before anything is sent. Not in what embeds the service: its environment is its own.
  Object.assign(process.env, withoutProxy(process.env, {isNode: true}));
  return runCli(processContext(process, paths), loaders);
}
