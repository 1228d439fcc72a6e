import {setTimeout} from 'node:timers/promises';
import type {Log} from '../../domain/log.ts';
import {FollowedFolder} from './followed-folder.ts';
import {assignIds, type FoundPlugin} from './found-plugin.ts';
import {listInstalled} from './installed-folders.ts';

/** Dependencies of {@link followPlugins}. */
export interface PluginDirectoryDeps {
  /** Directory with a folder for each installed plugin, named by its id. It may be missing. Undefined for none. */
  readonly directory: string | undefined;
  /** Folders of plugins in development. */
  readonly development: readonly string[];
  /** True if a dev server serves the pages of plugins in development. */
  readonly hasPageServer: boolean;
  readonly log: Log;
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
 * Interval at which the folders are polled, in milliseconds. A change takes effect when two polls in a row see the same state, since
 * tools that build or unpack write file by file. Polled for the reasons of profiles; a poll of a plugin takes about ten system calls.
 */
const POLL_INTERVAL_MS = 500;

/**
 * Interval at which the folders of plugins in development are polled for some time after a change, in milliseconds: their authors save
 * again soon, and backgrounds are restarted within a second of a change.
 */
const EAGER_POLL_INTERVAL_MS = 150;

/** Polls at that interval after a change: a minute. */
const EAGER_POLLS = 400;

/** Reads the folders of plugins, and follows their changes until it is disposed of. Resolves after the first reading. */
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
      deps.development.map(path => [
        path,
        new FollowedFolder(path, {inDevelopment: true, hasPageServer: deps.hasPageServer}),
      ]),
    );
  }

  async open(): Promise<void> {
    await this.#poll({isFirst: true});
    const {signal} = this.#closed;
    const development = [...this.#folders.values()].filter(({inDevelopment}) => inDevelopment);
    const pollMs = (): number => (this.#eagerPolls > 0 ? EAGER_POLL_INTERVAL_MS : POLL_INTERVAL_MS);
    this.#following = Promise.all([
      this.#repeat(
        () => POLL_INTERVAL_MS,
        signal,
        () => this.#pollDirectory({isFirst: false}),
      ),
      development.length === 0
        ? undefined
        : this.#repeat(pollMs, signal, () => this.#pollDevelopment({isFirst: false})),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#following;
  }

  /** Polls again and again, after a pause. Changes that a poll finds are published. */
  async #repeat(pauseMs: () => number, signal: AbortSignal, poll: () => Promise<boolean>): Promise<void> {
    try {
      for (;;) {
        await setTimeout(pauseMs(), undefined, {signal, ref: false});
        if (await poll()) this.#publish();
      }
    } catch (error) {
      if (!signal.aborted) this.#deps.log.error('cannot follow the folders of plugins any longer', {error});
    }
  }

  async #poll(options: {readonly isFirst: boolean}): Promise<void> {
    await this.#pollDevelopment(options);
    await this.#pollDirectory(options);
    this.#publish();
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
    const {paths, problem} = directory === undefined ? {paths: []} : await listInstalled(directory);
    for (const path of paths)
      if (!this.#folders.has(path))
        this.#folders.set(path, new FollowedFolder(path, {inDevelopment: false, hasPageServer: false}));
    let isChanged = problem !== this.#problem;
    this.#problem = problem;
    for (const [path, folder] of this.#folders) {
      if (folder.inDevelopment) continue;
      if (await folder.poll({isListed: paths.includes(path), atOnce: isFirst})) isChanged = true;
      if (folder.isGone) this.#folders.delete(path);
    }
    return isChanged;
  }

  #publish(): void {
    const plugins = [...this.#folders.values()].flatMap(({plugin}) => plugin ?? []);
    this.#deps.onChange({plugins: assignIds(plugins), directoryProblem: this.#problem});
  }
}
