import {stat} from 'node:fs/promises';
import {AppError} from '../../failures/app-error.ts';
import {syncDirectory} from '../../files/directory.ts';
import {removeSnapshot} from '../../snapshots/automatic-snapshots.ts';
import {readKeptPlugin} from '../../snapshots/kept-files.ts';
import {entriesFileOf, isSnapshotName, keptFilesOf} from '../../snapshots/snapshot-directory.ts';
import {AdvisedError} from '../failures/report.ts';
import {invalidUsage} from '../failures/usage.ts';

/** A snapshot that exists: a file with entries, or a directory with the files of a plugin. */
export type FoundSnapshot = {readonly kind: 'entries'; readonly path: string} | KeptFiles;

/** The files of a plugin, in a directory of the name of the plugin. */
export interface KeptFiles {
  readonly kind: 'files';
  readonly path: string;
  readonly plugin: string;
}

/**
 * Returns the path of a snapshot of entries.
 *
 * @throws {AppError} `invalid-usage` for an invalid name.
 */
export function snapshotFile(directory: string, name: string): string {
  if (!isSnapshotName(name))
    throw invalidUsage(
      'snapshot',
      `${JSON.stringify(name)} is not a valid name: use up to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit`,
    );
  return entriesFileOf(directory, name);
}

/**
 * Deletes a snapshot, durably.
 *
 * @throws {AdvisedError} `unreadable-input` if there is no snapshot of this name.
 */
export async function deleteSnapshot(directory: string, name: string): Promise<void> {
  await findSnapshot(directory, name);
  await removeSnapshot(directory, name);
  await syncDirectory(directory);
}

/** Finds a snapshot. @throws {AdvisedError} `unreadable-input` if there is none of this name. */
export async function findSnapshot(directory: string, name: string): Promise<FoundSnapshot> {
  const path = snapshotFile(directory, name);
  if ((await stat(path).catch(() => undefined))?.isFile()) return {kind: 'entries', path};
  const kept = keptFilesOf(directory, name);
  const plugin = await readKeptPlugin(kept);
  if (plugin !== undefined) return {kind: 'files', path: kept, plugin};
  throw new AdvisedError(
    new AppError({
      code: 'unreadable-input',
      source: `the snapshot ${JSON.stringify(name)}`,
      problem: 'it does not exist',
      missing: true,
    }),
    '"crewroom snapshot list" shows all snapshots',
  );
}
