import {setInterval} from 'node:timers/promises';
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
  readonly #closed = new AbortController();
  #following: Promise<void> | undefined;

  constructor(deps: PluginDirectoryDeps) {
    this.#deps = deps;
    this.#folders = new Map(deps.development.map(path => [path, new FollowedFolder(path, {inDevelopment: true})]));
  }

  async open(): Promise<void> {
    await this.#poll({isFirst: true});
    this.#following = this.#follow(this.#closed.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#following;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of setInterval(POLL_INTERVAL_MS, undefined, {signal, ref: false}))
        await this.#poll({isFirst: false});
    } catch (error) {
      if (!signal.aborted) this.#deps.log.error('cannot follow the folders of plugins any longer', {error});
    }
  }

  async #poll({isFirst}: {readonly isFirst: boolean}): Promise<void> {
    const {directory} = this.#deps;
    const {paths, problem} = directory === undefined ? {paths: []} : await listInstalled(directory);
    for (const path of paths)
      if (!this.#folders.has(path)) this.#folders.set(path, new FollowedFolder(path, {inDevelopment: false}));
    let isChanged = isFirst || problem !== this.#problem;
    this.#problem = problem;
    for (const [path, folder] of this.#folders) {
      const isListed = folder.inDevelopment || paths.includes(path);
      if (await folder.poll({isListed, atOnce: isFirst})) isChanged = true;
      if (folder.isGone && !folder.inDevelopment) this.#folders.delete(path);
    }
    if (isChanged) this.#publish();
  }

  #publish(): void {
    const plugins = [...this.#folders.values()].flatMap(({plugin}) => plugin ?? []);
    this.#deps.onChange({plugins: assignIds(plugins), directoryProblem: this.#problem});
  }
}
