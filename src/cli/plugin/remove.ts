import {lstat, realpath, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {AppError, codeOf, isFailure, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {syncDirectory} from '../../core/files/directory.ts';
import {untilAborted} from '../../core/time/until-aborted.ts';
import {pluginStorageDirOf, pluginsDirOf} from '../../platform/paths.ts';
import {findAccessProblem, findPlaceProblem} from '../../plugins/directory/access.ts';
import {
  findRemovable,
  type PluginPlaces,
  type RemovablePlugin,
  removePlugin,
} from '../../plugins/package/remove-plugin.ts';
import type {Waiting} from '../../plugins/package/service-view.ts';
import {openStaging, restoreKept, type Staging} from '../../plugins/package/staging.ts';
import {treeBytes} from '../../service/snapshots/snapshot-directory.ts';
import {describeDataDirectory} from '../../store/disk/data-directory.ts';
import {findHolder, takeFolderLock} from '../../store/lmdb/process-lock.ts';
import type {CallOf, CommandCall} from '../catalogue/commands.ts';
import {AdvisedError, unconfirmed} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import {type CliContext, escapeControls} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {type CommandOutcome, declined, removed} from '../terminal/outcome.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {keepFilesBefore, type Undo} from '../transfer/snapshot-before.ts';
import {findFollowingService, hasStorage, type StoringService} from './following-service.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin remove`: ends a plugin and deletes its folder, and with `--data` the files of its background. */
export async function remove(call: PluginCall, id: string): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {yes = false, data = false, dryRun = false} = flags;
  if (!yes && !dryRun && !canAsk(context)) throw unconfirmed('plugin', 'removes a plugin');
  const places = await findPlaces(call);
  // A killed command may have moved it out.
  if (!dryRun) await changing(places, () => restoreKept(places.plugins, takeFolderLock));
  const plugin = await findRemovable(id, places);
  if (plugin.directory === undefined && !data) throw new AppError({code: 'no-plugin', plugin: id});
  if (dryRun) return report(call, plugin, {hasEnded: true, snapshot: undefined});
  const state = await findFollowingService(call, places.plugins);
  return changing(places, () =>
    untilInterrupted(context, async signal => {
      if (!yes && !(await askUntil(signal, `${describePlugin(plugin, data)}?`, context))) {
        return declined('Nothing was removed');
      }
      await using staging = await stage(places);
      const service = state.kind === 'following' ? state.service : undefined;
      const holder = data ? await findDataHolder(call, plugin, service) : undefined;
      let snapshot: Undo | undefined;
      const removeFiles = async (storage: string): Promise<void> => {
        snapshot = await removeStorage(call, storage);
      };
      const deps = {staging, service, holder, waiting: waitingOf(context, signal), removeFiles};
      const hasEnded = await removePlugin(plugin, data, deps).catch(error => {
        throw adviseOnUse(error);
      });
      return report(call, plugin, {hasEnded, snapshot});
    }),
  );
}

/** Removes the files of a background: into a snapshot, unless there are none or the user wants none. */
async function removeStorage(call: PluginCall, storage: string): Promise<Undo | undefined> {
  if (!call.flags.noSnapshot && (await treeBytes(storage)) > 0) return keepFilesBefore(call, storage);
  await rm(storage, {recursive: true, force: true, maxRetries: 3});
  await syncDirectory(dirname(storage));
  return undefined;
}

/** Returns the process that uses the data directory, unless it is the service that follows the directory of plugins. */
async function findDataHolder(
  call: PluginCall,
  {id, storage}: RemovablePlugin,
  service: StoringService | undefined,
): Promise<number | undefined> {
  if (storage === undefined) return undefined;
  const {dataDir} = (await readSettings(call)).config;
  if (service !== undefined && (await hasStorage(service, {id, storage, dataDir}))) return undefined;
  return findHolder(describeDataDirectory(dataDir));
}

function adviseOnUse(error: unknown): unknown {
  if (!isFailure(error, 'unwritable-output')) return error;
  return new AdvisedError(
    error,
    'End the service with "crewroom stop", and run the command again; none of its files was deleted',
  );
}

function describePlugin({id, directory, storage}: RemovablePlugin, withData: boolean): string {
  const parts = [directory, withData ? storage : undefined].filter(path => path !== undefined);
  return escapeControls(`Remove ${id}: ${parts.join(' and ')}`);
}

interface Removed {
  readonly hasEnded: boolean;
  readonly snapshot: Undo | undefined;
}

function report(
  call: PluginCall,
  {id, directory, storage}: RemovablePlugin,
  {hasEnded, snapshot}: Removed,
): CommandOutcome {
  const withData = call.flags.data === true;
  const json = {id, removed: directory !== undefined, dataRemoved: withData && storage !== undefined, snapshot};
  const kept = withData || storage === undefined ? '' : `; its files stay in ${storage}`;
  const running = hasEnded ? '' : '; its background is still ending';
  return removed(call.flags, {verbs: ['Removed', 'remove'], what: id + kept + running, json});
}

/**
 * Finds the directories of plugins that the settings of a call name.
 *
 * @throws {AppError} `data-directory-unusable` if another user could change the directory of plugins.
 */
export async function findPlaces(call: CommandCall): Promise<PluginPlaces> {
  const {config} = await readSettings(call);
  const directory = config.pluginsDir || pluginsDirOf(config.dataDir);
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
 * Opens the staging folder of a command.
 *
 * @throws {AppError} `unwritable-output` if another command changes the directory of plugins.
 */
export async function stage({plugins}: PluginPlaces): Promise<Staging> {
  return openStaging(plugins, takeFolderLock).catch(error => {
    if (!isFailure(error, 'data-directory-in-use')) throw error;
    const problem = `another command, process ${error.failure.processId}, is changing it`;
    throw new AdvisedError(unwritableOutput(plugins, problem), 'Wait until that command has ended, and retry');
  });
}

/** Asks a question that Ctrl+C interrupts. @throws {InterruptedError} */
export async function askUntil(signal: AbortSignal, question: string, context: CliContext): Promise<boolean> {
  try {
    return await untilAborted(confirm(question, context), signal);
  } finally {
    // The prompt is still reading, which would keep the process alive.
    if (signal.aborted) context.stdin.close();
  }
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
    throw unwritableOutput(plugins, problem, {cause: error});
  }
}
