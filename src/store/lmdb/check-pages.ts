import {open, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {AppError} from '../../core/failures/app-error.ts';
import {ignoreMissing} from '../../core/files/directory.ts';
import {type DataDirectory, unusableDirectory} from '../disk/data-directory.ts';
import {openingFailure} from './engine-errors.ts';

const MAGIC = 0xbeefc0de;
const LMDB_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;

/** The store that a directory must have. */
export interface Expected {
  /** True if the directory had a store before, so that an empty or missing file is damage. */
  readonly expected: boolean;
}

/**
 * Checks the meta pages of the store's file before the engine maps it: if the engine maps a file that is shorter than its pages
 * claim, the process crashes instead of failing.
 *
 * @throws {AppError} `store-corrupt`; `data-directory-unusable` if the file cannot be read.
 */
export async function assertUndamaged({path, storePath}: DataDirectory, {expected}: Expected): Promise<void> {
  const problem = await findLastingDamage(() => findDamage(join(storePath, 'data.mdb'), expected)).catch(error => {
    throw openingFailure(path, error);
  });
  if (problem !== undefined) throw new AppError({code: 'store-corrupt', what: 'whole', directory: path, problem});
}

/** Size of a new file, in bytes: the engine writes two pages before the first transaction. It holds no records. */
const NEW_FILE_BYTES = 2 * 4096;

/**
 * Removes a file to which no transaction was written. To be called only if the directory has no format yet: then its creation was
 * interrupted, so the file may be unsound, or not be on the disk although the operating system has it in memory.
 */
export async function removeUnfinished({files, storePath}: DataDirectory): Promise<void> {
  const path = join(storePath, 'data.mdb');
  const status = await files.inspect(path);
  if (status !== undefined && status.sizeBytes <= NEW_FILE_BYTES) await files.remove(path);
}

/** Number of attempts to read a file that others may be writing to, and the time between them, in milliseconds. */
const ATTEMPTS_MAX = 5;
const RETRY_DELAY_MS = 20;

/**
 * Checks the lock's file in the same way, while other processes may be taking the lock.
 *
 * @param expected False if the directory has no format yet: then an unsound file is one whose creation was interrupted, and is removed.
 * @throws {AppError} `data-directory-unusable`.
 */
export async function assertLockUndamaged({path, lockPath}: DataDirectory, {expected}: Expected): Promise<void> {
  const file = join(lockPath, 'data.mdb');
  const problem = await findLastingDamage(() => findDamage(file, false)).catch(error => {
    throw unusableDirectory(path, error);
  });
  if (problem === undefined) return;
  if (!expected) return await rm(file, {force: true});
  const advice = 'stop every Crewroom that uses it, then delete the directory "lock" in it';
  throw unusableDirectory(path, `its lock is damaged (${problem}); ${advice}`);
}

/** Finds damage that stays: a change of a file between two reads looks like damage. */
async function findLastingDamage(find: () => Promise<string | undefined>): Promise<string | undefined> {
  let problem = await find();
  for (let attempt = 1; attempt < ATTEMPTS_MAX && problem !== undefined; attempt++) {
    await setTimeout(RETRY_DELAY_MS);
    problem = await find();
  }
  return problem;
}

async function findDamage(path: string, expected: boolean): Promise<string | undefined> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (file === undefined) return expected ? 'data.mdb is missing' : undefined;
  try {
    const {size} = await file.stat();
    if (size === 0) return expected ? 'data.mdb is empty' : undefined;
    const first = Buffer.alloc(META.sizeBytes);
    await file.read(first, 0, first.length, 0);
    const second = Buffer.alloc(META.sizeBytes);
    await file.read(second, 0, second.length, first.readUInt32LE(META.pageSize));
    return findMetaDamage(first, second, size);
  } finally {
    await file.close();
  }
}

function findMetaDamage(first: Buffer, second: Buffer, sizeBytes: number): string | undefined {
  const pageSize = first.readUInt32LE(META.pageSize);
  if (![first, second].every(meta => isMetaPage(meta, pageSize))) return 'data.mdb does not begin like an LMDB file';
  const distance = transactionOf(first) - transactionOf(second);
  const isNew = transactionOf(first) === 0n && transactionOf(second) === 0n;
  // Transactions write the two pages alternately, so their numbers differ by one, except before the first transaction.
  if (distance !== 1n && distance !== -1n && !isNew) return 'the first two pages of data.mdb do not belong together';
  const current = currentMeta(first, second);
  const lastPage = current.readBigUInt64LE(META.lastPage);
  const neededBytes = Number(lastPage + 1n) * pageSize;
  if (neededBytes > sizeBytes && !isNew) return `data.mdb is ${sizeBytes} bytes and should be at least ${neededBytes}`;
  const roots = [META.freeDatabase, META.mainDatabase].map(at => current.readBigUInt64LE(at + ROOT));
  return roots.some(root => root !== NO_PAGE && root > lastPage) ? 'data.mdb points beyond its end' : undefined;
}

function isMetaPage(meta: Buffer, pageSize: number): boolean {
  const isPowerOfTwo = (pageSize & (pageSize - 1)) === 0;
  return (
    meta.readUInt32LE(META.magic) === MAGIC &&
    meta.readUInt32LE(META.version) === LMDB_VERSION &&
    meta.readUInt32LE(META.pageSize) === pageSize &&
    pageSize >= PAGE_BYTES_MIN &&
    pageSize <= PAGE_BYTES_MAX &&
    isPowerOfTwo
  );
}

/**
 * One of the two meta pages, which describe the state after a transaction, on a 64-bit machine (mdb.c of the version that the library
 * brings: MDB_page, MDB_meta, MDB_db). All numbers are little-endian.
 */
const META = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeDatabase: 48,
  mainDatabase: 96,
  lastPage: 144,
  transaction: 152,
  sizeBytes: 160,
} as const;

/** Position of the root of a table: the list of free pages, the table of tables, or one of these. */
const ROOT = 40;

/** Root of an empty tree. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** Returns the meta page of the last transaction, as the engine does: the first if both are equal (mdb_pick_meta). */
function currentMeta(first: Buffer, second: Buffer): Buffer {
  return transactionOf(first) >= transactionOf(second) ? first : second;
}

/** Returns the transaction that wrote a meta page. */
function transactionOf(meta: Buffer): bigint {
  return meta.readBigUInt64LE(META.transaction);
}
