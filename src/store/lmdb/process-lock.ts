import {statSync} from 'node:fs';
import {join} from 'node:path';
import {AppError} from '../../domain/failure.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {assertLockUndamaged} from './check-pages.ts';
import {type Environment, openEnvironment} from './environment.ts';

const HOLDER = Buffer.from('holder');

/**
 * Takes the lock of a data directory, until the returned lock is disposed of or the process ends, however
 * it ends: the lock is a place in the reader table of a small environment of its own, and the system
 * frees it with the process. Who holds it is written and checked in one transaction across processes.
 *
 * @throws {AppError} `data-directory-in-use` with the process that holds it; `data-directory-unusable` when the
 * lock's own file is damaged.
 */
export async function takeLock(directory: DataDirectory, processId: number): Promise<AsyncDisposable> {
  await assertLockUndamaged(directory);
  const environment = openEnvironment({directory: directory.lockPath});
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
 * @param ownId The id of this process.
 */
export async function findHolder(directory: DataDirectory, ownId: number): Promise<number | undefined> {
  // An empty file is one that nobody has taken yet; the engine, opening it only to read, would end the process.
  const file = statSync(join(directory.lockPath, 'data.mdb'), {throwIfNoEntry: false});
  if (file === undefined || file.size === 0) return undefined;
  await assertLockUndamaged(directory);
  const environment = openEnvironment({directory: directory.lockPath, readOnly: true});
  try {
    return findLiveHolder(environment, ownId);
  } finally {
    await environment[Symbol.asyncDispose]();
  }
}

/** Takes the lock, inside of a transaction. @returns The process that holds it already. */
function findOrBecomeHolder(environment: Environment, processId: number): number | undefined {
  const holder = findLiveHolder(environment, processId);
  if (holder !== undefined) return holder;
  environment.holdReader();
  environment.table('lock').put(HOLDER, Buffer.from(JSON.stringify({processId})));
  return undefined;
}

function findLiveHolder(environment: Environment, ownId: number): number | undefined {
  const readers = environment.liveReaders();
  // Before this process has a place in the table: it is another store of this process, or a process of another container. With
  // that one's place taken the engine would wait ten seconds for it, and then fail.
  if (readers.has(ownId)) return ownId;
  const holder = readHolder(environment.table('lock').get(HOLDER));
  return holder !== undefined && readers.has(holder) ? holder : undefined;
}

function releasing(environment: Environment): AsyncDisposable {
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    try {
      environment.writeAndWait(() => environment.table('lock').remove(HOLDER));
    } catch {
      // The disk is full or broken. The place in the table of readers is given up all the same, and it decides.
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
