import {constants} from 'node:os';
import {codeOf} from '../../domain/error-text.ts';
import type {FileSystem} from './file-system.ts';

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
export async function failedOnFullDisk(
  error: unknown,
  {files, storePath}: {readonly files: FileSystem; readonly storePath: string},
  sizeBytes: number,
): Promise<boolean> {
  if (isFullDiskError(error)) return true;
  if (codeOf(error) !== EIO) return false;
  return (await files.writableBytes(storePath)) < sizeBytes + GROUP_OVERHEAD_BYTES;
}

/** Returns whether the operating system reported a full disk, an exceeded quota, or the size limit of a file. */
export function isFullDiskError(error: unknown): boolean {
  // Node has no name for EDQUOT: the error has only its number, negated.
  const isOverQuota = error instanceof Error && 'errno' in error && error.errno === -EDQUOT;
  return isOverQuota || FULL_DISK_ERRORS.has(codeOf(error));
}
