import {cp, lstat, readdir, rm, rmdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../failures/error-text.ts';
import {makeDirectory, renameDurably, syncDirectory, syncTree} from '../files/directory.ts';

/** Returns the plugin whose files a directory has; undefined if it has none, such as one that is missing. */
export async function readKeptPlugin(kept: string): Promise<string | undefined> {
  const names = await readdir(kept).catch((): string[] => []);
  return names.length === 1 ? names[0] : undefined;
}

/** Returns the size of all files below a directory, in bytes; 0 if it is missing. Follows no links. */
export async function treeBytes(path: string): Promise<number> {
  let sizeBytes = 0;
  for (const entry of await readdir(path, {withFileTypes: true}).catch(() => [])) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) sizeBytes += await treeBytes(inner);
    else if (entry.isFile()) sizeBytes += (await lstat(inner)).size;
  }
  return sizeBytes;
}

/**
 * Moves a directory, durably; to another file system by copying it first. If it fails, one of the two places has all of it.
 *
 * @throws The error of the operating system.
 */
export async function moveTree(from: string, to: string): Promise<void> {
  await makeDirectory(dirname(to));
  try {
    return await renameDurably(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
  }
  try {
    await cp(from, to, {recursive: true, preserveTimestamps: true, verbatimSymlinks: true, errorOnExist: true});
    await syncTree(to);
    await syncDirectory(dirname(to));
  } catch (error) {
    await rm(to, {recursive: true, force: true});
    throw error;
  }
  await rm(from, {recursive: true, force: true, maxRetries: 3});
  await syncDirectory(dirname(from));
}

/** Moves the files of a plugin into a directory of their own, whose name names the snapshot. @throws As {@link moveTree}. */
export async function keepFiles(storage: string, kept: string): Promise<void> {
  await moveTree(storage, join(kept, basename(storage))).catch(async error => {
    // Only if nothing was moved: otherwise it may have the only copy.
    await rmdir(kept).catch(() => undefined);
    throw error;
  });
}

/** Moves kept files back to an empty or missing directory. @throws As {@link moveTree}. */
export async function restoreFiles(kept: string, storage: string): Promise<void> {
  // The service makes an empty one for a plugin that starts.
  await rm(storage, {recursive: true, force: true});
  await moveTree(kept, storage);
}
