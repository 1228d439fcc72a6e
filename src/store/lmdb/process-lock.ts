import {statSync} from 'node:fs';
import {join} from 'node:path';
import {AppError} from '../../failures/app-error.ts';
import {type DataDirectory, unusableDirectory} from '../disk/data-directory.ts';
import {assertLockUndamaged, type Expected} from './check-pages.ts';
import {type LmdbEnvironment, openEnvironment} from './environment.ts';
import {OpeningError} from './opening-limits.ts';

const HOLDER = Buffer.from('holder');

export interface LockOptions extends Expected {
  /** Id of this process. */
  readonly processId: number;
}

/**
 * Takes the lock of a data directory until the returned lock is disposed of or the process ends in any way: the lock is a slot in
 * the reader table of a small environment of its own, which the operating system releases with the process. The id of the holder
 * is checked and written in one transaction across processes.
 *
 * @throws {AppError} `data-directory-in-use` with the process that holds it; `data-directory-unusable` if the file of the lock is
 * damaged.
 */
export async function takeLock(directory: DataDirectory, {processId, expected}: LockOptions): Promise<AsyncDisposable> {
  await assertLockUndamaged(directory, {expected});
  const environment = await openEnvironment({directory: directory.lockPath});
  try {
    const holder = environment.writeAndWait(() => findOrBecomeHolder(environment, processId));
    if (holder !== undefined) {
      throw new AppError({code: 'data-directory-in-use', directory: directory.path, processId: holder});
    }
    return releasing(environment);
  } catch (error) {
    await environment[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Finds the process that holds the lock of a data directory, without taking it.
 *
 * @param ownId Id of this process.
 * @throws {AppError} `data-directory-unusable` if the lock is damaged, or if it cannot be opened here.
 */
export async function findHolder(directory: DataDirectory, ownId: number): Promise<number | undefined> {
  // The file is empty before the first lock; if the engine opened it only for reading, it would end the process.
  const file = statSync(join(directory.lockPath, 'data.mdb'), {throwIfNoEntry: false});
  if (file === undefined || file.size === 0) return undefined;
  await assertLockUndamaged(directory, {expected: true});
  const environment = await openEnvironment({directory: directory.lockPath, readOnly: true}).catch(error => {
    throw error instanceof OpeningError ? unusableDirectory(directory.path, error) : error;
  });
  try {
    return findLiveHolder(environment, ownId);
  } finally {
    await environment[Symbol.asyncDispose]();
  }
}

/** Takes the lock, inside a transaction. @returns The process that holds it already. */
function findOrBecomeHolder(environment: LmdbEnvironment, processId: number): number | undefined {
  const holder = findLiveHolder(environment, processId);
  if (holder !== undefined) return holder;
  environment.holdReader();
  environment.table('lock').put(HOLDER, Buffer.from(JSON.stringify({processId})));
  return undefined;
}

function findLiveHolder(environment: LmdbEnvironment, ownId: number): number | undefined {
  const readers = environment.liveReaders();
  // This process has no slot yet, so it belongs to another store of this process, or to a process of another container with the
  // same id. With that slot in use the engine would wait ten seconds for it, and then fail.
  if (readers.has(ownId)) return ownId;
  const holder = readHolder(environment.table('lock').get(HOLDER));
  return holder !== undefined && readers.has(holder) ? holder : undefined;
}

function releasing(environment: LmdbEnvironment): AsyncDisposable {
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    try {
      environment.writeAndWait(() => environment.table('lock').remove(HOLDER));
    } catch {
      // The disk is full or broken. The slot in the table of readers is released all the same, and it decides.
    }
    await environment[Symbol.asyncDispose]();
  };
  return {[Symbol.asyncDispose]: () => (released ??= release())};
}

function readHolder(record: Buffer | undefined): number | undefined {
  if (record === undefined) return undefined;
  try {
    return (JSON.parse(record.toString()) as {readonly processId: number}).processId;
  } catch {
    return undefined;
  }
}
