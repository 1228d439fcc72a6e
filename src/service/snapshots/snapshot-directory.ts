import type {Stats} from 'node:fs';
import {cp, lstat, readdir, rm, rmdir, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {findFileNameProblem} from '../../core/domain/plugins/file-name.ts';
import {AppError, codeOf, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {makeDirectory, renameDurably, syncDirectory, syncTree} from '../../core/files/directory.ts';
import {describeOwner, findOwnProblem} from '../../core/files/own.ts';
import {openNow} from '../../core/files/text-file.ts';
import {readExportEnd, readExportStart} from '../../core/protocol/transfer/export-ends.ts';

/** A saved snapshot. */
export interface SavedSnapshot {
  readonly name: string;
  /** Undefined for an incomplete file, which cannot be loaded, and for the files of a plugin. */
  readonly entries: number | undefined;
  /** The plugin whose files it has, in place of entries. */
  readonly plugin?: string;
  /** The revision of the store at that time; empty for the files of a plugin. */
  readonly revision: string;
  readonly sizeBytes: number;
  readonly savedAt: Date;
}

const EXTENSION = '.ndjson';
const FILES_EXTENSION = '.files';

/** Names of snapshots that every operating system can have as files. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Bytes that are read at both ends of a file, to find its header and trailer. */
const END_BYTES = 4096;

/** Returns whether a text can be the name of a snapshot. */
export function isSnapshotName(name: string): boolean {
  return NAME.test(name) && findFileNameProblem(name) === undefined;
}

/** Returns the path of a snapshot of entries. */
export function entriesFileOf(directory: string, name: string): string {
  return join(directory, `${name}${EXTENSION}`);
}

/** Returns the path of a snapshot of a plugin's files: a directory that has them in one of the name of the plugin. */
export function keptFilesOf(directory: string, name: string): string {
  return join(directory, `${name}${FILES_EXTENSION}`);
}

/** Creates the directory of snapshots, which only its owner may read. @throws {AppError} `unwritable-output`. */
export async function makeSnapshotsDirectory(directory: string): Promise<void> {
  await makeDirectory(directory).catch(error => {
    throw unwritableOutput(directory, messageOf(error), {cause: error});
  });
}

/**
 * Refuses a directory of snapshots that another user owns or may write to: a snapshot replaces the whole store. Accepts a
 * directory that does not exist yet.
 *
 * @throws {AppError} `data-directory-unusable`.
 */
export async function assertOwnDirectory(
  directory: string,
  {userId}: {readonly userId: number | undefined},
): Promise<void> {
  const link = await lstat(directory).catch(() => undefined);
  if (link === undefined) return;
  // For a link both count: its owner chooses the target.
  const target = await stat(directory).catch(() => link);
  const problem = describeProblem(link, userId) ?? describeProblem(target, userId);
  if (problem !== undefined) throw new AppError({code: 'data-directory-unusable', directory, problem});
}

function describeProblem(found: Stats, userId: number | undefined): string | undefined {
  const problem = findOwnProblem(found, {forbidden: 'writing', userId});
  if (problem?.owner !== undefined) return `it ${describeOwner(problem.owner, userId)}`;
  // The mode of a link means nothing.
  return problem && found.isDirectory() ? 'other users may write to it; "chmod 700" prevents that' : undefined;
}

/** Lists all snapshots by name. */
export async function listSnapshots(directory: string): Promise<readonly SavedSnapshot[]> {
  const names = await readSnapshotNames(directory);
  const found = await Promise.all(names.map(name => describeSnapshot(directory, name)));
  return found.filter(snapshot => snapshot !== undefined);
}

/** Returns the names of all snapshots, sorted. */
async function readSnapshotNames(directory: string): Promise<readonly string[]> {
  const files = await readdir(directory).catch((): string[] => []);
  const names = [EXTENSION, FILES_EXTENSION].flatMap(extension =>
    files.filter(file => file.endsWith(extension)).map(file => file.slice(0, -extension.length)),
  );
  return [...new Set(names)].filter(isSnapshotName).sort();
}

/** @returns Undefined if it is neither a regular file nor has files of a plugin. A pipe is opened without waiting for a writer. */
async function describeSnapshot(directory: string, name: string): Promise<SavedSnapshot | undefined> {
  const kept = keptFilesOf(directory, name);
  const plugin = await readKeptPlugin(kept);
  if (plugin === undefined) return describeEntries(entriesFileOf(directory, name), name);
  const [sizeBytes, {mtime: savedAt}] = await Promise.all([treeBytes(kept), stat(kept)]);
  return {name, entries: undefined, plugin, revision: '', sizeBytes, savedAt};
}

async function describeEntries(path: string, name: string): Promise<SavedSnapshot | undefined> {
  const file = await openNow(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const status = await file.stat();
    if (!status.isFile()) return undefined;
    const {size: sizeBytes, mtime: savedAt} = status;
    const read = async (position: number): Promise<string> => {
      const {buffer, bytesRead} = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position);
      return buffer.toString('utf8', 0, bytesRead);
    };
    const revision = String(readExportStart(await read(0)) ?? '');
    const entries = readExportEnd(await read(Math.max(0, sizeBytes - END_BYTES)));
    return {name, entries, revision, sizeBytes, savedAt};
  } finally {
    await file.close();
  }
}

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

/** Moves a plugin's files into a directory of their own, whose name names the snapshot. @throws As {@link moveTree}. */
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
