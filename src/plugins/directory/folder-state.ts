import type {Stats} from 'node:fs';
import {lstat, readdir, realpath, stat} from 'node:fs/promises';
import {basename, join, sep} from 'node:path';
import type {IconTheme} from '../../core/domain/plugins/plugin.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {type Exposure, exposuresOf} from './access.ts';
import {BACKGROUND_ENTRY, PAGE_ENTRY, PAGE_FOLDER, type PluginHalves} from './plugin-halves.ts';

/** Icons of a page for a menu, by the theme that they are for. */
const ICON_FILES: readonly (readonly [theme: IconTheme, file: string])[] = [
  ['dark', 'menu_icon_dark.png'],
  ['light', 'menu_icon_light.png'],
];

/** Files of a page that are followed, in its folder. No background has to be started again for them. */
const PAGE_FILES: readonly string[] = [PAGE_ENTRY, ...ICON_FILES.map(([, file]) => file)];

/** State of the folder of a plugin at one moment. */
export interface FolderState {
  /** Text that changes with the manifest, with any file of the background, and if another folder replaces this one. */
  readonly stamp: string;
  /** Places of the parts of the plugin. */
  readonly halves: PluginHalves;
  readonly hasPage: boolean;
  readonly hasBackground: boolean;
  /** Themes for which the page has an icon. */
  readonly icons: readonly IconTheme[];
  /** Reasons why nothing of the plugin may run or be served: links out of the folder. */
  readonly problems: readonly DocumentProblem[];
  /** Folders whose entries were read, by their path within this one, which is among them with an empty path. */
  readonly folders: readonly string[];
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

/** Reads the state of a folder whose halves were found; undefined if it does not exist. */
export async function readFolderState(folder: string, halves: PluginHalves): Promise<FolderState | undefined> {
  const {background, page, problem} = halves;
  const files = await listFiles(folder, halves);
  const own = files.get('');
  if (own === undefined) return undefined;
  const pageFiles = PAGE_FILES.map(file => join(pageFolderOf(halves), file));
  const several = problem === undefined ? [] : [{path: '$', problem}];
  return {
    stamp: [...files]
      .filter(([name]) => !pageFiles.includes(name))
      .map(describeFile)
      .join('\n'),
    halves,
    hasPage: page !== undefined && (await isFile(folder, join(page, PAGE_ENTRY), files)),
    hasBackground: background !== undefined && (await isFile(folder, join(background, BACKGROUND_ENTRY), files)),
    icons: ICON_FILES.filter(([, file]) => files.get(join(pageFolderOf(halves), file))?.isFile() === true).map(
      ([theme]) => theme,
    ),
    problems: own.isDirectory()
      ? [...several, ...(await findLinkProblems(folder, files))]
      : [{path: '$', problem: describeNoFolder(own)}],
    folders: [...files].flatMap(([name, status]) =>
      status.isDirectory() && basename(name) !== 'node_modules' ? [name] : [],
    ),
    exposures: findExposures(folder, files),
  };
}

/** Returns the folder with the icons of a page, also of one that a dev server serves. */
function pageFolderOf({page = PAGE_FOLDER}: PluginHalves): string {
  return page;
}

function listFiles(folder: string, halves: PluginHalves): Promise<Files> {
  const {manifest, background} = halves;
  const names = ['', manifest, pageFolderOf(halves), ...(background === undefined ? [] : [background])];
  return readTree(folder, names, {filesMax: FILES_MAX, list: name => listFollowed(folder, name, halves)});
}

/**
 * Reads the status of files and folders, and of what is in the folders, up to a number. Goes level by level, so that those nearest to the root come
 * first. The system calls of a level run concurrently: most of the cost of one is to wake the event loop.
 *
 * @param options `list` returns the names of the entries of a folder to read.
 */
export async function readTree(
  folder: string,
  names: readonly string[],
  {filesMax, list}: {readonly filesMax: number; readonly list: (name: string) => Promise<readonly string[]>},
): Promise<Files> {
  const files = new Map<string, Stats>();
  for (let level = names; level.length > 0 && files.size < filesMax; ) {
    const found = await Promise.all(level.slice(0, filesMax - files.size).map(name => readStatus(folder, name)));
    for (const [name, status] of found.flat()) files.set(name, status);
    const folders = found.flat().flatMap(([name, status]) => (status.isDirectory() ? [name] : []));
    level = (await Promise.all(folders.map(list))).flat();
  }
  return files;
}

/** Returns the status of a file with its name; an empty list if it does not exist. */
async function readStatus(folder: string, name: string): Promise<readonly (readonly [string, Stats])[]> {
  const status = await lstat(join(folder, name)).catch(() => undefined);
  return status === undefined ? [] : [[name, status]];
}

/** Lists the entries of a folder that are followed. */
async function listFollowed(folder: string, name: string, halves: PluginHalves): Promise<readonly string[]> {
  if (name === pageFolderOf(halves)) return PAGE_FILES.map(file => join(name, file));
  const {background} = halves;
  const isInBackground = background !== undefined && (name === background || name.startsWith(background + sep));
  if (!isInBackground || basename(name) === 'node_modules') return [];
  return namesWithin(folder, name);
}

/** Lists the entries of a folder within another one, in order; none if it cannot be read. */
export async function namesWithin(folder: string, name: string): Promise<readonly string[]> {
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
  return status.isSymbolicLink()
    ? 'is a link instead of a folder; name the folder with --dev-plugin'
    : 'is not a folder';
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
    const target = status.isSymbolicLink() ? await realpath(join(folder, name)).catch(() => undefined) : undefined;
    if (target !== undefined && !target.startsWith(folder + sep))
      problems.push({path: '$', problem: `has ${name}, which is a link out of the folder`});
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}
