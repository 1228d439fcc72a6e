import {freeBytes} from './reserve.ts';

/** What a commit may write besides values, in bytes: some pages of each tree. */
const COMMIT_OVERHEAD_BYTES = 256 * 1024;

const EIO = 5;

/** The error numbers of a full disk: ENOSPC, EDQUOT, EFBIG, and LMDB's own for a full map. */
const FULL_DISK_ERRORS: ReadonlySet<unknown> = new Set([28, 122, 27, -30792, 'ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Whether a write failed because there was no room for it, rather than because the disk is broken. LMDB
 * reports a write that was cut short by a full disk as EIO, so the room that there is decides.
 *
 * @param sizeBytes How much was to be written, besides the engine's own pages.
 */
export async function isFullDisk(error: unknown, directory: string, sizeBytes: number): Promise<boolean> {
  const {code} = error as {readonly code?: unknown};
  if (FULL_DISK_ERRORS.has(code)) return true;
  if (code !== EIO) return false;
  return (await freeBytes(directory)) < sizeBytes + COMMIT_OVERHEAD_BYTES;
}
