import {AppError} from '../domain/failure.ts';
import {findWrongEnd, readLastRevision} from './change-log.ts';
import {
  DATA_FORMAT,
  type DataDirectory,
  describeDataDirectory,
  openingFailure,
  prepareDataDirectory,
  protectFiles,
  readDataFormat,
  syncDirectories,
  unusable,
  writeDataFormat,
} from './data-directory.ts';
import {secureRecords} from './journal.ts';
import type {JournalBlock} from './journal-block.ts';
import {type JournalContent, readJournal} from './journal-reading.ts';
import {assertUndamaged} from './lmdb-check.ts';
import {type Environment, openEnvironment, type Table} from './lmdb-environment.ts';
import {takeLock} from './lmdb-lock.ts';
import {makeRoom} from './reserve.ts';

/** An opened data directory: its lock is held, its files are sound as far as a look at them tells. */
export interface OpenedDirectory {
  readonly directory: DataDirectory;
  readonly lock: AsyncDisposable;
  readonly environment: Environment;
  /** What the journal has and the tree has not, since the store was not closed. */
  readonly unsettled: readonly JournalBlock[];
}

/** The tables of a store. */
export interface StoreTables {
  /** Entry records by key. */
  readonly entries: Table;
  /** Log records by revision. */
  readonly changes: Table;
  /** What expires, by time. */
  readonly expiries: Table;
}

/**
 * Opens a data directory for this process alone. Nothing stays open when it fails.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-damaged`.
 */
export async function openDirectory(path: string): Promise<OpenedDirectory> {
  // A directory of a newer version is not ours to change: neither its modes nor by a lock.
  await readDataFormat(describeDataDirectory(path));
  const directory = await prepareDataDirectory(path);
  const lock = await lockDirectory(directory);
  try {
    const environment = await openStoreFiles(directory);
    try {
      return {directory, lock, environment, unsettled: await readUnsettled(directory, environment)};
    } catch (error) {
      await environment[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** The tables of an opened environment. */
export function openTables(environment: Environment): StoreTables {
  return {
    entries: environment.table('entries'),
    changes: environment.table('changes'),
    expiries: environment.table('expiries'),
  };
}

async function lockDirectory(directory: DataDirectory): Promise<AsyncDisposable> {
  try {
    if (!(await makeRoom(directory))) throw new Error('its disk is full');
    return await takeLock(directory, process.pid);
  } catch (error) {
    throw error instanceof AppError ? error : unusable(directory.path, error);
  }
}

async function openStoreFiles(directory: DataDirectory): Promise<Environment> {
  // Read again: only now nobody else can be writing it.
  const format = await readDataFormat(directory);
  await assertUndamaged(directory, {expected: format !== undefined});
  const environment = openSoundEnvironment(directory);
  try {
    if (format !== DATA_FORMAT) {
      // Before anything of this format is in the files: a version that does not know it must not open them.
      await writeDataFormat(directory);
      await syncDirectories(directory);
    }
    await protectFiles(directory);
    return environment;
  } catch (error) {
    await environment[Symbol.asyncDispose]();
    throw error instanceof AppError ? error : unusable(directory.path, error);
  }
}

function openSoundEnvironment({path, storePath}: DataDirectory): Environment {
  try {
    return openEnvironment({directory: storePath});
  } catch (error) {
    throw openingFailure(path, error);
  }
}

async function readUnsettled(directory: DataDirectory, environment: Environment): Promise<readonly JournalBlock[]> {
  const {blocks, damage} = await readContent(directory, environment);
  if (damage === undefined) return blocks;
  throw new AppError({code: 'store-damaged', directory: directory.path, problem: damage});
}

async function readContent({path, storePath}: DataDirectory, environment: Environment): Promise<JournalContent> {
  try {
    const {changes} = openTables(environment);
    const wrongEnd = findWrongEnd(changes);
    if (wrongEnd !== undefined) return {blocks: [], damage: wrongEnd};
    const content = await readJournal(storePath, readLastRevision(changes));
    const last = content.blocks.at(-1);
    // What was read may not be on the disk yet, and what is shown to anybody has to be.
    if (content.damage === undefined && last !== undefined) await secureRecords(storePath, last.place);
    return content;
  } catch (error) {
    throw openingFailure(path, error);
  }
}
