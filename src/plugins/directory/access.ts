import type {Stats} from 'node:fs';
import {lstat, readlink, realpath} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';

/** Returns the user of this process; undefined on Windows, where Node does not know the owners of files. */
export function ownUserId(): number | undefined {
  return process.getuid?.();
}

/**
 * Finds out if another user could replace a directory or change its entries. Checks the owner and mode of the directory and of
 * every directory and link on its path, but not the content of the directory.
 *
 * @param userId User of this process; undefined if owners are not known.
 * @returns The problem; undefined if only this user and the superuser can, or if owners are not known.
 */
export async function findAccessProblem(path: string, userId = ownUserId()): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  const real = await realpath(path);
  return describeAccess(await lstat(real), userId, real) ?? findParentProblem(path, userId);
}

/**
 * Finds out if another user could replace a directory that does not exist yet, once it is created. Checks the directories and links on its
 * way to it.
 *
 * @param userId User of this process; undefined if owners are not known.
 * @returns The problem; undefined if only this user and the superuser can, or if owners are not known.
 */
export async function findPlaceProblem(path: string, userId = ownUserId()): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  const parent = dirname(path);
  const isThere = (await lstat(parent).catch(() => undefined)) !== undefined;
  return isThere ? findParentProblem(parent, userId) : findPlaceProblem(parent, userId);
}

/**
 * Describes how another user could change a file or the entries of a directory; undefined if only this user can.
 *
 * @param folder Folder that the advice names: the file is in it.
 */
export function describeAccess(
  {uid, mode}: Pick<Stats, 'uid' | 'mode'>,
  userId: number,
  folder: string,
): string | undefined {
  if (uid !== userId) return `belongs to user ${uid}, and this process runs as ${userId}`;
  return isWritableByOthers(mode) ? `${WRITABLE}; use "chmod -R go-w ${quote(folder)}"` : undefined;
}

const WRITABLE = 'is writable by its group or by others';

/** Quotes a path for a shell, if that is necessary. */
function quote(path: string): string {
  return /^[\w./+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function isWritableByOthers(mode: number): boolean {
  return (mode & 0o022) !== 0;
}

/** In a directory with this bit only the owner of an entry may rename or remove it, as in `/tmp`. */
const STICKY = 0o1000;

async function findParentProblem(path: string, userId: number): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const problem = await findParentProblem(parent, userId);
  if (problem !== undefined) return problem;
  const status = await lstat(path);
  if (status.uid !== userId && status.uid !== 0)
    return `is reached through ${path}, which belongs to user ${status.uid}`;
  if (status.isSymbolicLink()) return findParentProblem(resolve(await realpath(parent), await readlink(path)), userId);
  return isWritableByOthers(status.mode) && (status.mode & STICKY) === 0
    ? `is reached through ${path}, which ${WRITABLE}; use "chmod go-w ${quote(path)}"`
    : undefined;
}
