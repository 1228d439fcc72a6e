import type {Stats} from 'node:fs';
import {lstat, readdir, realpath, stat} from 'node:fs/promises';
import {basename, join, sep} from 'node:path';
import type {DocumentProblem} from '../../domain/failure.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {describeAccess, ownUserId} from './access.ts';

const BACKGROUND = 'background';

/** Module of the background, in the folder of a plugin. */
export const BACKGROUND_FILE = join(BACKGROUND, 'index.js');

/** Folder of the page, in the folder of a plugin. */
export const PAGE_FOLDER = 'ui';

const PAGE_FILE = join(PAGE_FOLDER, 'index.html');

/** State of the folder of a plugin at one moment. */
export interface FolderState {
  /** Text that changes with the manifest, with any file of the background, and if another folder replaces this one. */
  readonly stamp: string;
  readonly hasPage: boolean;
  readonly hasBackground: boolean;
  /** Reasons why nothing of the plugin may run or be served: files that another user could change, links out of the folder. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * Maximum number of files of a background that are followed. Published backgrounds have some dozens without `node_modules`, whose content
 * is not followed.
 */
const FILES_MAX = 1000;

/** Maximum number of problems that are named for one folder. */
const PROBLEMS_MAX = 10;

/** Files and folders by their path within the folder of a plugin; the empty path is the folder itself. */
type Files = ReadonlyMap<string, Stats>;

/** Reads the state of a folder; undefined if it does not exist. */
export async function readFolderState(folder: string): Promise<FolderState | undefined> {
  const files = await listFiles(folder);
  const own = files.get('');
  if (own === undefined) return undefined;
  return {
    stamp: [...files]
      .filter(([name]) => name !== PAGE_FILE)
      .map(describeFile)
      .join('\n'),
    hasPage: await isFile(folder, PAGE_FILE, files),
    hasBackground: await isFile(folder, BACKGROUND_FILE, files),
    problems: own.isDirectory() ? await findProblems(folder, files) : [{path: '$', problem: describeNoFolder(own)}],
  };
}

async function listFiles(folder: string): Promise<Files> {
  const files = new Map<string, Stats>();
  const names = ['', MANIFEST_FILE, PAGE_FOLDER, PAGE_FILE, BACKGROUND];
  for (const name of names) {
    const status = await lstat(join(folder, name)).catch(() => undefined);
    if (status === undefined) continue;
    files.set(name, status);
    if (files.size >= FILES_MAX) break;
    // The loop appends to the array: breadth first, so that the files nearest to the root are followed.
    if (status.isDirectory() && isFollowed(name))
      names.push(...(await listNames(join(folder, name))).map(each => join(name, each)));
  }
  return files;
}

function isFollowed(name: string): boolean {
  return name.split(sep)[0] === BACKGROUND && basename(name) !== 'node_modules';
}

async function listNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

/** Leaves out the times of folders: they change with entries that are not followed. */
function describeFile([name, status]: readonly [string, Stats]): string {
  const {dev, ino, uid, mode} = status;
  const content = status.isDirectory() ? [] : [status.size, status.mtimeMs, status.ctimeMs];
  return [name, dev, ino, uid, mode, ...content].join(' ');
}

async function isFile(folder: string, name: string, files: Files): Promise<boolean> {
  const status = files.get(name);
  if (status?.isSymbolicLink() !== true) return status?.isFile() === true;
  const target = await stat(join(folder, name)).catch(() => undefined);
  return target?.isFile() === true;
}

function describeNoFolder(status: Stats): string {
  return status.isSymbolicLink() ? 'is a link instead of a folder; name the folder with --plugin' : 'is not a folder';
}

async function findProblems(folder: string, files: Files): Promise<readonly DocumentProblem[]> {
  const userId = ownUserId();
  const problems: DocumentProblem[] = [];
  for (const [name, status] of files) {
    const problem = status.isSymbolicLink()
      ? await findLinkProblem(folder, name)
      : userId === undefined
        ? undefined
        : describeAccess(status, userId);
    if (problem !== undefined)
      problems.push({path: '$', problem: name === '' ? problem : `has ${name}, which ${problem}`});
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}

async function findLinkProblem(folder: string, name: string): Promise<string | undefined> {
  const target = await realpath(join(folder, name)).catch(() => undefined);
  return target === undefined || target.startsWith(folder + sep) ? undefined : 'is a link out of the folder';
}
