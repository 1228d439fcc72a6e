import {join} from 'node:path';
import {createStoreId, STORE_ID_BYTES} from '../core/domain/entries/identifiers.ts';
import type {Log} from '../core/domain/log.ts';
import {AppError} from '../core/failures/app-error.ts';
import {
  type DataDirectory,
  describeDataDirectory,
  prepareDataDirectory,
  protectFiles,
  syncDirectories,
  unusableDirectory,
} from './disk/data-directory.ts';
import {DATA_FORMAT, readDataFormat, writeDataFormat} from './disk/data-format.ts';
import {syncFile} from './disk/file-system.ts';
import {freeOpeningSpace} from './disk/reserve.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from './format/store-metadata.ts';
import {type Engine, LMDB} from './lmdb/engine.ts';
import {openingFailure} from './lmdb/engine-errors.ts';
import type {LmdbEnvironment} from './lmdb/environment.ts';
import {findWrongEnd, readLastRevision} from './tree/change-log.ts';
import {openTables, readMetadata} from './tree/store-tables.ts';
import type {TreeFiles} from './tree/tree.ts';
import {type RecoveredRecord, type Recovery, readWriteAheadLog} from './wal/recovery.ts';
import type {WalRecord} from './wal/wal-format.ts';
import {secureRecords} from './wal/write-ahead-log.ts';

/** An opened data directory: its lock is held, and no damage was found in its files. */
export interface OpenedDirectory extends TreeFiles {
  readonly lock: AsyncDisposable;
  /** Version of its format. */
  readonly format: number;
  /** Records of the write-ahead log that are not checkpointed, since the store was not closed. */
  readonly recovered: readonly WalRecord[];
  /** The reason why the store got a new id; undefined if it keeps its id. */
  readonly newIdBecause: NewIdReason | undefined;
  /** A damaged part of the write-ahead log that holds no commit; undefined if there is none. */
  readonly harmless: string | undefined;
}

/** Reason for a new store id: no id can be read, the write-ahead log is missing or damaged, or the caller requested a new one. */
export type NewIdReason = 'none' | 'log-missing' | 'log-damaged' | 'requested';

/** A damaged write-ahead log, as far as it can be read. */
export interface LogDamage {
  readonly problem: string;
  /** Records before the damage, which the store keeps. */
  readonly kept: readonly WalRecord[];
  /** Records behind it, which the store does not have: they follow commits that are missing. */
  readonly behind: readonly RecoveredRecord[];
}

export interface OpeningOptions {
  readonly engine: Engine;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Gives the store a new id in any case. */
  readonly newStoreId: boolean;
  /**
   * Called for a damaged write-ahead log. If it resolves, the store is opened with what is kept and a new id, and the rest of the log is
   * given up; if it rejects, so does the opening, and nothing was changed. @default {`store-corrupt`}
   */
  readonly onLogDamage?: ((damage: LogDamage) => Promise<void>) | undefined;
}

/**
 * Opens a data directory for this process alone. Nothing stays open if it fails.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-corrupt`.
 */
