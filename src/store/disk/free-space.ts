import {constants} from 'node:os';
import {codeOf} from '../../core/failures/app-error.ts';

/** Bytes that a group of commits may write in addition to its operations: some pages of each tree. */
export const GROUP_OVERHEAD_BYTES = 256 * 1024;

/** Codes of errors for a full disk. */
const FULL_DISK_ERRORS: ReadonlySet<unknown> = new Set(['EFBIG', 'ENOSPC']);

/** Returns whether the operating system reported a full disk, an exceeded quota, or the size limit of a file. */
export function isFullDiskError(error: unknown): boolean {
  // Node has no name for EDQUOT: the error has only its number, negated.
  const isOverQuota = error instanceof Error && 'errno' in error && error.errno === -constants.errno.EDQUOT;
  return isOverQuota || FULL_DISK_ERRORS.has(codeOf(error));
}
