import {readdir, readFile, stat, statfs} from 'node:fs/promises';
import {constants} from 'node:os';
import {join} from 'node:path';

/** What a commit may write besides values, in bytes: some pages of each tree. */
const GROUP_OVERHEAD_BYTES = 256 * 1024;

const {EDQUOT, EFBIG, EIO, ENOSPC} = constants.errno;

const FULL_DISK_ERRORS: ReadonlySet<unknown> = new Set([EDQUOT, EFBIG, ENOSPC, 'EFBIG', 'ENOSPC']);

/**
 * Whether a write failed because there was no room for it, rather than because the disk is broken. LMDB
 * reports a write that was cut short by a full disk as EIO, so the room that there is decides.
 *
 * @param sizeBytes How much was to be written, besides the engine's own pages.
 */
export async function failedOnFullDisk(error: unknown, directory: string, sizeBytes: number): Promise<boolean> {
  if (isFullDiskError(error)) return true;
  if (codeOf(error) !== EIO) return false;
  return (await writableBytes(directory)) < sizeBytes + GROUP_OVERHEAD_BYTES;
}

/** Whether the system itself says that there is no room: on the disk, for this user, or in one file. */
export function isFullDiskError(error: unknown): boolean {
  const {code, errno} = error as NodeJS.ErrnoException;
  // Node has no name for EDQUOT: only its number stands in the error, below zero.
  return (code !== undefined && FULL_DISK_ERRORS.has(code)) || (errno !== undefined && -errno === EDQUOT);
}

/** How much the files of a directory may grow, in bytes: what is free on the disk, or what this process may still put into one file. */
export async function writableBytes(directory: string): Promise<number> {
  return Math.min(await freeBytes(directory), await fileGrowthBytes(directory));
}

/** How much the largest file of a directory may still grow by the limit that this process has (RLIMIT_FSIZE); it may be changed while it runs. */
async function fileGrowthBytes(directory: string): Promise<number> {
  // Elsewhere nothing tells; the system then says so when it is too late to keep some room for deletions.
  if (process.platform !== 'linux') return Infinity;
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const limitBytes = /^Max file size +(\d+)/m.exec(limits)?.[1];
  if (limitBytes === undefined) return Infinity;
  const sizes = await Promise.all((await readdir(directory)).map(name => sizeOf(join(directory, name))));
  return Number(limitBytes) - Math.max(0, ...sizes);
}

/** How much room the disk of a directory has for this user, in bytes; a quota or a limit of the process may leave less. */
export async function freeBytes(directory: string): Promise<number> {
  const {bavail, bsize} = await statfs(directory);
  return bavail * bsize;
}

/** The size of a file, in bytes; 0 where there is none. */
export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return (error as {readonly code?: unknown}).code;
}
