import {lstat, readdir, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../../failures/error-text.ts';
import {makeDirectory, renameDurably} from '../../files/directory.ts';
import {findOwnProblem} from '../../files/own.ts';
import {moveOut, showManifest} from '../directory/move-out.ts';

export interface StagingDeps {
  readonly processId: number;
  /** Returns an unguessable name, of hexadecimal digits. */
  readonly randomName: () => string;
  /** Returns whether a process runs. */
  readonly isRunning: (processId: number) => boolean;
}

/**
 * A directory beside the directory of plugins, on the same file system, where a new version is unpacked and the old one is kept. Files
 * move between the two by renaming, durably. Disposal removes it with its content, unless a version that was kept is still in it.
 */
export interface Staging extends AsyncDisposable {
  /** Folder for the files of a new version; created by the caller. */
  readonly next: string;
  /** Moves the folder of a new version to its place. */
  move(staged: string, folder: string): Promise<void>;
  /**
   * Moves a folder out of the directory of plugins, until the new version is confirmed. If this process is killed before, or cannot put it
   * back, the next command does.
   */
  keep(folder: string): Promise<void>;
  /** Moves a kept folder back to its place. */
  putBack(folder: string): Promise<void>;
  /** Marks the kept folders for deletion. */
  confirm(): Promise<void>;
  /** Moves a folder out of the directory of plugins, to be deleted. */
  drop(folder: string): Promise<void>;
}

/** Another command changes the directory of plugins. */
export interface HeldStaging {
  readonly heldBy: FoundStaging;
}

/**
 * Creates a staging directory for a directory of plugins, which may be missing. Cleans up first after commands that were killed.
 *
 * @returns The other command, if one has a staging directory for the same plugins. Of two that begin at the same moment, both may find
 * the other one, but never neither.
 * @throws {Error} An error of the operating system.
 */
export async function openStaging(plugins: string, deps: StagingDeps): Promise<Staging | HeldStaging> {
  await makeDirectory(dirname(plugins));
  const path = `${plugins}${SUFFIX}-${deps.processId}-${deps.randomName()}`;
  await makeDirectory(path);
  // After its own directory exists: of two commands, the later one sees both.
  const others = (await listStagings(plugins)).filter(other => other.path !== path);
  const holder = others.find(({processId}) => deps.isRunning(processId));
  if (holder !== undefined) {
    await remove(path);
    return {heldBy: holder};
  }
  for (const other of others) await cleanUp(other.path, plugins);
  for (const part of [NEXT, KEPT, DROPPED]) await makeDirectory(join(path, part));
  return {
    next: join(path, NEXT),
    move: renameDurably,
    keep: folder => moveOut(folder, join(path, KEPT, basename(folder))),
    putBack: folder => renameDurably(join(path, KEPT, basename(folder)), folder),
    confirm: () => confirm(path),
    drop: folder => moveOut(folder, join(path, DROPPED, basename(folder))),
    [Symbol.asyncDispose]: async () => {
      if ((await readdir(join(path, KEPT))).length === 0) await remove(path);
    },
  };
}

const SUFFIX = '-install';

/** Folder in a staging directory with the version that is being replaced. */
export const KEPT = 'kept';

/** Other folders in a staging directory. */
const NEXT = 'next';
const DROPPED = 'dropped';

/** Renames first: a command that is killed while it deletes must not leave an incomplete folder in `kept`. */
async function confirm(path: string): Promise<void> {
  for (const name of await readdir(join(path, KEPT)))
    await renameDurably(join(path, KEPT, name), join(path, DROPPED, name));
}

/** Staging directory of a command, which may have been killed. */
export interface FoundStaging {
  readonly path: string;
  readonly processId: number;
}

/** Lists the staging directories of this user. */
async function listStagings(plugins: string): Promise<readonly FoundStaging[]> {
  const beginning = `${basename(plugins)}${SUFFIX}-`;
  const found: FoundStaging[] = [];
  for (const name of await readdir(dirname(plugins))) {
    if (!name.startsWith(beginning)) continue;
    const [, processId] = /^(\d{1,10})-[0-9a-f]+$/.exec(name.slice(beginning.length)) ?? [];
    const path = join(dirname(plugins), name);
    if (processId !== undefined && (await isOwnDirectory(path))) found.push({path, processId: Number(processId)});
  }
  return found;
}

/** Puts back what a killed command kept, and removes its staging directory. */
async function cleanUp(path: string, plugins: string): Promise<void> {
  for (const kept of await readdir(join(path, KEPT)).catch(() => [])) await putBack(kept, {path, plugins});
  for (const name of await readdir(plugins).catch(() => [])) await showManifest(join(plugins, name));
  await remove(path);
}

/** Puts a version back. The one in its place was not confirmed. */
async function putBack(
  name: string,
  {path, plugins}: {readonly path: string; readonly plugins: string},
): Promise<void> {
  await renameDurably(join(plugins, name), join(path, DROPPED, `${name}-unconfirmed`)).catch(error => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  await renameDurably(join(path, KEPT, name), join(plugins, name));
}

/** Returns whether a directory is of this user: in a shared one another user may have created one of this name. */
async function isOwnDirectory(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && findOwnProblem(status, {forbidden: 'writing'})?.owner === undefined;
}

function remove(path: string): Promise<void> {
  return rm(path, {recursive: true, force: true, maxRetries: 3});
}