export async function openDirectory(directory: DataDirectory, options: OpeningOptions): Promise<OpenedDirectory> {
  const {engine} = options;
  const lock = await lockDirectory(directory, engine);
  try {
    const {environment, format} = await openStoreFiles(directory, engine);
    try {
      // A process that has the store open may have lost its lock, if the directory `lock` was deleted; but it has a slot in the store's
      // own table of readers too. This process has none before its first read.
      const [processId] = environment.liveReaders();
      if (processId !== undefined)
        throw new AppError({code: 'data-directory-in-use', directory: directory.path, processId});
      return {directory, lock, engine, environment, format, ...(await readStore(directory, environment, options))};
    } catch (error) {
      await environment[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Takes the lock of a data directory whose store is elsewhere: sessions, tokens and plugins stay in it.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`.
 */
export async function lockDataDirectory(path: string): Promise<AsyncDisposable> {
  const directory = describeDataDirectory(path);
  const lock = await lockDirectory(directory, LMDB);
  try {
    await protectFiles(directory);
    return lock;
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw openingFailure(path, error);
  }
}

/** Logs damage that does no harm, and, if the store got a new id, why earlier cursors and ETags are invalid. */
export function logOpening({newIdBecause, metadata, harmless, directory}: OpenedDirectory, log: Log): void {
  if (harmless !== undefined)
    log.error('the write-ahead log is damaged where it holds no commit; check the disk', {
      directory: directory.path,
      problem: harmless,
    });
  const lost = newIdBecause === undefined ? undefined : LOST[newIdBecause];
  const fields = {storeId: metadata.id};
  if (lost !== undefined) log.error(`${lost}, and the store has a new id`, fields);
  if (newIdBecause === 'requested') log.info('the store has a new id', fields);
}

/** Losses for which a store gets a new id. */
const LOST: Readonly<Partial<Record<NewIdReason, string>>> = {
  'log-missing': 'the write-ahead log is missing; commits that were only in it are lost',
  'log-damaged': 'the write-ahead log was damaged; what is behind the damage was given up',
};

/**
 * Takes the lock of a data directory for this process alone, and creates the directory if it is missing. Its store is not opened.
 *
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`.
 */
async function lockDirectory(directory: DataDirectory, engine: Engine): Promise<AsyncDisposable> {
  // A directory of another version must not be changed: neither its modes nor its lock.
  const format = await readDataFormat(directory);
  await prepareDataDirectory(directory);
  try {
    if (!(await freeOpeningSpace(directory))) throw new Error('its disk is full');
    return await engine.takeLock(directory, {expected: format !== undefined});
  } catch (error) {
    throw error instanceof AppError ? error : unusableDirectory(directory.path, error);
  }
}

async function openStoreFiles(
  directory: DataDirectory,
  engine: Engine,
): Promise<Pick<OpenedDirectory, 'environment' | 'format'>> {
  // Read again: only with the lock no other process can be writing it.
  const format = await readDataFormat(directory);
  if (format === undefined) await engine.removeUnfinished(directory);
  await engine.assertUndamaged(directory, {expected: format !== undefined});
  const environment = await engine.openEnvironment({directory: directory.storePath}).catch(error => {
    throw openingFailure(directory.path, error);
  });
  try {
    if (format === undefined) {
      // First the empty store, then its format: a format whose store is empty or missing means that the store is damaged.
      const environments = [directory.storePath, directory.lockPath];
      await Promise.all(environments.map(each => syncFile(directory.files, join(each, 'data.mdb'))));
      await syncDirectories(directory);
      // Before the first transaction: a version that does not know this format must not open the store.
      await writeDataFormat(directory);
    }
    await protectFiles(directory);
    return {environment, format: format ?? DATA_FORMAT};
  } catch (error) {
    await environment[Symbol.asyncDispose]();
    throw error instanceof AppError ? error : unusableDirectory(directory.path, error);
  }
}

type RecoveredStore = Pick<OpenedDirectory, 'recovered' | 'metadata' | 'newIdBecause' | 'harmless'>;

async function readStore(
  directory: DataDirectory,
  environment: LmdbEnvironment,
  {randomBytes, newStoreId, onLogDamage}: OpeningOptions,
): Promise<RecoveredStore> {
  const {known, wal} = await readContent(directory, environment);
  const {records, behind, damage, harmless, isThere} = wal;
  if (damage !== undefined) {
    const {path} = directory;
    if (onLogDamage === undefined)
      throw new AppError(
        {code: 'store-corrupt', what: 'whole', directory: path, problem: damage},
        {advice: RECOVERY_ADVICE},
      );
    await onLogDamage({problem: damage, kept: records, behind});
  }
  const last = records.at(-1);
  // They may not be on the disk yet, but readers may only see durable ones.
  if (last !== undefined)
    await secureRecords(directory, last.position).catch(error => {
      throw openingFailure(directory.path, error);
    });
  const newIdBecause = findReason(known, wal, newStoreId);
  if (known !== undefined && newIdBecause === undefined)
    return {recovered: records, metadata: known, newIdBecause, harmless};
  const metadata = {
    id: createStoreId(randomBytes(STORE_ID_BYTES)),
    // An existing log belongs to the tree until everything in it is checkpointed.
    walId: isThere ? known?.walId : undefined,
    highestMs: known?.highestMs ?? 0,
  };
  // Written before any request is answered, so that an id which callers have seen stays.
  const {metadata: table} = openTables(environment);
  await environment
    .write(() => table.put(METADATA_KEY, encodeMetadata(metadata)))
    .catch(error => {
      throw unusableDirectory(directory.path, error);
    });
  return {recovered: records, metadata, newIdBecause, harmless};
}

/** Advice on a damaged write-ahead log. */
export const RECOVERY_ADVICE =
  'Keep a copy of the directory; "crewroom recover FILE" shows what is lost, keeps all before it, and writes what follows it to FILE';

function findReason(
  known: StoreMetadata | undefined,
  {isThere, damage}: Recovery,
  newStoreId: boolean,
): NewIdReason | undefined {
  if (known === undefined) return 'none';
  // Acknowledged commits are lost, and their revisions will be assigned again.
  if (known.walId !== undefined && !isThere) return 'log-missing';
  if (damage !== undefined) return 'log-damaged';
  return newStoreId ? 'requested' : undefined;
}

interface StoreContent {
  /** Undefined in a new store, or if the record is damaged. */
  readonly known: StoreMetadata | undefined;
  readonly wal: Recovery;
}

async function readContent(directory: DataDirectory, environment: LmdbEnvironment): Promise<StoreContent> {
  try {
    const {changes, metadata} = openTables(environment);
    const known = readMetadata(metadata);
    const wrongEnd = findWrongEnd(changes);
    // The log cannot be judged without it.
    if (wrongEnd !== undefined) throw new Error(wrongEnd);
    const tree = {checkpointed: readLastRevision(changes), walId: known?.walId};
    return {known, wal: await readWriteAheadLog(directory, tree)};
  } catch (error) {
    throw openingFailure(directory.path, error);
  }
}
