import type {PlatformPaths} from '../platform/paths.ts';
import {runProcess} from './process-context.ts';

/**
 * Runs `crewroom start` as the program with all commands does. The build bundles it into a file of its own, `service.cjs`.
 *
 * @returns The exit code.
 */
export function runService(paths: PlatformPaths): Promise<number> {
  return runProcess(paths, {start: () => import('./commands/start.ts')});
}
