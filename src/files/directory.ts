import {mkdir, open, readdir, stat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {codeOf} from '../failures/error-text.ts';
import {PRIVATE_DIRECTORY_MODE} from './own.ts';
import {renameOver} from './rename-over.ts';

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

/** Makes the names in a directory durable, such as that of a file that was renamed, as far as its file system can. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and does not need to.
  if (process.platform === 'win32') return;
  try {
    const directory = await open(path, 'r');
    await directory.sync().finally(() => directory.close());
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
    await file.sync().finally(() => file.close());
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
