import {type FileHandle, lstat, readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Store} from '../../core/domain/commits/store.ts';
import type {SnapshotBefore, Snapshots, Transfer} from '../../core/domain/commits/transfer.ts';
import {AppError, codeOf, isFailure, messageOf} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {replaceFile} from '../../core/files/directory.ts';
import {PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {
  assertOwnDirectory,
  entriesFileOf,
  keepFiles,
  keptFilesOf,
  listSnapshots,
  makeSnapshotsDirectory,
  type SavedSnapshot,
} from './snapshot-directory.ts';

/**
 * A change before which a snapshot is made, so that it can be undone. That before the conversion of a data directory stays until its owner
 * removes it.
 */
export type UndoableChange = 'delete' | 'import' | 'load' | 'remove' | 'reset' | 'upgrade';

/**
 * Largest number of entries that `delete` deletes without a snapshot: as many as one still reads through in a list, and can
 * write again. `reset` has one at any number.
 */
export const DELETED_WITHOUT_SNAPSHOT_MAX = 100;

/** Maximum number of snapshots before changes. The last mistake is undone, seldom the one of a week ago. */
export const AUTOMATIC_SNAPSHOTS_MAX = 5;

/**
 * Maximum size of all snapshots before changes, in bytes: what is spent on a mistake that perhaps was none, and a small part of any disk today. The newest
 * one is kept even if it alone is larger, since a large store needs it most.
 */
export const AUTOMATIC_BYTES_MAX = 200 * 1024 * 1024;

/** Length of the time at the end of a name, in characters. */
const TIME_LENGTH = '20260102t030405678z'.length;

const AUTOMATIC_NAME = /^before-(?:delete|import|load|remove|reset)-\d{8}t\d{9}z$/;

/** The file of a snapshot that is being written. */
const UNFINISHED_FILE = /^\.(?:before-[a-z]+|daily)-\d{8}t\d{9}z\.[0-9a-f]+\.new$/;

/** Age at which an unfinished file is that of a process that was killed, in milliseconds: nothing is written to it for a day. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** The place of snapshots, and the parts of this process that make one. */
export interface SnapshotPlace {
  readonly directory: string;
  /** The user of this process; undefined on Windows. */
  readonly userId: number | undefined;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Returns an unguessable name, of hexadecimal digits. */
  readonly randomName: () => string;
  /** Name of a snapshot that stays whatever its age: the one that is being loaded. */
  readonly keeping?: string | undefined;
}

/**
 * Saves an export as an automatic snapshot, which only its owner may read, and deletes the oldest ones before changes beyond
 * {@link AUTOMATIC_SNAPSHOTS_MAX} and {@link AUTOMATIC_BYTES_MAX}. Once the promise resolved, it survives a loss of power; if it rejects, nothing new is there.
 *
 * @returns Its name.
 * @throws {AppError} `snapshot-failed`, also for a full disk, and if another user may write to the directory.
 * @throws The error of the chunks.
 */
export async function saveAutomatic(
  kind: `before-${UndoableChange}` | 'daily',
  chunks: AsyncIterable<Uint8Array>,
  place: SnapshotPlace,
): Promise<string> {
  return makeAutomatic(kind, place, async name => {
    const path = entriesFileOf(place.directory, name);
    const temporary = join(place.directory, `.${name}.${place.randomName()}.new`);
    await replaceFile(path, file => writeAll(file, chunks), {mode: PRIVATE_FILE_MODE, temporary});
  });
}

/**
 * Keeps the files of a plugin as a snapshot, by moving them. Otherwise as {@link saveAutomatic}.
 *
 * @returns Its name.
 */
export function keepBefore(change: UndoableChange, storage: string, place: SnapshotPlace): Promise<string> {
  return makeAutomatic(`before-${change}`, place, name => keepFiles(storage, keptFilesOf(place.directory, name)));
}

async function makeAutomatic(
  kind: string,
  place: SnapshotPlace,
  make: (name: string) => Promise<void>,
): Promise<string> {
  const {directory} = place;
  const name = nameAt(kind, place.nowMs());
  try {
    await assertOwnDirectory(directory, place);
    await makeSnapshotsDirectory(directory);
    await make(name);
  } catch (error) {
    throw toFailure(error, directory);
  }
  // The snapshot is made: an error is no reason to give up the change.
  await Promise.allSettled([trim(place, name), removeAbandoned(place)]);
  return name;
}

/** Names a snapshot by its time, such as `daily-20260102t030405678z`. Lower case, since names that differ by case alone are one on some systems. */
export function nameAt(kind: string, timeMs: number): string {
  return `${kind}-${new Date(timeMs).toISOString().replace(/[-:.]/g, '').toLowerCase()}`;
}

/** Deletes the oldest snapshots before changes, but neither the newest nor `keeping`. */
async function trim({directory, keeping}: SnapshotPlace, newest: string): Promise<void> {
  const automatic = (await listSnapshots(directory)).filter(({name}) => AUTOMATIC_NAME.test(name));
  // Names have the time at their end; the newest is first whatever the clock said, and the kept one counts before the others.
  const stays = new Map([
    [newest, '~~'],
    [keeping, '~'],
  ]);
  const age = ({name}: SavedSnapshot): string => stays.get(name) ?? name.slice(-TIME_LENGTH);
  automatic.sort((one, other) => (age(one) < age(other) ? 1 : -1));
  let sizeBytes = 0;
  for (const [index, snapshot] of automatic.entries()) {
    sizeBytes += snapshot.sizeBytes;
    const fits = index < AUTOMATIC_SNAPSHOTS_MAX && sizeBytes <= AUTOMATIC_BYTES_MAX;
    if (!stays.has(snapshot.name) && !fits) await removeSnapshot(directory, snapshot.name).catch(() => undefined);
  }
}

async function removeAbandoned({directory, nowMs}: SnapshotPlace): Promise<void> {
  for (const file of await readdir(directory)) {
    if (!UNFINISHED_FILE.test(file)) continue;
    const path = join(directory, file);
    if (nowMs() - (await lstat(path)).mtimeMs > ABANDONED_MS) await rm(path, {force: true});
  }
}

/** Removes a snapshot, of entries or of files. */
export async function removeSnapshot(directory: string, name: string): Promise<void> {
  await rm(entriesFileOf(directory, name), {force: true});
  await rm(keptFilesOf(directory, name), {recursive: true, force: true});
}

async function writeAll(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await file.writeFile(chunk);
}

/** Turns the directory's problem, and an error of the operating system, into a failure that names the directory. */
function toFailure(error: unknown, directory: string): unknown {
  const problem = problemOf(error);
  return problem === undefined ? error : new AppError({code: 'snapshot-failed', directory, problem}, {cause: error});
}

function problemOf(error: unknown): string | undefined {
  if (isFailure(error, 'data-directory-unusable') || isFailure(error, 'unwritable-output'))
    return error.failure.problem;
  if (error instanceof AppError || !(error instanceof Error && 'syscall' in error)) return undefined;
  return codeOf(error) === 'ENOSPC' ? 'the disk is full' : messageOf(error);
}

export interface SnapshotsDeps {
  readonly store: Pick<Store, 'id'>;
  readonly transfer: Pick<Transfer, 'export'>;
  /** The place of snapshots; undefined if the store is in memory. */
  readonly place: SnapshotPlace | undefined;
  /** Returns the flags that name this service and its directories to a command. */
  readonly flags: () => readonly string[];
  readonly platform: string;
}

/** Creates the snapshots that a service makes by itself: for pages, which cannot write files. */
export function createSnapshots({store, transfer, place, flags, platform}: SnapshotsDeps): Snapshots {
  return {
    saveBeforeImport: async (prefix): Promise<SnapshotBefore | undefined> => {
      if (place === undefined) return undefined;
      // Before the export: of a store that takes the place of this one meanwhile, the revision is refused later.
      const {id: storeId} = store;
      const exported = await transfer.export({prefix});
      try {
        const name = await saveAutomatic('before-import', exported, place);
        const undo = formatLine(['crewroom', 'snapshot', 'load', name, ...flags()], platform);
        return {name, storeId, revision: exported.revision, undo};
      } finally {
        // Unread if the directory cannot be used.
        await exported.return();
      }
    },
  };
}
