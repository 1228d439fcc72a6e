import type {Stats} from 'node:fs';
import {lstat, readdir, realpath, stat} from 'node:fs/promises';
import {basename, join, sep} from 'node:path';
import type {IconTheme} from '../../domain/plugins/plugin.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {type Exposure, exposuresOf} from './access.ts';

/** Folder of the background, in the folder of a plugin. */
export const BACKGROUND_FOLDER = 'background';

/** Module of the background, in the folder of a plugin. */
export const BACKGROUND_FILE = join(BACKGROUND_FOLDER, 'index.js');

/** Folder of the page, in the folder of a plugin. */
export const PAGE_FOLDER = 'ui';

const PAGE_FILE = join(PAGE_FOLDER, 'index.html');

/** Icons of a page for a menu, by the theme that they are for. */
const ICON_FILES: readonly (readonly [theme: IconTheme, file: string])[] = [
  ['dark', join(PAGE_FOLDER, 'menu_icon_dark.png')],
  ['light', join(PAGE_FOLDER, 'menu_icon_light.png')],
];

/** Files of the page. No background has to be started again for them. */
const PAGE_FILES: readonly string[] = [PAGE_FILE, ...ICON_FILES.map(([, file]) => file)];

/** State of the folder of a plugin at one moment. */
export interface FolderState {
  /** Text that changes with the manifest, with any file of the background, and if another folder replaces this one. */
  readonly stamp: string;
  readonly hasPage: boolean;
  readonly hasBackground: boolean;
  /** Themes for which the page has an icon. */
  readonly icons: readonly IconTheme[];
  /** Reasons why nothing of the plugin may run or be served: links out of the folder. */
  readonly problems: readonly DocumentProblem[];
  /** Files and folders that another user could change. */
  readonly exposures: readonly Exposure[];
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

/** The part of a folder that is followed. */
interface Followed {
  /** Files and folders of the first level. */
  readonly roots: readonly string[];
  readonly filesMax: number;
  /** Returns the entries of a folder that are followed. */
  readonly list: (name: string) => Promise<readonly string[]> | readonly string[];
}

/** Reads the state of a folder; undefined if it does not exist. */
export async function readFolderState(folder: string): Promise<FolderState | undefined> {
  const roots = ['', MANIFEST_FILE, PAGE_FOLDER, BACKGROUND_FOLDER];
  const files = await listFiles(folder, {roots, filesMax: FILES_MAX, list: name => listFollowed(folder, name)});
  const own = files.get('');
  if (own === undefined) return undefined;
  return {
    stamp: [...files]
      .filter(([name]) => !PAGE_FILES.includes(name))
      .map(describeFile)
      .join('\n'),
    hasPage: await isFile(folder, PAGE_FILE, files),
    hasBackground: await isFile(folder, BACKGROUND_FILE, files),
    icons: ICON_FILES.filter(([, file]) => files.get(file)?.isFile() === true).map(([theme]) => theme),
    problems: own.isDirectory() ? await findLinkProblems(folder, files) : [{path: '$', problem: describeNoFolder(own)}],
    exposures: findExposures(folder, files),
  };
}

/** Lists what is followed in a folder, level by level, so that the files nearest to the root are followed. */
export async function listFiles(folder: string, {roots, filesMax, list}: Followed): Promise<Files> {
  const files = new Map<string, Stats>();
  let names = roots;
  // The system calls of a level run concurrently: most of the cost of one is to wake the event loop.
  while (names.length > 0 && files.size < filesMax) {
    const found = await Promise.all(names.slice(0, filesMax - files.size).map(name => readStatus(folder, name)));
    for (const [name, status] of found.flat()) files.set(name, status);
    const folders = found.flat().flatMap(([name, status]) => (status.isDirectory() ? [name] : []));
    names = (await Promise.all(folders.map(list))).flat();
  }
  return files;
}

/** Returns the status of a file with its name; an empty list if it does not exist. */
async function readStatus(folder: string, name: string): Promise<readonly (readonly [string, Stats])[]> {
  const status = await lstat(join(folder, name)).catch(() => undefined);
  return status === undefined ? [] : [[name, status]];
}

/** Lists the entries of a folder that are followed. */
function listFollowed(folder: string, name: string): Promise<readonly string[]> | readonly string[] {
  if (name === PAGE_FOLDER) return PAGE_FILES;
  return name.split(sep)[0] === BACKGROUND_FOLDER ? listInFolder(folder, name) : [];
}

/** Lists the entries of a folder, none of `node_modules`. */
export async function listInFolder(folder: string, name: string): Promise<readonly string[]> {
  if (basename(name) === 'node_modules') return [];
  return (await readdir(join(folder, name)).catch(() => [])).sort().map(each => join(name, each));
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

function findExposures(folder: string, files: Files): readonly Exposure[] {
  // The mode of a link says nothing.
  return [...files].flatMap(([name, status]) =>
    status.isSymbolicLink() ? [] : exposuresOf(join(folder, name), status),
  );
}

async function findLinkProblems(folder: string, files: Files): Promise<readonly DocumentProblem[]> {
  const problems: DocumentProblem[] = [];
  for (const [name, status] of files) {
    const problem = status.isSymbolicLink() ? await findLinkProblem(folder, name) : undefined;
    if (problem !== undefined) problems.push({path: '$', problem: `has ${name}, which ${problem}`});
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}

async function findLinkProblem(folder: string, name: string): Promise<string | undefined> {
  const target = await realpath(join(folder, name)).catch(() => undefined);
  return target === undefined || target.startsWith(folder + sep) ? undefined : 'is a link out of the folder';
}
