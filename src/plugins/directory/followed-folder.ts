import {realpath} from 'node:fs/promises';
import {messageOf} from '../../domain/error-text.ts';
import {findAccessProblem} from './access.ts';
import {type FolderState, readFolderState} from './folder-state.ts';
import {type FoundPlugin, inspectPlugin} from './found-plugin.ts';

/** A folder that may hold a plugin, polled for changes. */
export class FollowedFolder {
  readonly inDevelopment: boolean;
  readonly #path: string;
  /** State at the last poll, as JSON; {@link MISSING} if the folder did not exist. */
  #seen: string | undefined;
  /** State when the plugin was last inspected. */
  #inspected: string | undefined;
  #plugin: FoundPlugin | undefined;

  /** @param options Whether the plugin is in development: then its folder may be reached through links, and may be missing. */
  constructor(path: string, {inDevelopment}: {readonly inDevelopment: boolean}) {
    this.#path = path;
    this.inDevelopment = inDevelopment;
  }

  /** Its plugin, as it was last inspected; undefined if there is none. */
  get plugin(): FoundPlugin | undefined {
    return this.#plugin;
  }

  /** True if the folder does not exist any longer and has no plugin. */
  get isGone(): boolean {
    return this.#plugin === undefined && this.#seen === MISSING;
  }

  /**
   * Looks at the folder, and inspects the plugin if its files changed and then stayed the same for one poll.
   *
   * @param options `isListed`: the folder exists. `atOnce`: the plugin is inspected without waiting for a second poll.
   * @returns True if the plugin changed.
   */
  async poll({isListed, atOnce}: {readonly isListed: boolean; readonly atOnce: boolean}): Promise<boolean> {
    const found = isListed ? await this.#read() : undefined;
    const seen = found === undefined ? MISSING : JSON.stringify(found);
    const isStable = atOnce || seen === this.#seen;
    this.#seen = seen;
    if (!isStable || seen === this.#inspected) return false;
    this.#inspected = seen;
    const folder = {directory: found?.directory ?? this.#path, inDevelopment: this.inDevelopment};
    const isPlugin = found !== undefined || this.inDevelopment;
    this.#plugin = isPlugin ? await inspectPlugin(folder, found?.state) : undefined;
    return true;
  }

  async #read(): Promise<{readonly directory: string; readonly state: FolderState} | undefined> {
    // An installed folder that is a link is refused, so it is not resolved.
    const directory = this.inDevelopment ? await realpath(this.#path).catch(() => undefined) : this.#path;
    const state = directory === undefined ? undefined : await readFolderState(directory);
    if (directory === undefined || state === undefined) return undefined;
    const problem = this.inDevelopment ? await findAccessProblem(this.#path).catch(messageOf) : undefined;
    return {directory, state: problem === undefined ? state : {...state, problems: [{path: '$', problem}]}};
  }
}

const MISSING = '';
