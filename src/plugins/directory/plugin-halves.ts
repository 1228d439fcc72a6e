import {lstat, readdir, stat} from 'node:fs/promises';
import {join, normalize} from 'node:path';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {readTextFile} from '../../core/files/text-file.ts';
import {type JsonMembers, membersOf} from '../../core/json/members.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';

/** Folder of the background in an installed plugin, and in the package of one. */
export const BACKGROUND_FOLDER = 'background';

/** Module of a background, in its folder. */
export const BACKGROUND_ENTRY = 'index.js';

/** Folder of the page in an installed plugin, and in the package of one. */
export const PAGE_FOLDER = 'ui';

/** First file of a page, in its folder. */
export const PAGE_ENTRY = 'index.html';

/** Places of the manifest, the background and the page of a plugin, by their paths in a folder. */
export interface PluginHalves {
  readonly manifest: string;
  /** Folder with the module of the background; undefined if there is none. */
  readonly background: string | undefined;
  /** Folder with the page; undefined if there is none, or only its sources. */
  readonly page: string | undefined;
  /** First file of the sources of a background that is not built, or else of a page if there is no background; undefined if there are none. */
  readonly source?: string | undefined;
  /** Mistakes that leave a half unused: a module that is never run because of its place, a folder without its first file. */
  readonly mistakes?: readonly DocumentProblem[] | undefined;
  /** Why the folder cannot be used: it has more than one plugin that was built. */
  readonly problem?: string | undefined;
}

/** The places in an installed plugin. */
export const INSTALLED_HALVES: PluginHalves = {
  manifest: MANIFEST_FILE,
  background: BACKGROUND_FOLDER,
  page: PAGE_FOLDER,
};

/** Folders into which builds write a half, in the folder of its sources. */
const BUILDS = ['build', 'dist'] as const;

/**
 * Finds the halves of a plugin in a folder that is its project: where an installed plugin has them, where builds write them, or in a
 * whole plugin that was built into `dist/` or a folder of `build/`. Follows no links to what was built.
 *
 * @param hasPageServer Whether a dev server has the page, whose first file is no mistake then.
 */
export async function findHalves(folder: string, hasPageServer = false): Promise<PluginHalves> {
  const own = await withSource(folder, await findIn(folder, ''), hasPageServer);
  // A link to nowhere, or a folder, is a mistake to name, and no reason to take another plugin.
  const manifest = await lstat(join(folder, own.manifest)).catch(() => undefined);
  if (hasHalf(own) && manifest !== undefined) return own;
  const built: PluginHalves[] = [];
  for (const place of ['dist', ...(await listFolders(folder, 'build'))]) {
    const found = await findIn(folder, place);
    if (hasHalf(found) && (await isOwnFile(folder, found.manifest))) built.push(found);
  }
  if (built.length < 2) return built[0] ?? own;
  const names = built.map(({manifest}) => manifest).join(' and ');
  return {...NOTHING, problem: `has more than one plugin that was built, ${names}: name one of these folders`};
}

/** Lists the halves and the manifest that are not where an installed plugin has them; empty if all are. */
export function describeHalves({manifest, background, page}: PluginHalves): readonly string[] {
  return [
    ...(background === undefined || background === BACKGROUND_FOLDER ? [] : [`background in ${background}`]),
    ...(page === undefined || page === PAGE_FOLDER ? [] : [`page in ${page}`]),
    ...(manifest === MANIFEST_FILE ? [] : [`manifest in ${manifest}`]),
  ];
}

/** First files of sources, by where published plugins, and the templates of their build tools, have them. */
const SOURCES = {
  background: ['background/index.ts', 'background/src/index.ts', 'src/background/index.ts', 'index.ts'],
  page: ['ui/index.html', 'ui/public/index.html', 'src/page/index.html', 'index.html', 'public/index.html'],
} as const;

/** Returns the first file of the sources of a half that is not built, by its path in the folder; undefined if there are none. */
export async function findSource(folder: string, half: keyof typeof SOURCES): Promise<string | undefined> {
  for (const file of SOURCES[half]) {
    if (!(await isOwnFile(folder, file))) continue;
    // The first page of Create React App, in a folder of its own, loads nothing yet.
    const isSource = half === 'background' || file.includes('public/') || file.startsWith('src/');
    if (isSource || (await isSourcePage(join(folder, file)))) return file;
  }
  return undefined;
}

async function withSource(folder: string, halves: PluginHalves, hasPageServer: boolean): Promise<PluginHalves> {
  const {background, page} = halves;
  const ofPage = page === undefined ? await findSource(folder, 'page') : undefined;
  const ofBackground = background === undefined ? await findSource(folder, 'background') : undefined;
  const mistakes = [
    ...((background ?? ofBackground ?? ofPage) === undefined ? await findMisplaced(folder) : []),
    ...(!hasPageServer && (page ?? ofPage) === undefined ? await findIncomplete(folder, PAGE_FOLDER, PAGE_ENTRY) : []),
    ...((background ?? ofBackground) === undefined
      ? await findIncomplete(folder, BACKGROUND_FOLDER, BACKGROUND_ENTRY)
      : []),
  ];
  return {...halves, source: ofBackground ?? (background === undefined ? ofPage : undefined), mistakes};
}

