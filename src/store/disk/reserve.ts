import {join} from 'node:path';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {DataDirectory} from './data-directory.ts';
import {isFullDiskError, writeWhole} from './file-system.ts';

/** Bytes that a group of commits may write in addition to its operations: some pages of each tree. */
export const GROUP_OVERHEAD_BYTES = 256 * 1024;

/**
 * Size of the reserve, in bytes. A deletion writes some pages of each tree before it frees any, so on a full disk nothing could
 * be deleted without a reserve; this one is enough for thousands of deletions.
 */
const RESERVE_BYTES = 1024 * 1024;

/** Maximum space that opening and closing a store take, in bytes: the first pages of four files. */
const OPENING_BYTES = 256 * 1024;

/** Name of the file in the directory of the store. Only the process that opened the store writes to it. */
const RESERVE_FILE = 'reserve';

/** Free space, in bytes, that the next {@link TRUSTED_GROUPS} groups cannot use up: they need no new check. */
const AMPLE_BYTES = 1024 * 1024 * 1024;
const TRUSTED_GROUPS = 64;

/** Maximum time until the free space is checked again, in milliseconds: other programs write to the disk too. */
const TRUSTED_MS = 1000;

export interface DiskSpaceDeps extends Pick<CommonDeps, 'elapsedMs' | 'randomBytes'> {
  readonly directory: DataDirectory;
}

/**
 * Free space for a write: `ample` if the disk cannot fill up before the next check either, `reserve` if the write fits only because
 * the reserve was released, `none` if it does not even then.
 */
export type FreeSpace = 'ample' | 'enough' | 'reserve' | 'none';

/** Checks before each write that the disk has enough free space. A write must not simply be tried: the engine may not survive it. */
export class DiskSpace {
  readonly #deps: DiskSpaceDeps;
  /** True while the reserve exists. */
  #isReserved = false;
  /** Number of groups before the free space is checked again. */
  #trustedGroups = 0;
  #trustedUntilMs = 0;

  constructor(deps: DiskSpaceDeps) {
    this.#deps = deps;
  }

  /** Returns whether the last check found so much free space that this write needs no new check. To be called once for each write. */
  trusts(): boolean {
    return this.#trustedGroups-- > 0 && this.#deps.elapsedMs() < this.#trustedUntilMs;
  }

  /** Returns the free space for a write of `sizeBytes`. Releases the reserve if it is not enough. */
  async check(sizeBytes: number): Promise<FreeSpace> {
    this.#isReserved ||= await createReserve(this.#deps);
    const {files, storePath} = this.#deps.directory;
    const free = await files.writableBytes(storePath);
    if (this.#isReserved && free >= sizeBytes + GROUP_OVERHEAD_BYTES) {
      const isAmple = free >= AMPLE_BYTES;
      this.#trustedGroups = isAmple ? TRUSTED_GROUPS : 0;
      this.#trustedUntilMs = this.#deps.elapsedMs() + TRUSTED_MS;
      return isAmple ? 'ample' : 'enough';
    }
    await this.releaseReserve();
    return (await files.writableBytes(storePath)) >= sizeBytes ? 'reserve' : 'none';
  }

  /** Releases the reserve for deletions, since the disk is full. */
  async releaseReserve(): Promise<void> {
    this.#isReserved = false;
    this.#trustedGroups = 0;
    await truncateReserve(this.#deps.directory);
  }
}

/**
 * Creates the reserve if the disk has space for it twice.
 *
 * @returns True if it exists now.
 */
async function createReserve({directory: {files, storePath}, randomBytes}: DiskSpaceDeps): Promise<boolean> {
  const path = join(storePath, RESERVE_FILE);
  if ((await files.inspect(path))?.sizeBytes === RESERVE_BYTES) return true;
  if ((await files.freeBytes(storePath)) < 2 * RESERVE_BYTES) return false;
  try {
    const file = await files.open(path, 'w');
    // Not zeros: some file systems allocate nothing for them.
    await writeWhole(file, Buffer.from(randomBytes(RESERVE_BYTES)), 0).finally(() => file.close());
    return true;
  } catch (error) {
    // A quota or a limit of the process may keep this user from the free space.
    if (isFullDiskError(error)) return false;
    throw error;
  }
}

async function truncateReserve({files, storePath}: DataDirectory): Promise<void> {
  const path = join(storePath, RESERVE_FILE);
  if (((await files.inspect(path))?.sizeBytes ?? 0) > 0) await files.empty(path);
}

/**
 * Ensures the free space for opening or closing a store, from the reserve if necessary. The engine maps its table of readers into
 * memory; if a write to it finds the disk full, the operating system ends the process.
 *
 * @returns True if there is enough.
 */
export async function freeOpeningSpace(directory: DataDirectory): Promise<boolean> {
  const {files, storePath} = directory;
  if ((await files.freeBytes(storePath)) >= OPENING_BYTES) return true;
  await truncateReserve(directory);
  return (await files.freeBytes(storePath)) >= OPENING_BYTES;
}
