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

/**
 * Returns the directories for files of running programs of a user, the best first. The first may be that of another user, or missing: `su`
 * and containers pass on the environment of another session. None is created.
 */
export function runtimeDirsOf(
  {XDG_RUNTIME_DIR: directory = ''}: Readonly<Record<string, string | undefined>>,
  {temporaryDir, userId}: {readonly temporaryDir: string; readonly userId: number | undefined},
): readonly string[] {
  const own = join(temporaryDir, userId === undefined ? 'crewroom' : `crewroom-${userId}`);
  // A relative path is invalid (XDG Base Directory Specification).
  return isAbsolute(directory) ? [join(directory, 'crewroom'), own] : [own];
}

/**
 * Returns the file of the systemd unit of a user (systemd.unit, search path of the user manager); undefined if the user has no home
 * directory.
 */
export function unitFileOf({
  XDG_CONFIG_HOME: config = '',
  HOME: home = '',
}: Readonly<Record<string, string | undefined>>): string | undefined {
  const directory = isAbsolute(config) ? config : isAbsolute(home) ? join(home, '.config') : undefined;
  return directory === undefined ? undefined : join(directory, 'systemd', 'user', 'crewroom.service');
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