/** Finds the module that other programs of Node would run: that of `package.json`, or `index.js`. */
async function findMisplaced(folder: string): Promise<readonly DocumentProblem[]> {
  const {main = BACKGROUND_ENTRY} = await readAuthorPackage(folder);
  for (const file of [normalize(main), BACKGROUND_ENTRY])
    if (!file.startsWith('..') && (await isOwnFile(folder, file)))
      return [{path: '$', problem: `has ${file}, which is never run: its background has to be background/index.js`}];
  return [];
}

async function findIncomplete(folder: string, half: string, entry: string): Promise<readonly DocumentProblem[]> {
  const status = await lstat(join(folder, half)).catch(() => undefined);
  return status?.isDirectory() === true ? [{path: '$', problem: `has ${half}/ without ${entry}`}] : [];
}

const NOTHING: PluginHalves = {manifest: MANIFEST_FILE, background: undefined, page: undefined};

function hasHalf({background, page}: PluginHalves): boolean {
  return background !== undefined || page !== undefined;
}

/** Finds the halves in a place of a folder; empty for the folder itself. */
async function findIn(folder: string, place: string): Promise<PluginHalves> {
  const manifest = join(place, MANIFEST_FILE);
  const [background, page] = [join(place, BACKGROUND_FOLDER), join(place, PAGE_FOLDER)];
  return {
    manifest,
    background: (await findBuild(folder, background, BACKGROUND_ENTRY)) ?? (await findBackground(folder, background)),
    page: (await findPage(folder, page)) ?? (await findBuild(folder, page, PAGE_ENTRY)),
  };
}

/** Returns the folder in which a build wrote a half. */
async function findBuild(folder: string, half: string, entry: string): Promise<string | undefined> {
  for (const build of BUILDS.map(name => join(half, name)))
    if (await isOwnFile(folder, join(build, entry))) return build;
  return undefined;
}

async function findBackground(folder: string, half: string): Promise<string | undefined> {
  return (await isFile(join(folder, half, BACKGROUND_ENTRY))) ? half : undefined;
}

async function findPage(folder: string, half: string): Promise<string | undefined> {
  const entry = join(folder, half, PAGE_ENTRY);
  return (await isFile(entry)) && !(await isSourcePage(entry)) ? half : undefined;
}

/** Largest first file of a page that is read, in bytes. A larger one was built. */
const PAGE_BYTES_MAX = 256 * 1024;

/** A script that only a build or a dev server can give to a browser: its extension says so, or it is below `/src/`. */
const SOURCE =
  /<script\b[^<>]{0,1000}\bsrc\s{0,9}=\s{0,9}["']?(?:\/src\/|[^"'<>\s]{1,300}\.(?:[cm]?tsx?|jsx|vue|svelte)(?:["'?\s>]))/i;

/** Returns whether a page loads sources, so that it has to be built. */
async function isSourcePage(file: string): Promise<boolean> {
  const text = await readTextFile(file, PAGE_BYTES_MAX).catch(() => undefined);
  return text !== undefined && SOURCE.test(text.toString());
}

/** Follows links: those out of a folder are refused by name. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

/** Returns whether a path leads to a file without any link. */
async function isOwnFile(folder: string, path: string): Promise<boolean> {
  const [first = '', ...others] = path.split(/[\\/]/);
  const status = await lstat(join(folder, first)).catch(() => undefined);
  if (others.length === 0) return status?.isFile() === true;
  return status?.isDirectory() === true && isOwnFile(join(folder, first), join(...others));
}

/** Maximum number of folders in `build/` that are looked into. Published plugins have one. */
const FOLDERS_MAX = 50;

async function listFolders(folder: string, parent: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, parent), {withFileTypes: true}).catch(() => []);
  const folders = entries.filter(entry => entry.isDirectory() && entry.name !== 'node_modules');
  return folders
    .slice(0, FOLDERS_MAX)
    .map(({name}) => join(parent, name))
    .sort();
}

/** Name of the file that describes a project. */
export const PACKAGE_FILE = 'package.json';

/** Largest `package.json` that is read, in bytes. */
export const PROJECT_BYTES_MAX = 1024 * 1024;

/** Content of the `package.json` of a plugin; empty members without one, or if it cannot be read. */
export interface AuthorPackage {
  /** Undefined without one. */
  readonly version: string | undefined;
  /** Path of its module; undefined if it names none. */
  readonly main: string | undefined;
  readonly scripts: Readonly<Record<string, unknown>>;
  /** The packages that it needs, to run or to be built. */
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** Reads the `package.json` in the folder of a plugin. Does not throw: most plugins have none. */
export async function readAuthorPackage(directory: string): Promise<AuthorPackage> {
  const {version, main, scripts, dependencies, devDependencies} = await readMembers(directory);
  return {
    version: typeof version === 'string' ? version : undefined,
    main: typeof main === 'string' ? main : undefined,
    scripts: membersOf(scripts),
    dependencies: {...membersOf(dependencies), ...membersOf(devDependencies)},
  };
}

async function readMembers(directory: string): Promise<JsonMembers> {
  try {
    return membersOf(JSON.parse((await readTextFile(join(directory, PACKAGE_FILE), PROJECT_BYTES_MAX)).toString()));
  } catch {
    return {};
  }
}
