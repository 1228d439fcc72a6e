import {createHash} from 'node:crypto';
import {lstat, realpath} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {stripVTControlCharacters} from 'node:util';
import type {PluginError} from '../../core/domain/plugins/plugin.ts';
import {messageOf} from '../../core/failures/app-error.ts';
import {readTextFile} from '../../core/files/text-file.ts';
import {describeExposures, type Exposure, findExposures} from './access.ts';
import {type FolderState, namesWithin, readFolderState, readTree} from './folder-state.ts';
import {type FoundPlugin, inspectPlugin} from './found-plugin.ts';
import {findHalves, INSTALLED_HALVES} from './plugin-halves.ts';

export interface FolderOptions {
  /** True if the plugin is in development: then its folder may be reached through links, and may be missing. */
  readonly inDevelopment: boolean;
  /** True if a dev server serves its page if it is in development: then it has a page without files. */
  readonly hasPageServer: boolean;
  /** True if it may, in development, belong to another user or be in a folder of one: the user who runs the plugin has named it. */
  readonly takesForeign: boolean;
}

/** A folder that may hold a plugin, polled for changes. */
export class FollowedFolder {
  readonly path: string;
  readonly inDevelopment: boolean;
  readonly #options: FolderOptions;
  /** State at the last poll, as JSON; {@link MISSING} if the folder did not exist. */
  #seen: string | undefined;
  /** State when the plugin was last inspected. */
  #inspected: string | undefined;
  #plugin: FoundPlugin | undefined;
  #folders: readonly string[] = [];

  constructor(path: string, options: FolderOptions) {
    this.path = path;
    this.inDevelopment = options.inDevelopment;
    this.#options = options;
  }

  /** Its plugin, as it was last inspected; undefined if there is none. */
  get plugin(): FoundPlugin | undefined {
    return this.#plugin;
  }

  /** Paths of the folders in it whose entries the last poll read, and its own. */
  get folders(): readonly string[] {
    return this.#folders;
  }

  /** True if the last poll found a change that has not taken effect. */
  get isChanging(): boolean {
    return this.#seen !== this.#inspected;
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
    this.#folders = found?.state.folders.map(name => join(found.directory, name)) ?? [];
    const seen = found === undefined ? MISSING : JSON.stringify(found);
    const isStable = atOnce || seen === this.#seen;
    this.#seen = seen;
    if (!isStable || seen === this.#inspected) return false;
    this.#inspected = seen;
    const folder = {directory: found?.directory ?? this.path, inDevelopment: this.inDevelopment};
    const isPlugin = found !== undefined || this.inDevelopment;
    const {page, exposed, buildError} = found ?? {};
    this.#plugin = isPlugin ? {...(await inspectPlugin(folder, found?.state)), page, exposed, buildError} : undefined;
    return true;
  }

  async #read(): Promise<ReadFolder | undefined> {
    // An installed folder that is a link is refused, so it is not resolved.
    const directory = this.inDevelopment ? await realpath(this.path).catch(() => undefined) : this.path;
    if (directory === undefined) return undefined;
    const {hasPageServer} = this.#options;
    const halves = this.inDevelopment ? await findHalves(directory, hasPageServer) : INSTALLED_HALVES;
    const read = await readFolderState(directory, halves);
    if (read === undefined) return undefined;
    const state = hasPageServer ? {...read, hasPage: true} : read;
    const above = this.inDevelopment ? await checkAccess(this.path) : NOT_CHECKED;
    const {problem, exposed} = this.#judge(directory, [...state.exposures, ...above.exposures]);
    const problems = [above.problem, problem].flatMap(each => (each === undefined ? [] : [{path: '$', problem: each}]));
    const isFollowed = this.inDevelopment && read.hasPage && !hasPageServer;
    const page = isFollowed && halves.page !== undefined ? await readPageState(directory, halves.page) : undefined;
    const buildError = this.inDevelopment ? await readBuildError(directory) : undefined;
    return {directory, state: {...state, problems: [...problems, ...state.problems]}, page, exposed, buildError};
  }

  /** Decides whether the plugin may run, although others could change it. @returns With the reason why it may not. */
  #judge(
    directory: string,
    exposures: readonly Exposure[],
  ): Pick<FoundPlugin, 'exposed'> & {readonly problem?: string} {
    const refused = this.#options.takesForeign
      ? exposures.filter(({isOpen}) => isOpen).map(each => ({...each, owner: undefined}))
      : exposures;
    const problem = describeExposures(refused, directory);
    return problem === undefined ? {exposed: describeExposures(exposures, directory)} : {problem};
  }
}

/** The result of a check of who could replace a folder. */
interface CheckedAccess {
  readonly exposures: readonly Exposure[];
  /** The reason why it could not be checked. */
  readonly problem?: string;
}

/** Access to installed plugins: their directory was checked. */
const NOT_CHECKED: CheckedAccess = {exposures: []};

function checkAccess(path: string): Promise<CheckedAccess> {
  return findExposures(path).then(
    exposures => ({exposures}),
    error => ({exposures: [], problem: messageOf(error)}),
  );
}

const MISSING = '';

/** A folder as one poll found it. */
interface ReadFolder extends Pick<FoundPlugin, 'directory' | 'page' | 'exposed' | 'buildError'> {
  readonly state: FolderState;
}

/** Maximum number of files and folders of a page that are followed. A built page has some dozens; sources of a page have some hundreds. */
const PAGE_FILES_MAX = 2000;

/**
 * Returns a text that changes with the files of the page of a plugin, without `node_modules`. Changes beyond {@link PAGE_FILES_MAX} files go unnoticed.
 *
 * @param page Folder of the page, by its path in that of the plugin.
 */
async function readPageState(folder: string, page: string): Promise<string> {
  const list = async (name: string): Promise<readonly string[]> =>
    (await namesWithin(folder, name)).filter(each => basename(each) !== 'node_modules');
  const files = await readTree(folder, [page], {filesMax: PAGE_FILES_MAX, list});
  const state = createHash('sha256');
  for (const [name, status] of files)
    if (!status.isDirectory()) state.update(`${name} ${status.ino} ${status.size} ${status.mtimeMs}\n`);
  return state.digest('hex').slice(0, 32);
}

/** File in the folder of a plugin in development in which its build keeps its error, until the next build succeeds. */
const BUILD_ERROR_FILE = '.build-error';

/** Largest such file, in bytes: some screens of text. */
const BYTES_MAX = 16 * 1024;

/** Reads the error of the last build of a plugin; undefined if there is none. Follows no link. */
async function readBuildError(directory: string): Promise<PluginError | undefined> {
  const path = join(directory, BUILD_ERROR_FILE);
  const status = await lstat(path).catch(() => undefined);
  if (status?.isFile() !== true) return undefined;
  const text = await readTextFile(path, BYTES_MAX).then(
    // Build tools write colours.
    bytes => stripVTControlCharacters(bytes.toString()).trim(),
    () => '',
  );
  return {during: 'build', message: text || `${BUILD_ERROR_FILE} has no message of at most ${BYTES_MAX} bytes`};
}
