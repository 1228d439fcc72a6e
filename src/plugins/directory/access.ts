import type {Stats} from 'node:fs';
import {lstat, readlink, realpath} from 'node:fs/promises';
import {dirname, relative, resolve, sep} from 'node:path';
import {formatLine} from '../../core/failures/copied-line.ts';
import {findOwnProblem, type OwnProblem, type OwnRule, ownUserId} from '../../core/files/own.ts';

/** A file, folder or link that another user than the superuser could change. */
export interface Exposure extends OwnProblem {
  readonly path: string;
}

/** Returns how another user could change a file or the entries of a folder; an empty list if only this user and the superuser can. */
export function exposuresOf(
  path: string,
  {uid, mode}: Pick<Stats, 'uid' | 'mode'>,
  {forbidden = 'writing', userId = ownUserId()}: Partial<OwnRule> = {},
): readonly Exposure[] {
  // What belongs to the superuser is judged as if it were this user's.
  const problem = findOwnProblem({uid: uid === 0 ? (userId ?? 0) : uid, mode}, {forbidden, userId});
  return problem === undefined ? [] : [{path, ...problem}];
}

/**
 * Finds out how another user could replace a folder or change its entries. Checks the owner and mode of the folder and of every
 * directory and link on its path, but not the content of the folder.
 *
 * @param userId User of this process; undefined if owners are not known.
 */
export async function findExposures(path: string, userId = ownUserId()): Promise<readonly Exposure[]> {
  if (userId === undefined) return [];
  const real = await realpath(path);
  const found = new Map(exposuresOf(real, await lstat(real), {userId}).map(each => [real, each]));
  await addExposures(path, userId, found);
  return [...found.values()];
}

/**
 * Describes how another user could replace a directory or change its entries: see {@link findExposures}.
 *
 * @returns Undefined if only this user and the superuser can, or if owners are not known.
 */
export async function findAccessProblem(path: string, userId = ownUserId()): Promise<string | undefined> {
  return describeExposures(await findExposures(path, userId), await realpath(path), userId);
}

/**
 * Describes how another user could replace a directory that does not exist yet, once it is created. Checks the directories and links on its
 * way to it.
 *
 * @param userId User of this process; undefined if owners are not known.
 * @returns Undefined if only this user and the superuser can, or if owners are not known.
 */
export async function findPlaceProblem(path: string, userId = ownUserId()): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  const parent = dirname(path);
  const isThere = (await lstat(parent).catch(() => undefined)) !== undefined;
  if (!isThere) return findPlaceProblem(parent, userId);
  const found = new Map<string, Exposure>();
  await addExposures(parent, userId, found);
  return describeExposures([...found.values()], path, userId);
}

/**
 * Describes all ways in which other users could change a folder, with the commands that end it.
 *
 * @returns Undefined without any.
 */
export function describeExposures(
  exposures: readonly Exposure[],
  folder: string,
  userId = ownUserId(),
): string | undefined {
  const owners = new Set(exposures.flatMap(({owner}) => owner ?? []));
  const foreign = [...owners].flatMap(user => {
    const paths = pathsOf(exposures.filter(({owner}) => owner === user));
    return describePlaces(paths, folder, {
      says: isMany => `${isMany ? 'belong' : 'belongs'} to user ${user}`,
      note: `, and this process runs as ${userId}`,
    });
  });
  const writable = pathsOf(exposures.filter(({isOpen}) => isOpen));
  const says = (isMany: boolean): string => `${isMany ? 'are' : 'is'} writable by its group or by others`;
  const texts = [...foreign, ...describePlaces(writable, folder, {says})];
  const repair = repairCommand(writable, folder) ?? 'chmod go-w';
  const advice = writable.length === 0 ? '' : `; use "${repair}"`;
  return texts.length === 0 ? undefined : `${texts.join(', and ')}${advice}`;
}

/** Returns the paths, each once. */
function pathsOf(exposures: readonly Exposure[]): readonly string[] {
  return [...new Set(exposures.map(({path}) => path))];
}

/** Describes a folder, or what is in it, with a note; and what leads to it. */
function describePlaces(
  paths: readonly string[],
  folder: string,
  {says, note = ''}: {readonly says: (isMany: boolean) => string; readonly note?: string},
): readonly string[] {
  const inside = paths.filter(path => path.startsWith(folder + sep)).map(path => relative(folder, path));
  const above = findAbove(paths, folder);
  const within = inside.length === 0 ? [] : [`has ${formatPaths(inside)}, which ${says(inside.length > 1)}${note}`];
  return [
    ...(paths.includes(folder) ? [says(false) + note] : within),
    ...(above.length === 0 ? [] : [`is reached through ${formatPaths(above)}, which ${says(above.length > 1)}`]),
  ];
}

function findAbove(paths: readonly string[], folder: string): readonly string[] {
  return paths.filter(path => path !== folder && !path.startsWith(folder + sep));
}

/** Paths that a description names; the others are counted. */
const SHOWN_MAX = 3;

function formatPaths(paths: readonly string[]): string {
  const others = paths.length > SHOWN_MAX ? [`${paths.length - SHOWN_MAX} more`] : [];
  return new Intl.ListFormat('en-GB').format([...paths.slice(0, SHOWN_MAX), ...others]);
}

function repairCommand(writable: readonly string[], folder: string): string | undefined {
  const above = findAbove(writable, folder);
  const commands = [
    ...(above.length < writable.length ? [formatLine(['chmod', '-R', 'go-w', folder], 'linux')] : []),
    ...(above.length > 0 ? [formatLine(['chmod', 'go-w', ...above], 'linux')] : []),
  ];
  return commands.includes(undefined) ? undefined : commands.join(' && ');
}

/** Adds the exposures of a path, and of the directories and links on the way to it, from the root on. */
async function addExposures(path: string, userId: number, found: Map<string, Exposure>): Promise<void> {
  const parent = dirname(path);
  if (parent === path) return;
  await addExposures(parent, userId, found);
  const status = await lstat(path);
  const isLink = status.isSymbolicLink();
  const judged = isLink ? {uid: status.uid, mode: 0} : status;
  for (const each of exposuresOf(path, judged, {forbidden: 'replacing', userId}))
    if (!found.has(path)) found.set(path, each);
  if (isLink) await addExposures(resolve(await realpath(parent), await readlink(path)), userId, found);
}
