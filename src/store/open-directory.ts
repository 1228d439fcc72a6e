import {AppError} from '../domain/failure.ts';
import {createStoreId, STORE_ID_BYTES} from '../domain/store-id.ts';
import {
  type DataDirectory,
  describeDataDirectory,
  prepareDataDirectory,
  protectFiles,
  readDataFormat,
  syncDirectories,
  unusableDirectory,
  writeDataFormat,
} from './disk/data-directory.ts';
import {makeRoom} from './disk/reserve.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from './format/store-metadata.ts';
import {assertUndamaged} from './lmdb/check-pages.ts';
import {openingFailure} from './lmdb/engine-errors.ts';
import {type Environment, openEnvironment} from './lmdb/environment.ts';
import {takeLock} from './lmdb/process-lock.ts';
import {findWrongEnd, readLastRevision} from './tree/change-log.ts';
import {openTables, readMetadata} from './tree/tables.ts';
import type {TreeFiles} from './tree/tree.ts';
import {type Recovery, readWriteAheadLog} from './wal/recovery.ts';
import type {WalRecord} from './wal/wal-record.ts';
import {secureRecords} from './wal/write-ahead-log.ts';

/** An opened data directory: its lock is held, its files are sound as far as a look at them tells. */
export interface OpenedDirectory extends TreeFiles {
  readonly lock: AsyncDisposable;
  /** What the write-ahead log has and the tree has not, since the store was not closed. */
  readonly recovered: readonly WalRecord[];
  /** Why the store got a new id; undefined when it has the one that it had. */
  readonly newIdBecause: NewIdReason | undefined;
}

/** It had none that can be read, its write-ahead log is missing, or its opener wants it. */
export type NewIdReason = 'none' | 'log-missing' | 'wanted';

/** How a data directory is opened. */
export interface OpeningOptions {
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Whether the store gets a new id in any case. */
  readonly newStoreId: boolean;
}

/**
 * Opens a data directory for this process alone. Nothing stays open when it fails.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-damaged`.
 */
export async function openDirectory(path: string, options: OpeningOptions): Promise<OpenedDirectory> {
  // A directory of another version must not be changed: neither its modes nor its lock.
  await readDataFormat(describeDataDirectory(path));
  const directory = await prepareDataDirectory(path);
  const lock = await lockDirectory(directory);
  try {
    const environment = await openStoreFiles(directory);
    try {
      return {directory, lock, environment, ...(await readStore(directory, environment, options))};
    } catch (error) {
      await environment[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

async function lockDirectory(directory: DataDirectory): Promise<AsyncDisposable> {
  try {
    if (!(await makeRoom(directory))) throw new Error('its disk is full');
    return await takeLock(directory, process.pid);
  } catch (error) {
    throw error instanceof AppError ? error : unusableDirectory(directory.path, error);
  }
}

async function openStoreFiles(directory: DataDirectory): Promise<Environment> {
  // Read again: only now nobody else can be writing it.
  const format = await readDataFormat(directory);
  await assertUndamaged(directory, {expected: format !== undefined});
  const environment = openSoundEnvironment(directory);
  try {
    if (format === undefined) {
      // Before anything of this format is in the files: a version that does not know it must not open them.
      await writeDataFormat(directory);
      await syncDirectories(directory);
    }
    await protectFiles(directory);
    return environment;
  } catch (error) {
    await environment[Symbol.asyncDispose]();
    throw error instanceof AppError ? error : unusableDirectory(directory.path, error);
  }
}

function openSoundEnvironment({path, storePath}: DataDirectory): Environment {
  try {
    return openEnvironment({directory: storePath});
  } catch (error) {
    throw openingFailure(path, error);
  }
}

type RecoveredStore = Pick<OpenedDirectory, 'recovered' | 'metadata' | 'newIdBecause'>;

async function readStore(
  directory: DataDirectory,
  environment: Environment,
  {randomBytes, newStoreId}: OpeningOptions,
): Promise<RecoveredStore> {
  const {known, wal} = await readContent(directory, environment);
  const {records, damage, isThere} = wal;
  if (damage !== undefined) throw new AppError({code: 'store-damaged', directory: directory.path, problem: damage});
  const newIdBecause = findReason(known, {isThere, newStoreId});
  if (known !== undefined && newIdBecause === undefined) return {recovered: records, metadata: known, newIdBecause};
  const metadata = {
    id: createStoreId(randomBytes(STORE_ID_BYTES)),
    // A write-ahead log stays that of the tree until the tree has all of it.
    walId: isThere ? known?.walId : undefined,
    highestMs: known?.highestMs ?? 0,
  };
  // Before anything is answered: an id that was told is never taken back.
  await writeMetadata(directory, environment, metadata);
  return {recovered: records, metadata, newIdBecause};
}

function findReason(
  known: StoreMetadata | undefined,
  {isThere, newStoreId}: {readonly isThere: boolean; readonly newStoreId: boolean},
): NewIdReason | undefined {
  if (known === undefined) return 'none';
  // What it had and the tree has not was acknowledged, and its revisions are given again.
  if (known.walId !== undefined && !isThere) return 'log-missing';
  return newStoreId ? 'wanted' : undefined;
}

async function writeMetadata({path}: DataDirectory, environment: Environment, metadata: StoreMetadata): Promise<void> {
  const {metadata: table} = openTables(environment);
  try {
    await environment.write(() => table.put(METADATA_KEY, encodeMetadata(metadata)));
  } catch (error) {
    throw unusableDirectory(path, error);
  }
}

interface StoreContent {
  /** Undefined in a new store, or if the record is damaged. */
  readonly known: StoreMetadata | undefined;
  readonly wal: Recovery;
}

async function readContent({path, storePath}: DataDirectory, environment: Environment): Promise<StoreContent> {
  try {
    const {changes, metadata} = openTables(environment);
    const known = readMetadata(metadata);
    const wrongEnd = findWrongEnd(changes);
    if (wrongEnd !== undefined) return {known, wal: {records: [], damage: wrongEnd, isThere: true}};
    const tree = {checkpointed: readLastRevision(changes), walId: known?.walId};
    const wal = await readWriteAheadLog(storePath, tree);
    const last = wal.records.at(-1);
    // What was read may not be on the disk yet, and what is shown to anybody has to be.
    if (wal.damage === undefined && last !== undefined) await secureRecords(storePath, last.place);
    return {known, wal};
  } catch (error) {
    throw openingFailure(path, error);
  }
}
