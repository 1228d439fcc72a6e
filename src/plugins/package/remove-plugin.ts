import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {isPluginId} from '../../core/domain/plugins/plugin-id.ts';
import {AppError, unwritableOutput} from '../../core/failures/app-error.ts';
import {awaitEnd, type FollowingService, type Waiting} from './service-view.ts';
import type {Staging} from './staging.ts';

/** The parts of a plugin on disk. */
export interface RemovablePlugin {
  readonly id: string;
  /** Its folder; undefined if it is not installed. */
  readonly directory: string | undefined;
  /** Directory of its files; undefined if it has none. */
  readonly storage: string | undefined;
}

/** Directories of the plugins, and of their files. */
export interface PluginPlaces {
  readonly plugins: string;
  readonly storage: string;
}

/**
 * Finds an installed plugin, broken or not, and the files of its background.
 *
 * @throws {AppError} `no-plugin` if there is neither.
 */
export async function findRemovable(id: string, {plugins, storage}: PluginPlaces): Promise<RemovablePlugin> {
  const isInstalled = !id.startsWith('.') && (await hasEntry(plugins, id));
  const hasStorage = isPluginId(id) && (await hasEntry(storage, id));
  if (!isInstalled && !hasStorage) throw new AppError({code: 'no-plugin', plugin: id.slice(0, 64).toWellFormed()});
  return {
    id,
    directory: isInstalled ? join(plugins, id) : undefined,
    storage: hasStorage ? join(storage, id) : undefined,
  };
}

/** Returns whether a directory has an entry with exactly this name. False for a path of several names. */
async function hasEntry(directory: string, name: string): Promise<boolean> {
  return (await readdir(directory).catch((): string[] => [])).includes(name);
}

export interface RemoveDeps {
  readonly staging: Staging;
  /** The service that follows the directory; undefined if none does. */
  readonly service: FollowingService | undefined;
  /** Process that uses the data directory with the files, other than the service; undefined if none does. */
  readonly holder: number | undefined;
  /** Deletes the files of the background. If it throws, they are still there. */
  readonly removeFiles: (storage: string) => Promise<void>;
  readonly waiting: Waiting;
}

/**
 * Removes a plugin: its folder is moved out of the directory of plugins, the service ends its background, and then the files of the
 * background are removed, if `withStorage`, and the folder is deleted.
 *
 * @returns True if the background has ended, or no service follows the directory.
 * @throws {AppError} `unwritable-output` if `withStorage` and a background uses its files: a plugin in development that has the same id,
 * or perhaps one of another service, and then nothing was removed; or the background of this one, which has not ended.
 * @throws What `removeFiles` threw, and the reason of an interruption. With files to remove, the plugin is back in its place then.
 */
export async function removePlugin(
  {id, directory, storage}: RemovablePlugin,
  withStorage: boolean,
  {staging, service, holder, waiting, removeFiles}: RemoveDeps,
): Promise<boolean> {
  const deleted = withStorage ? storage : undefined;
  if (deleted !== undefined && (await service?.status(id))?.inDevelopment === true)
    throw unwritableOutput(deleted, 'a plugin in development that has the same id uses it');
  // A service at another address, with another directory of plugins, or beside the one that follows the same directory.
  if (deleted !== undefined && holder !== undefined)
    throw unwritableOutput(deleted, `process ${holder} uses the data directory that it is in`);
  // Also if its folder was removed before: its background may still be ending.
  const ending = async (): Promise<boolean> => service === undefined || awaitEnd(service, id, waiting);
  if (deleted === undefined) {
    if (directory !== undefined) await staging.drop(directory);
    return ending();
  }
  if (directory !== undefined) await staging.keep(directory);
  let hasEnded: boolean;
  try {
    hasEnded = await ending();
    if (hasEnded) await removeFiles(deleted);
  } catch (error) {
    if (directory !== undefined) await staging.putBack(directory);
    throw error;
  }
  await staging.confirm();
  if (!hasEnded) throw unwritableOutput(deleted, 'the background of the plugin has not ended');
  return true;
}
