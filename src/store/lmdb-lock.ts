import {statSync} from 'node:fs';
import {join} from 'node:path';
import {AppError} from '../domain/failure.ts';
import type {DataDirectory} from './data-directory.ts';
import {assertLockUndamaged} from './lmdb-check.ts';
import {type Environment, openEnvironment} from './lmdb-environment.ts';

/** Tells this run of a process from an earlier one that had the same id, as happens in containers. */
export interface ProcessMark {
  readonly processId: number;
  /** When the process started, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

const HOLDER = Buffer.from('holder');

/**
 * Takes the lock of a data directory, until the returned lock is disposed of or the process ends, however
 * it ends: the lock is a place in the reader table of a small environment of its own, and the system
 * frees it with the process. Who holds it is written and checked in one transaction across processes.
 *
 * @throws {AppError} `data-directory-in-use` with the process that holds it; `data-directory-unusable` when the
 * lock's own file is damaged.
 */
export async function takeLock(directory: DataDirectory, mark: ProcessMark): Promise<AsyncDisposable> {
  await assertLockUndamaged(directory);
  const environment = openEnvironment({directory: directory.lockPath});
  try {
    const holder = enterHolder(environment, mark);
    if (holder !== undefined) {
      throw new AppError({code: 'data-directory-in-use', directory: directory.path, processId: holder});
    }
    return releasing(environment);
  } catch (error) {
    await environment[Symbol.asyncDispose]();
    throw error;
  }
}

/** Who holds the lock of a data directory, without taking it. */
export async function findHolder(directory: DataDirectory): Promise<number | undefined> {
  // An empty file is one that nobody has taken yet; the engine, opening it only to read, would end the process.
  const file = statSync(join(directory.lockPath, 'data.mdb'), {throwIfNoEntry: false});
  if (file === undefined || file.size === 0) return undefined;
  await assertLockUndamaged(directory);
  const environment = openEnvironment({directory: directory.lockPath, readOnly: true});
  try {
    const current = readMark(environment.table('lock').get(HOLDER));
    return current !== undefined && environment.liveReaders().has(current.processId) ? current.processId : undefined;
  } finally {
    await environment[Symbol.asyncDispose]();
  }
}

/** Writes who holds the lock. @returns Who holds it already. */
function enterHolder(environment: Environment, mark: ProcessMark): number | undefined {
  const table = environment.table('lock');
  environment.holdReader();
  return environment.writeAndWait(() => {
    const current = readMark(table.get(HOLDER));
    if (current !== undefined && isAlive(current, mark, environment)) return current.processId;
    table.put(HOLDER, Buffer.from(JSON.stringify(mark)));
    return undefined;
  });
}

function isAlive(holder: ProcessMark, own: ProcessMark, environment: Environment): boolean {
  // Our own id is always alive; only the start tells whether it was us or somebody before us.
  if (holder.processId === own.processId) return holder.startedAtMs === own.startedAtMs;
  return environment.liveReaders().has(holder.processId);
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

function readMark(record: Buffer | undefined): ProcessMark | undefined {
  if (record === undefined) return undefined;
  try {
    return JSON.parse(record.toString()) as ProcessMark;
  } catch {
    return undefined;
  }
}
