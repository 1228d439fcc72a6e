import {lstat, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {pluginStorageDirOf, pluginsDirOf} from '../../paths.ts';
import {findAccessProblem, findPlaceProblem} from '../../plugins/directory/access.ts';
import type {PluginPlaces} from '../../plugins/package/remove-plugin.ts';
import type {Waiting} from '../../plugins/package/service-view.ts';
import {KEPT, openStaging, type Staging} from '../../plugins/package/staging.ts';
import {isRunning} from '../../system/is-running.ts';
import {untilAborted} from '../../time/until-aborted.ts';
import type {CommandCall} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import type {CliContext} from '../terminal/context.ts';

/**
 * Finds the directories of plugins that the settings of a call name.
 *
 * @throws {AppError} `data-directory-unusable` if another user could change the directory of plugins.
 */
export async function findPlaces(call: CommandCall): Promise<PluginPlaces> {
  const {config} = await readSettings(call);
  const directory = config.plugins || pluginsDirOf(config.dataDir);
  const isThere = (await lstat(directory).catch(() => undefined)) !== undefined;
  const problem = await (isThere ? findAccessProblem(directory) : findPlaceProblem(directory)).catch(
    error => `cannot be checked: ${messageOf(error)}`,
  );
  if (problem !== undefined) throw new AppError({code: 'data-directory-unusable', directory, problem: `it ${problem}`});
  // The service compares real paths too.
  const plugins = isThere ? await realpath(directory) : directory;
  return {plugins, storage: pluginStorageDirOf(config.dataDir)};
}

/**
 * Creates the staging directory of a command.
 *
 * @throws {AppError} `unwritable-output` if another command changes the directory of plugins.
 */
export async function stage({plugins}: PluginPlaces, {processId, randomName}: CliContext): Promise<Staging> {
  const opened = await openStaging(plugins, {processId, randomName, isRunning});
  if (!('heldBy' in opened)) return opened;
  const {path, processId: other} = opened.heldBy;
  const problem = `another command, process ${other}, is changing it`;
  const [kept, staging, directory] = [join(path, KEPT), path, plugins].map(each => JSON.stringify(each));
  throw new AdvisedError(
    new AppError({code: 'unwritable-output', target: JSON.stringify(plugins), problem}),
    `Wait until that command has ended, and retry. If process ${other} is another program, the command was killed: ` +
      `move what ${kept} has, an old version that was being replaced, back to ${directory}, and delete ${staging}`,
  );
}

/** Returns the clock and the pause with which a command waits for the service. */
export function waitingOf({elapsedMs, pause}: CliContext, signal: AbortSignal): Waiting {
  return {elapsedMs, signal, pause: timeMs => untilAborted(pause(timeMs), signal)};
}

/** Runs a change of the directory of plugins, and converts an error of the operating system into a failure that names the directory. */
export async function changing<T>({plugins}: PluginPlaces, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (codeOf(error) === undefined || error instanceof AppError || !(error instanceof Error && 'syscall' in error))
      throw error;
    const problem = messageOf(error);
    throw new AppError({code: 'unwritable-output', target: JSON.stringify(plugins), problem}, {cause: error});
  }
}
