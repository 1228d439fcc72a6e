import {lstat, readdir, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isFailure} from '../../core/failures/app-error.ts';
import {ignoreMissing, makeDirectory, renameDurably} from '../../core/files/directory.ts';
import {findOwnProblem} from '../../core/files/own.ts';
import {moveOut, showManifest} from '../directory/move-out.ts';

/** Takes the lock of a folder until it is disposed of or the process ends in any way. @throws {AppError} `data-directory-in-use`. */
export type TakeLock = (folder: string) => Promise<AsyncDisposable>;

/**
 * A hidden folder in the directory of plugins, whose lock one command has, where a new version is unpacked and the old one is kept. Files
 * move between the two by renaming, durably. Disposal releases the lock and removes all but a version that is still kept.
 */
export interface Staging extends AsyncDisposable {
  /** Folder for the files of a new version; created by the caller. */
  readonly next: string;
  /** Moves the folder of a new version to its place. */
  move(staged: string, folder: string): Promise<void>;
  /**
   * Moves a folder out of the directory of plugins, until the new version is confirmed. If this process is killed before, or cannot put it
   * back, the next command or start of the service does.
   */
  keep(folder: string): Promise<void>;
  /** Moves a kept folder back to its place. */
  putBack(folder: string): Promise<void>;
  /** Marks the kept folders for deletion. */
  confirm(): Promise<void>;
  /** Moves a folder out of the directory of plugins, to be deleted. */
  drop(folder: string): Promise<void>;
}

/** Folder of commands in the directory of plugins. */
const STAGING = '.staging';

/** Folder in it with the version that is being replaced. */
const KEPT = 'kept';

/** Other folders in it. */
const NEXT = 'next';
const DROPPED = 'dropped';

/**
 * Opens the staging folder of a directory of plugins, which may be missing. Puts back first what killed commands left.
 *
 * @throws {AppError} `data-directory-in-use` with the process of another command that has it.
 * @throws {Error} An error of the operating system.
 */
export async function openStaging(plugins: string, takeLock: TakeLock): Promise<Staging> {
  const path = join(plugins, STAGING);
  await makeDirectory(path);
  const lock = await takeLock(path);
  try {
    await restore(path);
    for (const part of [NEXT, KEPT, DROPPED]) await makeDirectory(join(path, part));
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return {
    next: join(path, NEXT),
    move: renameDurably,
    keep: async folder => moveOut(folder, await placeIn(join(path, KEPT), folder)),
    putBack: folder => renameDurably(join(path, KEPT, basename(folder)), folder),
    confirm: () => confirm(path),
    drop: async folder => moveOut(folder, await placeIn(join(path, DROPPED), folder)),
    [Symbol.asyncDispose]: async () => {
      await clear(path).finally(() => lock[Symbol.asyncDispose]());
    },
  };
}

/**
 * Puts back, at the start of a service, what killed commands left in a directory of plugins. Does nothing while a command runs, or if
 * another user has made the staging folder.
 *
 * @throws {Error} An error of the operating system.
 */
export async function restoreKept(plugins: string, takeLock: TakeLock): Promise<void> {
  const path = join(plugins, STAGING);
  if (!(await isOwnDirectory(path)) || (await listParts(path)).length === 0) return;
  const lock = await takeLock(path).catch(error => {
    if (!isFailure(error, 'data-directory-in-use')) throw error;
  });
  if (lock !== undefined) await restore(path).finally(() => lock[Symbol.asyncDispose]());
}

/** Renames first: a command that is killed while it deletes must not leave an incomplete folder in `kept`. */
async function confirm(path: string): Promise<void> {
  for (const name of await readdir(join(path, KEPT)).catch(() => []))
    await renameDurably(join(path, KEPT, name), await placeIn(join(path, DROPPED), name));
}

/** Returns the place for a folder in another one, which is created again if it is gone: on Windows the removal by an earlier command may end late. */
async function placeIn(parent: string, folder: string): Promise<string> {
  await makeDirectory(parent);
  return join(parent, basename(folder));
}

/** Puts back what a killed command kept, with the manifests that it had hidden, and removes the rest. */
async function restore(path: string): Promise<void> {
  if ((await listParts(path)).length === 0) return;
  const plugins = dirname(path);
  // What a killed command dropped may have a name that is needed again.
  await remove(join(path, DROPPED));
  await makeDirectory(join(path, DROPPED));
  for (const kept of await readdir(join(path, KEPT)).catch(() => [])) await putBack(kept, path);
  for (const name of await readdir(plugins)) await showManifest(join(plugins, name));
  await clear(path);
}

/** Puts a version back. The one in its place was not confirmed. */
async function putBack(name: string, path: string): Promise<void> {
  const place = join(dirname(path), name);
  await renameDurably(place, join(path, DROPPED, name)).catch(ignoreMissing);
  await renameDurably(join(path, KEPT, name), place);
}

/** Removes everything but the lock, and a version that is still kept. */
async function clear(path: string): Promise<void> {
  for (const part of await listParts(path)) {
    const isKept = part === KEPT && (await readdir(join(path, KEPT))).length > 0;
    if (!isKept) await remove(join(path, part));
  }
}

async function listParts(path: string): Promise<readonly string[]> {
  return (await readdir(path)).filter(name => [NEXT, KEPT, DROPPED].includes(name));
}

/** Returns whether a directory is of this user: in a shared one another user may have created one of this name. */
async function isOwnDirectory(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && findOwnProblem(status, {forbidden: 'writing'})?.owner === undefined;
}

function remove(path: string): Promise<void> {
  return rm(path, {recursive: true, force: true, maxRetries: 3});
}
