import {AppError} from '../../domain/app-error.ts';
import {codeOf, messageOf} from '../../domain/error-text.ts';
import {unusableDirectory} from '../disk/data-directory.ts';
import {isFullDiskError} from '../disk/free-space.ts';

/** Error numbers of the engine (lmdb.h). Numbers above zero are those of the operating system. */
const ENGINE_ERRORS = {pageNotFound: -30797, corrupted: -30796, mapFull: -30792, badTransaction: -30782} as const;

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

/** Returns whether a write failed because the file may not grow any more. */
export function isMapFull(error: unknown): boolean {
  return codeOf(error) === ENGINE_ERRORS.mapFull;
}

/**
 * Returns the failure for files that cannot be opened or read: damaged, unless the operating system refused. A full disk, a limit
 * of the process or a failing disk says nothing about the content of the files, so the advice must not be to restore a backup.
 */
export function openingFailure(directory: string, error: unknown): AppError {
  if (isMapFull(error) || isFullDiskError(error) || isSystemError(error)) return unusableDirectory(directory, error);
  return new AppError({code: 'store-damaged', directory, problem: messageOf(error)}, {cause: error});
}

function isSystemError(error: unknown): boolean {
  const {code, errno} = error as {readonly code?: unknown; readonly errno?: unknown};
  return errno !== undefined || (typeof code === 'number' && code > 0);
}
