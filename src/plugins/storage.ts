import {chmod, mkdtemp, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {makeDirectory} from '../core/files/directory.ts';
import {PRIVATE_DIRECTORY_MODE} from '../core/files/own.ts';

/** The place for the files of plugins: a directory that stays, with all of them, or the path and beginning of the name of a temporary one. */
type StoragePlace = {readonly directory: string} | {readonly temporary: string};

/** The files of backgrounds. In a directory that stays they survive updates and removals of the plugins. */
export class PluginStorage implements AsyncDisposable {
  readonly #place: StoragePlace;
  #temporary: Promise<string> | undefined;

  constructor(place: StoragePlace) {
    this.#place = place;
  }

  /** Creates the directory of a plugin, if it is missing. */
  async open(id: string): Promise<string> {
    if ('directory' in this.#place) return openDirectory(this.#place.directory, id);
    this.#temporary ??= mkdtemp(this.#place.temporary);
    return openDirectory(await this.#temporary, id);
  }

  /** Removes temporary files. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#temporary !== undefined) await rm(await this.#temporary, {recursive: true, force: true});
  }
}

async function openDirectory(parent: string, id: string): Promise<string> {
  const directory = join(parent, id);
  await makeDirectory(directory);
  // An older directory may have another mode.
  await chmod(parent, PRIVATE_DIRECTORY_MODE);
  return directory;
}
