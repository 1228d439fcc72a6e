import {statSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {AppError} from '../../core/failures/app-error.ts';
import {type DataDirectory, describeDataDirectory, unusableDirectory} from '../disk/data-directory.ts';
import {assertLockUndamaged, type Expected} from './check-pages.ts';
import {type LmdbEnvironment, openEnvironment} from './environment.ts';
import {OpeningError} from './opening-limits.ts';

/** Number of looks at the slots, and the time between them, in milliseconds: who only opens the files may have one for a moment. */
const LOOKS = 5;
const LOOK_DELAY_MS = 20;

/**
 * Takes the lock of a data directory until the returned lock is disposed of or the process ends in any way: the lock is a slot in
 * the reader table of a small environment of its own, which the operating system releases with the process. A transaction across
 * processes looks for other slots and takes one. Nothing is written in it: a process that opens the environment at that moment can
 * make the engine forget the last transaction (`mti_txnid` in mdb_env_open2() of lmdb 3.5.6).
 *
 * @throws {AppError} `data-directory-in-use` with the process that holds it; `data-directory-unusable` if the file of the lock is
 * damaged.
 */
export async function takeLock(directory: DataDirectory, {expected}: Expected): Promise<AsyncDisposable> {
  await assertLockUndamaged(directory, {expected});
  const environment = await openEnvironment({directory: directory.lockPath});
  try {
    const holder = await findLasting(() => environment.writeAndWait(() => findOthersOrHold(environment)));
    if (holder === undefined) return environment;
    throw new AppError({code: 'data-directory-in-use', directory: directory.path, processId: holder});
  } catch (error) {
    await environment[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Takes the lock of an existing folder that is no data directory, such as that of the commands of plugins, as {@link takeLock} does.
 *
 * @throws {AppError} `data-directory-in-use`; `data-directory-unusable` if its file system has no locks.
 */
export async function takeFolderLock(path: string): Promise<AsyncDisposable> {
  const directory = describeDataDirectory(path);
  await directory.files.makeDirectory(directory.lockPath);
  return takeLock(directory, {expected: false}).catch(error => {
    throw error instanceof OpeningError ? unusableDirectory(path, error) : error;
  });
}

/**
 * Finds the process that holds the lock of a data directory, without taking it. One of another container may have the id of this process.
 *
 * @throws {AppError} `data-directory-unusable` if the lock is damaged, or if it cannot be opened here.
 */
export async function findHolder(directory: DataDirectory): Promise<number | undefined> {
  // The file is empty before the first lock; if the engine opened it only for reading, it would end the process.
  const file = statSync(join(directory.lockPath, 'data.mdb'), {throwIfNoEntry: false});
  if (file === undefined || file.size === 0) return undefined;
  await assertLockUndamaged(directory, {expected: true});
  await using environment = await openToLook(directory.lockPath).catch(error => {
    throw error instanceof OpeningError ? unusableDirectory(directory.path, error) : error;
  });
  return await findLasting(() => environment.liveReaders());
}

/**
 * Opens the environment of a lock, for writing too where that is possible: opened only for reading the engine reads at once, which fails, and leaves
 * it half open, if a process of another container has a slot under the id of this process.
 */
async function openToLook(directory: string): Promise<LmdbEnvironment> {
  try {
    return await openEnvironment({directory});
  } catch (error) {
    if (!(error instanceof OpeningError)) throw error;
    return openEnvironment({directory, readOnly: true});
  }
}

/** Takes the lock, inside a transaction. @returns The processes with a slot, if any: then it was not taken. */
function findOthersOrHold(environment: LmdbEnvironment): ReadonlySet<number> {
  // A slot with the id of this process belongs to another store of this process, or to a process of another container with the same id.
  const others = environment.liveReaders();
  if (others.size === 0) environment.holdReader();
  return others;
}

/** Finds a process that has a slot at every look; undefined as soon as none has one. */
async function findLasting(look: () => ReadonlySet<number>): Promise<number | undefined> {
  let lasting = look();
  for (let looks = 1; looks < LOOKS && lasting.size > 0; looks++) {
    await pause(LOOK_DELAY_MS);
    const now = look();
    const still = new Set([...lasting].filter(id => now.has(id)));
    lasting = still.size > 0 ? still : now;
  }
  return lasting.values().next().value;
}
