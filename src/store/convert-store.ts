import type {Store} from '../core/domain/commits/store.ts';
import type {Log} from '../core/domain/log.ts';
import {unusableDirectory} from './disk/data-directory.ts';
import {DATA_FORMAT, unsupportedFormat, writeDataFormat} from './disk/data-format.ts';
import type {OpenedDirectory} from './open-directory.ts';

export interface ConversionDeps {
  readonly log: Log;
  /**
   * Called with a store of an older format, only to read it, before it is converted: a snapshot of it is the way back. If it rejects, so does the
   * opening, and the format stays. @default {The opening fails with `data-format-unsupported`}
   */
  readonly beforeConversion?: ((store: Store) => Promise<void>) | undefined;
  /** Opens a store of an older format as it is, for a caller that commits nothing. @default {false} */
  readonly keepsFormat?: boolean | undefined;
}

/**
 * Converts a store that has an older format, which only its mark shows: the records of that are read as they are, and nothing was written in
 * the new one before.
 *
 * @returns The store, which is closed if this fails.
 * @throws {AppError} `data-directory-unusable`; `data-format-unsupported`; the failure of `beforeConversion`.
 */
export async function convertStore(
  store: Store,
  {directory, format}: Pick<OpenedDirectory, 'directory' | 'format'>,
  {log, beforeConversion, keepsFormat = false}: ConversionDeps,
): Promise<Store> {
  if (format === DATA_FORMAT || keepsFormat) return store;
  try {
    if (beforeConversion === undefined) throw unsupportedFormat(directory.path, String(format));
    await beforeConversion(store);
    await writeDataFormat(directory).catch(error => {
      throw unusableDirectory(directory.path, error);
    });
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  log.info('the data directory was converted', {directory: directory.path, from: format, to: DATA_FORMAT});
  return store;
}
