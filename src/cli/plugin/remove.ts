import {rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {syncDirectory} from '../../files/directory.ts';
import {findRemovable, type RemovablePlugin, removePlugin} from '../../plugins/package/remove-plugin.ts';
import {treeBytes} from '../../snapshots/kept-files.ts';
import {describeDataDirectory} from '../../store/disk/data-directory.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {unconfirmed} from '../failures/usage.ts';
import {readSettings} from '../input/settings.ts';
import {escapeControls} from '../terminal/escape.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {canAsk} from '../terminal/prompts.ts';
import {reportDone} from '../terminal/report-done.ts';
import {keepFilesBefore, type Undo} from '../transfer/snapshot-before.ts';
import {askUntil} from './ask.ts';
import {findFollowingService, hasStorage, type StoringService} from './following-service.ts';
import {changing, findPlaces, stage, waitingOf} from './plugin-places.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin remove`: ends a plugin and deletes its folder, and with `--data` the files of its background. */
export async function remove(call: PluginCall, id: string): Promise<ExitCode> {
  const {context, flags} = call;
  const {yes = false, data = false} = flags;
  if (!yes && !canAsk(context)) throw unconfirmed('plugin', 'removes a plugin');
  const places = await findPlaces(call);
  const plugin = await findRemovable(id, places);
  if (plugin.directory === undefined && !data) throw new AppError({code: 'no-plugin', plugin: id});
  const state = await findFollowingService(call, places.plugins);
  return changing(places, () =>
    untilInterrupted(context, async signal => {
      if (!yes && !(await askUntil(signal, `${describePlugin(plugin, data)}?`, context))) {
        await context.stderr.write('Nothing was removed\n');
        return EXIT.failure;
      }
      await using staging = await stage(places, context);
      const service = state.kind === 'following' ? state.service : undefined;
      const holder = data ? await findDataHolder(call, plugin, service) : undefined;
      let snapshot: Undo | undefined;
      const removeFiles = async (storage: string): Promise<void> => {
        snapshot = await removeStorage(call, storage);
      };
      const deps = {staging, service, holder, waiting: waitingOf(context, signal), removeFiles};
      const {hasEnded} = await removePlugin(plugin, data, deps).catch(error => {
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

/**
 * Returns the process that uses the data directory, unless it is the service that follows the directory of plugins. Loads the engine of the store
 * for it, which other commands do without.
 */
async function findDataHolder(
  call: PluginCall,
  {id, storage}: RemovablePlugin,
  service: StoringService | undefined,
): Promise<number | undefined> {
  if (storage === undefined) return undefined;
  const {dataDir} = (await readSettings(call)).config;
  if (service !== undefined && (await hasStorage(service, {id, storage, dataDir}))) return undefined;
  const {findHolder} = await import('../../store/lmdb/process-lock.ts');
  return findHolder(describeDataDirectory(dataDir));
}

function adviseOnUse(error: unknown): unknown {
  if (!(error instanceof AppError) || error.failure.code !== 'unwritable-output') return error;
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
): Promise<ExitCode> {
  const withData = call.flags.data === true;
  const result = {id, removed: directory !== undefined, dataRemoved: withData && storage !== undefined, snapshot};
  const kept = withData || storage === undefined ? '' : `; its files stay in ${storage}`;
  const running = hasEnded ? '' : '; its background is still ending';
  return reportDone(call, result, `Removed ${id}${kept}${running}`);
}
