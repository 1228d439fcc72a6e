import {homedir, userInfo} from 'node:os';
import {isAbsolute, join, resolve} from 'node:path';
import {refusedSetting} from '../core/failures/app-error.ts';

/** The directories and files of the service on this platform. A path is empty if the user has no home directory that it would be in. */
export interface PlatformPaths {
  readonly homeDir: string;
  /** Directory of the store. */
  readonly dataDir: string;
  /** The config file. It may be missing. */
  readonly configFile: string;
  /** Directory of files that may be deleted at any time. */
  readonly cacheDir: string;
  /** The log file of a service without a terminal. */
  readonly logFile: string;
}

export interface PathsDeps {
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Home directory of the user; empty if there is none. */
  readonly homeDir: string;
}

/** Returns the paths for this platform and user; on Linux the XDG base directories. Relative paths in variables are not used. */
export function platformPaths(
  {platform, environment, homeDir}: PathsDeps = {
    platform: process.platform,
    environment: process.env,
    homeDir: findHomeDir(),
  },
): PlatformPaths {
  const {data, config, cache, log} = FOLDERS[platform] ?? XDG_FOLDERS;
  const locate = ({variable, folders, own = ['crewroom']}: Folder, ...rest: readonly string[]): string => {
    const given = (variable && environment[variable]) || '';
    // A relative path is invalid (XDG Base Directory Specification).
    const base = isAbsolute(given) ? given : homeDir && join(homeDir, ...folders);
    return base && join(base, ...own, ...rest);
  };
  return {
    homeDir,
    dataDir: locate(data),
    configFile: locate(config, 'config.json'),
    cacheDir: locate(cache),
    logFile: locate(log, 'crewroom.log'),
  };
}

/** A folder for files of programs: the one that a variable names, or one in the home directory. */
interface Folder {
  readonly variable?: string;
  readonly folders: readonly string[];
  /** Folder of this program in it. @default {['crewroom']} */
  readonly own?: readonly string[];
}

interface Folders {
  readonly data: Folder;
  readonly config: Folder;
  readonly cache: Folder;
  readonly log: Folder;
}

const XDG_FOLDERS: Folders = {
  data: {variable: 'XDG_DATA_HOME', folders: ['.local', 'share']},
  config: {variable: 'XDG_CONFIG_HOME', folders: ['.config']},
  cache: {variable: 'XDG_CACHE_HOME', folders: ['.cache']},
  log: {variable: 'XDG_STATE_HOME', folders: ['.local', 'state']},
};

const LOCAL_FOLDER = {variable: 'LOCALAPPDATA', folders: ['AppData', 'Local']};

/** By platform. Data of releases is there: none may move. */
const FOLDERS: Readonly<Partial<Record<string, Folders>>> = {
  darwin: {
    data: {folders: ['Library', 'Application Support']},
    config: {folders: ['Library', 'Preferences']},
    cache: {folders: ['Library', 'Caches']},
    log: {folders: ['Library', 'Logs']},
  },
  win32: {
    data: {...LOCAL_FOLDER, own: ['crewroom', 'Data']},
    config: {variable: 'APPDATA', folders: ['AppData', 'Roaming'], own: ['crewroom', 'Config']},
    cache: {...LOCAL_FOLDER, own: ['crewroom', 'Cache']},
    log: {...LOCAL_FOLDER, own: ['crewroom', 'Log']},
  },
};

/** Finds the home directory of this user: by the variable, or by the system. Empty if there is none, as in a container with an unknown user. */
function findHomeDir(): string {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const found = find();
      if (isAbsolute(found)) return found;
    } catch {
      // The system does not know the user.
    }
  }
  return '';
}

/** Base of a path that a user gives. */
export interface PathBase {
  /** Base of relative paths. */
  readonly workingDirectory: string;
  /** Home directory of the user; empty if there is none. */
  readonly homeDir: string;
}

/**
 * Returns the absolute path for one that a user gave. A `~` at its beginning is the home directory, as for shells, which do not expand it
 * within an argument, in a variable or in a file.
 */
export function resolvePath(given: string, {workingDirectory, homeDir}: PathBase): string {
  const inHome = /^~(?:[/\\]|$)/.test(given) && (process.platform === 'win32' || given[1] !== '\\');
  return inHome && homeDir !== '' ? join(homeDir, given.slice(1)) : resolve(workingDirectory, given);
}

/**
 * Asserts that there is a data directory.
 *
 * @throws {AppError} `invalid-configuration` if none was given, and this user has no home directory for it.
 */
export function assertDataDir(dataDir: string): void {
  if (dataDir !== '') return;
  const problem = 'has no default, because this user has no home directory: name a directory, or use --ephemeral';
  throw refusedSetting('dataDir', problem, '--data-dir');
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
 * Returns the file by which the system starts the service of a user: the unit of systemd (systemd.unit, search path of the user manager), or the launch
 * agent of macOS (launchd.plist(5)). Undefined if the user has no home directory, or the system no such file.
 */
export function startFileOf({platform, environment, homeDir}: PathsDeps): string | undefined {
  if (platform === 'darwin' && homeDir !== '') return join(homeDir, 'Library', 'LaunchAgents', 'crewroom.plist');
  const {XDG_CONFIG_HOME: config = '', HOME: home = ''} = environment;
  const directory = isAbsolute(config) ? config : isAbsolute(home) && join(home, '.config');
  return platform === 'linux' && directory ? join(directory, 'systemd', 'user', 'crewroom.service') : undefined;
}

/** Returns the directory of the snapshots of a store: beside its data directory. @throws As {@link assertDataDir}. */
export function snapshotsDirOf(dataDir: string): string {
  assertDataDir(dataDir);
  return `${dataDir}-snapshots`;
}

/** Returns the directory of installed plugins of a data directory: beside it. @throws As {@link assertDataDir}. */
export function pluginsDirOf(dataDir: string): string {
  assertDataDir(dataDir);
  return `${dataDir}-plugins`;
}

/** Returns the directory of a store for the files of plugins. @throws As {@link assertDataDir}. */
export function pluginStorageDirOf(dataDir: string): string {
  assertDataDir(dataDir);
  return join(dataDir, 'plugin-storage');
}
