import {readdir, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {codeOf, messageOf} from '../../core/failures/app-error.ts';
import {followFiles, type Look} from '../../core/files/follow-files.ts';
import {wait} from '../../core/time/wait.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {findAccessProblem} from './access.ts';
import {type FolderOptions, FollowedFolder} from './followed-folder.ts';
import {assignIds, type FoundPlugin} from './found-plugin.ts';

export interface PluginDirectoryDeps
  extends Pick<FolderOptions, 'hasPageServer' | 'takesForeign'>,
    Pick<CommonDeps, 'log' | 'timers'> {
  /** Directory with a folder for each installed plugin, named by its id. It may be missing. Undefined for none. */
  readonly directory: string | undefined;
  /** Folders of plugins in development. */
  readonly development: readonly string[];
  /** Receives all plugins after each change. */
  readonly onChange: (found: Found) => void;
}

/** The plugins in the folders. */
export interface Found {
  /** In the order of their ids, each id once. */
  readonly plugins: readonly FoundPlugin[];
  /** The reason why the directory is not used. */
  readonly directoryProblem: string | undefined;
}

/**
 * Interval at which folders are polled, in milliseconds: those of plugins in development always, that of installed ones while something in
 * it changes. A change takes effect when two polls in a row see the same state, since tools that build or unpack write file by file.
 */
const POLL_INTERVAL_MS = 500;

/**
 * Interval at which the folders of plugins in development are polled for some time after a change, in milliseconds: their authors save
 * again soon, and backgrounds are restarted within a second of a change.
 */
const EAGER_POLL_INTERVAL_MS = 150;

/** Polls at that interval after a change: a minute. */
const EAGER_POLLS = 400;

const INSTALLED: FolderOptions = {inDevelopment: false, hasPageServer: false, takesForeign: false};

/** Reads the folders of plugins, and follows their changes until disposal. Resolves after the first reading. */
export async function followPlugins(deps: PluginDirectoryDeps): Promise<AsyncDisposable> {
  const directory = new PluginDirectory(deps);
  await directory.open();
  return directory;
}

class PluginDirectory implements AsyncDisposable {
  readonly #deps: PluginDirectoryDeps;
  /** By path; those in development first. */
  readonly #folders: Map<string, FollowedFolder>;
  #problem: string | undefined;
  #eagerPolls = 0;
  readonly #closed = new AbortController();
  #following: Promise<unknown> | undefined;

  constructor(deps: PluginDirectoryDeps) {
    this.#deps = deps;
    this.#folders = new Map(
      deps.development.map(path => [path, new FollowedFolder(path, {...deps, inDevelopment: true})]),
    );
  }

  async open(): Promise<void> {
    await this.#pollDevelopment({isFirst: true});
    await this.#pollDirectory({isFirst: true});
    this.#publish();
    const development = [...this.#folders.values()].filter(({inDevelopment}) => inDevelopment);
    this.#following = Promise.all([
      this.#deps.directory === undefined ? undefined : this.#untilFailed(this.#followDirectory(this.#deps.directory)),
      development.length === 0 ? undefined : this.#untilFailed(this.#followDevelopment()),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#following;
  }

  async #untilFailed(following: Promise<void>): Promise<void> {
    await following.catch(error => this.#deps.log.error('cannot follow the folders of plugins any longer', {error}));
  }

  /** Follows the directory of installed plugins. Changes are published. */
  #followDirectory(directory: string): Promise<void> {
    const look = async (): Promise<Look> => {
      if (await this.#pollDirectory({isFirst: false})) this.#publish();
      // The one above shows that the directory appears, or that another one or another link replaces it.
      const own = [{path: dirname(directory), only: basename(directory)}, {path: directory}];
      const within = this.#installed.flatMap(({folders}) => folders.map(path => ({path, isWithin: true})));
      return {
        isChanging: this.#installed.some(({isChanging}) => isChanging),
        folders: [...own, ...within],
      };
    };
    return followFiles({look, pauseMs: POLL_INTERVAL_MS, timers: this.#deps.timers, signal: this.#closed.signal});
  }

  /** Polls the folders of plugins in development repeatedly: their authors wait for each change. Publishes changes. */
  async #followDevelopment(): Promise<void> {
    const {signal} = this.#closed;
    for (;;) {
      const pauseMs = this.#eagerPolls > 0 ? EAGER_POLL_INTERVAL_MS : POLL_INTERVAL_MS;
      await wait(pauseMs, {timers: this.#deps.timers, signals: [signal]});
      if (signal.aborted) return;
      if (await this.#pollDevelopment({isFirst: false})) this.#publish();
    }
  }

  /** @returns True if a plugin changed. */
  async #pollDevelopment({isFirst}: {readonly isFirst: boolean}): Promise<boolean> {
    const folders = [...this.#folders.values()].filter(({inDevelopment}) => inDevelopment);
    const changes = await Promise.all(folders.map(folder => folder.poll({isListed: true, atOnce: isFirst})));
    if (folders.some(({isChanging}) => isChanging)) this.#eagerPolls = EAGER_POLLS;
    else this.#eagerPolls--;
    return changes.includes(true);
  }

  /** @returns True if a plugin, or the problem of the directory, changed. */
  async #pollDirectory({isFirst}: {readonly isFirst: boolean}): Promise<boolean> {
    const {directory} = this.#deps;
    const {paths, problem}: InstalledFolders = directory === undefined ? {paths: []} : await listInstalled(directory);
    for (const path of paths)
      if (!this.#folders.has(path)) this.#folders.set(path, new FollowedFolder(path, INSTALLED));
    let isChanged = problem !== this.#problem;
    this.#problem = problem;
    for (const folder of this.#installed) {
      const {path} = folder;
      if (await folder.poll({isListed: paths.includes(path), atOnce: isFirst})) isChanged = true;
      if (folder.isGone) this.#folders.delete(path);
    }
    return isChanged;
  }

  get #installed(): readonly FollowedFolder[] {
    return [...this.#folders.values()].filter(({inDevelopment}) => !inDevelopment);
  }

  #publish(): void {
    const plugins = [...this.#folders.values()].flatMap(({plugin}) => plugin ?? []);
    this.#deps.onChange({plugins: assignIds(plugins), directoryProblem: this.#problem});
  }
}

/** The folders in the directory of plugins. */
interface InstalledFolders {
  /** Paths of the folders, sorted. Empty if the directory is missing or is not used. */
  readonly paths: readonly string[];
  /** The reason why the directory is not used. */
  readonly problem?: string;
}

/** Maximum number of folders in a directory of plugins. Users have about ten; more mean that the setting names another directory by mistake. */
const FOLDERS_MAX = 200;

/** Lists the folders of installed plugins. A missing directory has none; hidden folders and files do not count. */
async function listInstalled(directory: string): Promise<InstalledFolders> {
  try {
    const problem = await findAccessProblem(directory);
    return problem === undefined ? await listFolders(directory) : refuse(directory, problem);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? {paths: []} : refuse(directory, `cannot be read: ${messageOf(error)}`);
  }
}

async function listFolders(directory: string): Promise<InstalledFolders> {
  const real = await realpath(directory);
  const entries = await readdir(real, {withFileTypes: true});
  if (entries.some(({name}) => name === MANIFEST_FILE))
    return refuse(
      directory,
      'is the folder of one plugin: name it with --dev-plugin, or name the directory that contains it',
    );
  const folders = entries.filter(
    entry => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
  );
  if (folders.length > FOLDERS_MAX)
    return refuse(directory, `has ${folders.length} folders, and the limit is ${FOLDERS_MAX}`);
  return {paths: folders.map(({name}) => join(real, name)).sort()};
}

function refuse(directory: string, problem: string): InstalledFolders {
  return {paths: [], problem: `${directory} ${problem}`};
}
