import {type FileHandle, open, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {codeOf} from '../failures/error-text.ts';
import {syncDirectory} from './directory.ts';
import {renameOver} from './rename-over.ts';

/** Any user may read the file, unless the umask forbids it. */
export const SHARED_FILE_MODE = 0o666;

export interface ReplaceOptions {
  /** Mode of the new file, less the umask. */
  readonly mode: number;
  /**
   * Path of the new file until it is complete, in the same directory. In a directory of other users it must be unguessable; a fixed path
   * keeps the leftovers of killed processes to one.
   */
  readonly temporary: string;
  /** False for a file that is worth nothing after a loss of power: it is not synced then. @default {true} */
  readonly isDurable?: boolean;
}

/**
 * Writes a file that appears only when it is complete, in place of an existing one. A reader sees the old file or the new one, also after
 * a loss of power unless it is not durable; after the promise resolved, the new one. Leaves nothing if it fails.
 *
 * @param fill Writes the content. The file is synced and closed afterwards.
 * @throws The error of the operating system, or of `fill`.
 */
export async function replaceFile(
  path: string,
  fill: (file: FileHandle) => Promise<unknown>,
  {mode, temporary, isDurable = true}: ReplaceOptions,
): Promise<void> {
  const file = await open(temporary, 'wx', mode).catch(async error => {
    if (codeOf(error) !== 'EEXIST') throw error;
    // A leftover of a process that was killed may have another mode, or be a link.
    await rm(temporary, {force: true});
    return open(temporary, 'wx', mode);
  });
  try {
    await fill(file)
      .then(() => (isDurable ? file.sync() : undefined))
      .finally(() => file.close());
    await renameOver(temporary, path);
    if (isDurable) await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, {force: true});
    throw error;
  }
}

/** Removes a file, also after a loss of power. Idempotent. */
export async function removeDurably(path: string): Promise<void> {
  await rm(path, {force: true});
  await syncDirectory(dirname(path)).catch(error => {
    // Without the directory there is no file either.
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}
