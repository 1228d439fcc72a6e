import {isAbsolute, join} from 'node:path';
import environmentPaths from 'env-paths';

/** The directories and files of the service on this platform. */
export interface PlatformPaths {
  /** Directory of the store. */
  readonly dataDir: string;
  /** The config file. It may be missing. */
  readonly configFile: string;
  /** Directory of files that may be deleted at any time. */
  readonly cacheDir: string;
}

/** Returns the paths for this platform and user; on Linux the XDG base directories. */
export function platformPaths(): PlatformPaths {
  const {data, config, cache} = environmentPaths('crewroom', {suffix: ''});
  return {dataDir: data, configFile: join(config, 'config.json'), cacheDir: cache};
}

/** Returns the directory for files of running programs of a user. It may be missing. */
export function runtimeDirOf(
  {XDG_RUNTIME_DIR: directory = ''}: Readonly<Record<string, string | undefined>>,
  {temporaryDir, userId}: {readonly temporaryDir: string; readonly userId: number | undefined},
): string {
  // A relative path is invalid (XDG Base Directory Specification).
  if (isAbsolute(directory)) return join(directory, 'crewroom');
  return join(temporaryDir, userId === undefined ? 'crewroom' : `crewroom-${userId}`);
}

/** Returns the directory of the snapshots of a store: beside its data directory. */
export function snapshotsDirOf(dataDir: string): string {
  return `${dataDir}-snapshots`;
}

/** Returns the directory of installed plugins that belongs to a data directory: beside it. */
export function pluginsDirOf(dataDir: string): string {
  return `${dataDir}-plugins`;
}

/** Returns the directory of a store for the files of plugins. */
export function pluginStorageDirOf(dataDir: string): string {
  return join(dataDir, 'plugin-storage');
}
