import {lstatSync, mkdirSync, realpathSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {codeOf, messageOf} from '../failures/error-text.ts';
import {describeOwner, findOwnProblem, formatMode, PRIVATE_DIRECTORY_MODE} from '../files/own.ts';

/**
 * Prepares the directory in which the compiled code of this program is kept for the next start: one to which only this user can write, because this code is executed.
 *
 * @param userId The user of this process; undefined on Windows, where the profile of a user is closed to others by its ACL.
 * @returns Undefined if no code may be kept: other users could write there, this user has no home directory, or the disk fails.
 */
export function prepareCacheDirectory(cacheDir: string, userId: number | undefined): string | undefined {
  try {
    // Accounts of services often name a home directory that must not exist.
    if (statSync(homedir(), {throwIfNoEntry: false}) === undefined) return undefined;
    const directory = locate(cacheDir);
    if (findParentProblem(directory, userId) !== undefined) return undefined;
    makeDirectory(directory);
    return findDirectoryProblem(directory, userId) === undefined ? directory : undefined;
  } catch {
    // The cache is optional: it only makes the next start faster.
    return undefined;
  }
}

/**
 * Finds the reason why compiled code is not kept in a directory.
 *
 * @returns Undefined if it is kept, or if the directory does not exist yet.
 */
export function findCacheProblem(path: string, userId: number | undefined): string | undefined {
  try {
    const directory = locate(path);
    return findParentProblem(directory, userId) ?? findDirectoryProblem(directory, userId);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : messageOf(error);
  }
}

/** Creates a directory without `recursive`, which never ends below `/proc`. That of `files/` is asynchronous. */
function makeDirectory(path: string): void {
  if (statSync(path, {throwIfNoEntry: false}) !== undefined) return;
  makeDirectory(dirname(path));
  mkdirSync(path, {mode: PRIVATE_DIRECTORY_MODE});
}

/** Resolves links above the last part of a path, so that later changes of links have no effect. */
function locate(path: string): string {
  const parent = dirname(path);
  const isThere = parent === path || statSync(parent, {throwIfNoEntry: false}) !== undefined;
  return join(isThere ? realpathSync(parent) : locate(parent), basename(path));
}

function findDirectoryProblem(directory: string, userId: number | undefined): string | undefined {
  const status = lstatSync(directory);
  if (!status.isDirectory()) return `${directory} is not a directory`;
  // Reading alone is a problem too: with a wide umask the files in it may be writable.
  const problem = findOwnProblem(status, {forbidden: 'reading', userId});
  if (problem?.owner !== undefined) return `${directory} ${describeOwner(problem.owner, userId)}`;
  return problem && `${directory} is open to other users (mode ${formatMode(status.mode)})`;
}

/** Finds a parent directory in which another user could replace the directory. */
function findParentProblem(directory: string, userId: number | undefined): string | undefined {
  const parent = dirname(directory);
  if (parent === directory || userId === undefined) return undefined;
  const status = statSync(parent, {throwIfNoEntry: false});
  if (status === undefined) return findParentProblem(parent, userId);
  const problem = findOwnProblem(status, {forbidden: 'replacing', userId});
  if (problem === undefined) return findParentProblem(parent, userId);
  if (problem.owner !== undefined) return `${parent} belongs to user ${problem.owner}`;
  return `other users may write to ${parent} (mode ${formatMode(status.mode)})`;
}
