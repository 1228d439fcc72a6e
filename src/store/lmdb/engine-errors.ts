import {constants} from 'node:os';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {PROCESS_TIMERS} from '../../core/time/timers.ts';
import {within} from '../../core/time/wait.ts';
import {type DataDirectory, unusableDirectory} from '../disk/data-directory.ts';
import {isFullDiskError} from '../disk/file-system.ts';
import {GROUP_OVERHEAD_BYTES} from '../disk/reserve.ts';
import {OpeningError} from './opening-limits.ts';

/** Error numbers of the engine (lmdb.h). Numbers above zero are those of the operating system. */
const ENGINE_ERRORS = {pageNotFound: -30797, corrupted: -30796, mapFull: -30792, badTransaction: -30782} as const;

const {EDQUOT, EFBIG, EIO, ENOSPC} = constants.errno;

/**
 * Numbers of errors for a file that cannot grow: that of the engine, and those of the operating system that it passes on. Windows has no
 * EDQUOT: undefined would be the number of every other error.
 */
const FULL_NUMBERS: ReadonlySet<unknown> = new Set(
  [ENGINE_ERRORS.mapFull, EDQUOT, EFBIG, ENOSPC].filter(number => number !== undefined),
);

/** Maximum time until the cause of a failed commit arrives, in milliseconds. */
const CAUSE_TIMEOUT_MS = 1000;

/** Returns whether a read failed because of a damaged page. */
export function isPageDamage(error: unknown): boolean {
  return codeOf(error) === ENGINE_ERRORS.pageNotFound || codeOf(error) === ENGINE_ERRORS.corrupted;
}

/**
 * Returns whether a range could not be read to its end because of a damaged page. The engine may report only its transaction, which
 * is aborted by the failed read.
 */
export function isRangeDamage(error: unknown): boolean {
  return isPageDamage(error) || codeOf(error) === ENGINE_ERRORS.badTransaction;
}

/** Returns the error of the operating system for a failed write, which its error carries as a promise that rejects a moment later. */
export async function findCause(error: unknown): Promise<unknown> {
  const pending = (error as {readonly commitError?: Promise<unknown>}).commitError;
  if (!(pending instanceof Promise)) return error;
  const cause = pending.then(
    () => error,
    (reason: unknown) => reason,
  );
  return (await within(cause, CAUSE_TIMEOUT_MS, PROCESS_TIMERS)) ?? error;
}

/**
 * Returns whether a transaction failed because the disk is full, not broken. The engine reports a write that a full disk cut short as
 * EIO, so then the free space decides. Free space is checked before each transaction too: the engine (lmdb 3.5.6, mdb_page_flush)
 * describes some failed writes in a text that is longer than its buffer, which can end the process.
 *
 * @param error As {@link findCause} returns it.
 * @param sizeBytes Bytes that were to be written, without {@link GROUP_OVERHEAD_BYTES}.
 */
export async function failedOnFullDisk(
  error: unknown,
  {files, storePath}: Pick<DataDirectory, 'files' | 'storePath'>,
  sizeBytes: number,
): Promise<boolean> {
  if (isFull(error)) return true;
  if (codeOf(error) !== EIO) return false;
  // A failing disk may not report its free space.
  const freeBytes = await files.writableBytes(storePath).catch(() => Infinity);
  return freeBytes < sizeBytes + GROUP_OVERHEAD_BYTES;
}

/**
 * Returns the failure for files that cannot be opened or read: damaged, unless the operating system refused. A full disk, a limit
 * of the process or a failing disk says nothing about the content of the files, so the advice must not be to restore a backup.
 */
export function openingFailure(directory: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof OpeningError || isFull(error) || isSystemError(error))
    return unusableDirectory(directory, error);
  return new AppError({code: 'store-corrupt', what: 'whole', directory, problem: messageOf(error)}, {cause: error});
}

/** Returns whether a file cannot grow, by an error of the engine or of Node. */
function isFull(error: unknown): boolean {
  return FULL_NUMBERS.has(codeOf(error)) || isFullDiskError(error);
}

function isSystemError(error: unknown): boolean {
  const {code, errno} = error as {readonly code?: unknown; readonly errno?: unknown};
  return errno !== undefined || (typeof code === 'number' && code > 0);
}
