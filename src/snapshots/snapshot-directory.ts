import type {Stats} from 'node:fs';
import {lstat, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../failures/app-error.ts';
import {messageOf} from '../failures/error-text.ts';
import {makeDirectory} from '../files/directory.ts';
import {describeOwner, findOwnProblem} from '../files/own.ts';
import {openNow} from '../files/read-file.ts';
import {readExportEnd, readExportStart} from '../protocol/transfer/export-ends.ts';
import {readKeptPlugin, treeBytes} from './kept-files.ts';

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

/** Names that are valid for files on every operating system, and not those of devices. */
const NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Bytes that are read at both ends of a file, to find its header and trailer. */
const END_BYTES = 4096;

/** Returns whether a text can be the name of a snapshot. */
export function isSnapshotName(name: string): boolean {
  return NAME.test(name);
}

/** Returns the path of a snapshot of entries. */
export function entriesFileOf(directory: string, name: string): string {
  return join(directory, `${name}${EXTENSION}`);
}

/** Returns the path of a snapshot of the files of a plugin: a directory that has them in one of the name of the plugin. */
export function keptFilesOf(directory: string, name: string): string {
  return join(directory, `${name}${FILES_EXTENSION}`);
}

/** Creates the directory of snapshots, which only its owner may read. @throws {AppError} `unwritable-output`. */
export async function makeSnapshotsDirectory(directory: string): Promise<void> {
  await makeDirectory(directory).catch(error => {
    throw new AppError(
      {code: 'unwritable-output', target: JSON.stringify(directory), problem: messageOf(error)},
      {cause: error},
    );
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
export async function readSnapshotNames(directory: string): Promise<readonly string[]> {
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
