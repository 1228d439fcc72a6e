import type {DataDirectory} from '../disk/data-directory.ts';
import {assertUndamaged, type Expected, removeUnfinished} from './check-pages.ts';
import {type EnvironmentOptions, type LmdbEnvironment, openEnvironment, reopenEnvironment} from './environment.ts';
import {takeLock} from './process-lock.ts';

/** The engine that keeps the tree of a store, and the lock of its directory. */
export interface Engine {
  /** Opens the environment in an existing directory. @throws {OpeningError}; {@link AppError} `engine-missing`; errors of the engine. */
  openEnvironment(options: EnvironmentOptions): Promise<LmdbEnvironment>;
  /** Opens an environment that this process had open before. @throws As {@link openEnvironment}. */
  reopenEnvironment(options: EnvironmentOptions): LmdbEnvironment;
  /** Checks the files of a store before opening. @throws {AppError} `store-corrupt`, `data-directory-unusable`. */
  assertUndamaged(directory: DataDirectory, expected: Expected): Promise<void>;
  /** Removes a store to which nothing was written, from a directory without a format: its creation was interrupted. */
  removeUnfinished(directory: DataDirectory): Promise<void>;
  /** Takes the lock of a data directory until it is disposed of. @throws {AppError} `data-directory-in-use`, `data-directory-unusable`. */
  takeLock(directory: DataDirectory, options: Expected): Promise<AsyncDisposable>;
}

/** LMDB. */
export const LMDB: Engine = {openEnvironment, reopenEnvironment, assertUndamaged, removeUnfinished, takeLock};
