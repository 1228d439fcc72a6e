import {join} from 'node:path';
import {codeOf} from '../../core/failures/app-error.ts';
import {renameDurably} from '../../core/files/directory.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';

/** Name of the manifest of a plugin whose folder is about to be moved. */
const HIDDEN_FILE = `${MANIFEST_FILE}.moving`;

/**
 * Number of renames on Windows, each of which tries for two seconds, after the service was asked to end the background: it sees new files
 * within a second, and the background has five seconds to end.
 */
const ATTEMPTS = 5;

export interface MoveDeps {
  readonly platform: NodeJS.Platform;
  /** Renames a file or folder; on Windows it tries for some time. */
  readonly rename: (from: string, to: string) => Promise<void>;
}

/**
 * Moves the folder of a plugin out of the directory of plugins. Windows renames no folder with an open file in it, such as an addon or a log of
 * the background. Then the manifest is hidden, and the service, which follows it, ends the background first.
 *
 * @throws The error of the operating system. The manifest is back in its place then, or {@link showManifest} puts it back.
 */
export async function moveOut(
  folder: string,
  to: string,
  {platform, rename}: MoveDeps = {platform: process.platform, rename: renameDurably},
): Promise<void> {
  try {
    return await rename(folder, to);
  } catch (error) {
    if (platform !== 'win32' || codeOf(error) === 'ENOENT') throw error;
  }
  await rename(join(folder, MANIFEST_FILE), join(folder, HIDDEN_FILE));
  try {
    await moveOnceFree(() => rename(folder, to));
  } catch (error) {
    await rename(join(folder, HIDDEN_FILE), join(folder, MANIFEST_FILE));
    throw error;
  }
  await rename(join(to, HIDDEN_FILE), join(to, MANIFEST_FILE));
}

/** Puts the manifest of a folder back that a command has hidden and not put back, since it was killed. */
export async function showManifest(folder: string): Promise<void> {
  await renameDurably(join(folder, HIDDEN_FILE), join(folder, MANIFEST_FILE)).catch(error => {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
  });
}

async function moveOnceFree(move: () => Promise<void>): Promise<void> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    try {
      return await move();
    } catch {
      // The background is still ending.
    }
  }
  await move();
}
