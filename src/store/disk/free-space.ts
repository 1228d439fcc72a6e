import {readdir, readFile, stat, statfs} from 'node:fs/promises';
import {constants} from 'node:os';
import {join} from 'node:path';
import {codeOf} from '../../domain/error-text.ts';

/** Bytes that a group of commits may write in addition to its operations: some pages of each tree. */
export const GROUP_OVERHEAD_BYTES = 256 * 1024;

const {EDQUOT, EFBIG, EIO, ENOSPC} = constants.errno;

/** Codes of errors for a full disk: names from Node, numbers from the engine. */
const FULL_DISK_ERRORS: ReadonlySet<unknown> = new Set([EDQUOT, EFBIG, ENOSPC, 'EFBIG', 'ENOSPC']);

/**
 * Returns whether a write failed because the disk is full, not broken. The engine reports a write that a full disk cut short as
 * EIO, so then the free space decides.
 *
 * @param sizeBytes Bytes that were to be written, without {@link GROUP_OVERHEAD_BYTES}.
 */
export async function failedOnFullDisk(error: unknown, directory: string, sizeBytes: number): Promise<boolean> {
  if (isFullDiskError(error)) return true;
  if (codeOf(error) !== EIO) return false;
  return (await writableBytes(directory)) < sizeBytes + GROUP_OVERHEAD_BYTES;
}

/** Returns whether the operating system reported a full disk, an exceeded quota, or the size limit of a file. */
export function isFullDiskError(error: unknown): boolean {
  // Node has no name for EDQUOT: the error has only its number, negated.
  const isOverQuota = error instanceof Error && 'errno' in error && error.errno === -EDQUOT;
  return isOverQuota || FULL_DISK_ERRORS.has(codeOf(error));
}

/** Returns how much the files of a directory may grow, in bytes: the free space, or what this process may still put into one file. */
export async function writableBytes(directory: string): Promise<number> {
  return Math.min(await freeBytes(directory), await fileGrowthBytes(directory));
}

/**
 * Returns how much the largest file of a directory may still grow by the limit of this process (RLIMIT_FSIZE), which may change
 * while the process runs.
 */
async function fileGrowthBytes(directory: string): Promise<number> {
  // Other systems do not report the limit. There a write fails only when no space is left for deletions either.
  if (process.platform !== 'linux') return Infinity;
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const limitBytes = /^Max file size +(\d+)/m.exec(limits)?.[1];
  if (limitBytes === undefined) return Infinity;
  const sizes = await Promise.all((await readdir(directory)).map(name => sizeOf(join(directory, name))));
  return Number(limitBytes) - Math.max(0, ...sizes);
}

/** Returns the free space of a directory's disk for this user, in bytes; a quota or a limit of the process may allow less. */
export async function freeBytes(directory: string): Promise<number> {
  const {bavail, bsize} = await statfs(directory);
  return bavail * bsize;
}

/** Returns the size of a file, in bytes; 0 if it is missing. */
export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
