import {chmod, mkdtemp, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {makeDirectory} from '../files/directory.ts';
import {PRIVATE_DIRECTORY_MODE} from '../files/own.ts';

/** The place for the files of backgrounds. */
export interface PluginStorage extends AsyncDisposable {
  /** Creates the directory of a plugin, if it is missing. */
  open(id: string): Promise<string>;
  /** Removes temporary files. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Keeps the files of plugins in a directory. They survive updates and removals of the plugins. */
export function openStorage(directory: string): PluginStorage {
  return {
    open: id => openDirectory(directory, id),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Keeps the files of plugins in a temporary directory, which disposal removes.
 *
 * @param prefix Path and beginning of the name of the directory.
 */
export function openTemporaryStorage(prefix: string): PluginStorage {
  let directory: Promise<string> | undefined;
  return {
    open: async id => {
      directory ??= mkdtemp(prefix);
      return openDirectory(await directory, id);
    },
    [Symbol.asyncDispose]: async () => {
      if (directory !== undefined) await rm(await directory, {recursive: true, force: true});
    },
  };
}

async function openDirectory(parent: string, id: string): Promise<string> {
  const directory = join(parent, id);
  await makeDirectory(directory);
  // An older directory may have another mode.
  await chmod(parent, PRIVATE_DIRECTORY_MODE);
  return directory;
}
