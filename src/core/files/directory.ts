import {fsync} from 'node:fs';
import {type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {promisify} from 'node:util';
import {codeOf} from '../failures/app-error.ts';
import {PRIVATE_DIRECTORY_MODE} from './own.ts';

/** Free space below which writes will fail soon, in bytes. */
export const SPACE_LOW_BYTES = 256 * 1024 * 1024;

/** Returns the free space of the disk that has a path, in bytes. @throws The error of the operating system. */
export async function freeBytes(path: string): Promise<number> {
  const {bavail, bsize} = await statfs(path);
  return bavail * bsize;
}

/**
 * Creates a directory and its parents, durably, for this user only: after a loss of power those that were created are there. Unlike `mkdir` with `recursive`,
 * it terminates on file systems such as `/proc`, which report ENOENT for a new name in an existing directory: there Node retries the same
 * two directories for ever.
 */
export async function makeDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectory(parent);
  await mkdir(path, {mode: PRIVATE_DIRECTORY_MODE}).catch(async error => {
    // Another process may have created it at the same moment.
    if (!(await isDirectory(path))) throw error;
  });
  await syncDirectory(parent);
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/**
 * Codes of errors for a directory that cannot be synced by this process, whatever the disk does: it may be written to and not be read, or
 * its file system has no such operation.
 */
const NOT_SYNCABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EINVAL', 'ENOTSUP']);

/** Makes a file durable. Not by its handle: under Plug'n'Play of Yarn that has no such method. */
const sync = promisify(fsync);

/** Makes the names in a directory durable, such as that of a file that was renamed, as far as its file system can. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and does not need to.
  if (process.platform === 'win32') return;
  try {
    const directory = await open(path, 'r');
    await sync(directory.fd).finally(() => directory.close());
  } catch (error) {
    if (!NOT_SYNCABLE.has(codeOf(error))) throw error;
  }
}

/** Makes a directory with all files and directories in it durable, without following links. Its own name is not: see {@link renameDurably}. */
export async function syncTree(path: string): Promise<void> {
  for (const entry of await readdir(path, {withFileTypes: true})) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await syncTree(inner);
    if (!entry.isFile()) continue;
    // Windows syncs only a file that is open for writing. Elsewhere its owner may not be allowed to write it.
    const file = await open(inner, process.platform === 'win32' ? 'r+' : 'r');
    await sync(file.fd).finally(() => file.close());
  }
  await syncDirectory(path);
}

/** Renames a file or directory; once the promise resolved, it has its new name also after a loss of power. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await renameOver(from, to);
  // First the new name: a loss of power in between leaves both, or one.
  await syncDirectory(dirname(to));
  if (dirname(from) !== dirname(to)) await syncDirectory(dirname(from));
}

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
      .then(() => (isDurable ? sync(file.fd) : undefined))
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
  // Without the directory there is no file either.
  await syncDirectory(dirname(path)).catch(ignoreMissing);
}

/** Handles the error that there is no such file or directory. @throws Any other error. */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

/**
 * Codes with which Windows refuses to rename while another program has the file, its target, or a file in the folder open: virus scanners,
 * indexers, backups and readers of ours do for some milliseconds.
 */
const HELD: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Number of attempts on Windows, with pauses in between that add up to two seconds: far more than a scanner takes for a small file. */
const ATTEMPTS = 10;
const PAUSE_MS = 2000 / (ATTEMPTS - 1);

/** The operating system that renames, and the wait between attempts. */
export interface RenameDeps {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Waits for a time, in milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Renames a file or directory, in place of a file that exists. On Windows it tries again for two seconds while another program holds one
 * of the two.
 *
 * @throws The last error of the operating system.
 */
export async function renameOver(
  from: string,
  to: string,
  {platform, rename, pause}: RenameDeps = SYSTEM_RENAME,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!isHeld(error, platform) || attempt === ATTEMPTS) throw error;
    }
    await pause(PAUSE_MS);
  }
}

/** Returns whether Windows refused to rename because another program has a file open; a folder in place of a file has the same codes. */
export function isHeld(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && HELD.has(codeOf(error));
}

/** Renames with the operating system. */
export const SYSTEM_RENAME: RenameDeps = {platform: process.platform, rename, pause};
