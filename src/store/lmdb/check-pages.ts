import {open, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {AppError} from '../../domain/failure.ts';
import {type DataDirectory, unusableDirectory} from '../disk/data-directory.ts';
import {openingFailure} from './engine-errors.ts';
import {LmdbFile} from './page-reader.ts';

/** The layout of an LMDB meta page on a 64-bit machine (mdb.c, MDB_page and MDB_meta); numbers little-endian. */
const META = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
  sizeBytes: 160,
} as const;
const MAGIC = 0xbeefc0de;
const LMDB_VERSION = 2;
/** Stands for the root of an empty tree. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** What {@link assertUndamaged} should find. */
export interface Expected {
  /** Whether the directory had a store before, so that an empty or missing file is damage. */
  readonly expected: boolean;
}

/**
 * Looks at the first pages of the store's file before the engine maps it: an engine that maps a file
 * shorter than its pages claim does not fail, it crashes the process. Nobody else may be writing to it.
 *
 * @throws {AppError} `store-damaged`; `data-directory-unusable` when the file cannot be read.
 */
export async function assertUndamaged({path, storePath}: DataDirectory, {expected}: Expected): Promise<void> {
  const problem = await findDamage(join(storePath, 'data.mdb'), expected).catch(error => {
    throw openingFailure(path, error);
  });
  if (problem !== undefined) throw new AppError({code: 'store-damaged', directory: path, problem});
}

/** How often, and how many milliseconds apart, a file is looked at that others may be writing to. */
const LOOKS_MAX = 5;
const LOOK_AGAIN_MS = 20;

/**
 * Looks at the lock's file in the same way, while other processes may be taking the lock.
 *
 * @throws {AppError} `data-directory-unusable`.
 */
export async function assertLockUndamaged({path, lockPath}: DataDirectory): Promise<void> {
  let problem: string | undefined;
  for (let look = 0; look < LOOKS_MAX; look++) {
    const file = join(lockPath, 'data.mdb');
    problem = await findLockDamage(file).catch(error => {
      throw unusableDirectory(path, error);
    });
    if (problem === undefined) return;
    // What changed between one read and the next looks like damage; real damage stays.
    await setTimeout(LOOK_AGAIN_MS);
  }
  throw new AppError({
    code: 'data-directory-unusable',
    directory: path,
    problem: `its lock is damaged (${problem}); while no Crewroom runs, the directory "lock" in it may be deleted`,
  });
}

async function findLockDamage(file: string): Promise<string | undefined> {
  return (await findDamage(file, false)) ?? (await findPageDamage(file));
}

/** Looks at every page: for a file as small as that of the lock. */
async function findPageDamage(path: string): Promise<string | undefined> {
  const size = await stat(path).then(
    status => status.size,
    () => 0,
  );
  if (size === 0) return undefined;
  using file = new LmdbFile(path);
  const {tables, damage} = file.tables();
  for (const table of tables)
    for await (const found of file.records(table)) if (found.kind === 'damage') damage.push(found.problem);
  return damage[0];
}

async function findDamage(path: string, expected: boolean): Promise<string | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return expected ? 'data.mdb is missing' : undefined;
  }
  try {
    const {size} = await file.stat();
    if (size === 0) return expected ? 'data.mdb is empty' : undefined;
    const first = Buffer.alloc(META.sizeBytes);
    await file.read(first, 0, first.length, 0);
    const pageSize = first.readUInt32LE(META.pageSize);
    const second = Buffer.alloc(META.sizeBytes);
    await file.read(second, 0, second.length, pageSize);
    return findMetaDamage(first, second, {sizeBytes: size, pageSize});
  } finally {
    await file.close();
  }
}

interface FileShape {
  readonly sizeBytes: number;
  readonly pageSize: number;
}

function findMetaDamage(first: Buffer, second: Buffer, {sizeBytes, pageSize}: FileShape): string | undefined {
  const sound = [first, second].every(
    meta =>
      meta.readUInt32LE(META.magic) === MAGIC &&
      meta.readUInt32LE(META.version) === LMDB_VERSION &&
      meta.readUInt32LE(META.pageSize) === pageSize,
  );
  const isPowerOfTwo = (pageSize & (pageSize - 1)) === 0;
  if (!sound || pageSize < 512 || pageSize > 65_536 || !isPowerOfTwo) return 'data.mdb does not begin as a store does';
  const transactions = [first, second].map(meta => meta.readBigUInt64LE(META.transaction)) as [bigint, bigint];
  const distance = transactions[0] - transactions[1];
  // Each commit writes one of the two pages in turn, so they are neighbours, except before the first commit.
  if (distance !== 1n && distance !== -1n && transactions.some(transaction => transaction !== 0n)) {
    return 'the first two pages of data.mdb do not belong together';
  }
  // Equal, the engine takes the first (mdb_pick_meta): it puts the old number back into the second where its first commit fails.
  const current = distance >= 0n ? first : second;
  const lastPage = current.readBigUInt64LE(META.lastPage);
  const needed = Number(lastPage + 1n) * pageSize;
  if (needed > sizeBytes && transactions.some(transaction => transaction !== 0n))
    return `data.mdb is ${sizeBytes} bytes and should be at least ${needed}`;
  const roots = [META.freeRoot, META.mainRoot].map(at => current.readBigUInt64LE(at));
  return roots.some(root => root !== NO_PAGE && root > lastPage) ? 'data.mdb points beyond its end' : undefined;
}
