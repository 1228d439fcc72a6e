import {lstat, readFile, realpath, stat} from 'node:fs/promises';
import {createRequire, isBuiltin} from 'node:module';
import {join, relative, sep} from 'node:path';
import type {PluginManifest} from '../../core/domain/plugins/plugin.ts';
import {isFailure} from '../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {isHostModule, isMissing} from '../background/runtime/modules/host-module-names.ts';
import {describeExposures, findExposures} from '../directory/access.ts';
import {type FolderState, readFolderState} from '../directory/folder-state.ts';
import {EMPTY, readManifestFile} from '../directory/found-plugin.ts';
import {
  BACKGROUND_ENTRY,
  BACKGROUND_FOLDER,
  findHalves,
  PAGE_FOLDER,
  type PluginHalves,
} from '../directory/plugin-halves.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {describeBuild, findSources} from '../sources/find-sources.ts';
import {checkFiles} from './check/check-files.ts';
import {copyPart, type PluginFinding} from './check/finding.ts';
import {scanModuleNames} from './check/scan-module-names.ts';
import {listFolder} from './folder-files.ts';
import {type PackageFile, sumSizes, unreadable} from './package-files.ts';

/** The result of checking a plugin. */
export interface PluginCheck extends Pick<FolderState, 'halves' | 'hasBackground' | 'hasPage'> {
  /** Undefined if the manifest has problems. */
  readonly manifest: PluginManifest | undefined;
  /** Number and size of the files that its package has, in bytes; undefined if it cannot be packed. */
  readonly size: {readonly files: number; readonly bytes: number} | undefined;
  /** Problems first. */
  readonly findings: readonly PluginFinding[];
}

/**
 * Checks the folder of a plugin or of its project, of any name: its manifest, the permissions of its files, the modules that its background
 * loads, what its page loads and reads, and its size. Does not run any of its code.
 *
 * @param source Name of the folder in failures.
 * @param places Places of the halves, if they are known.
 * @throws {AppError} `unreadable-input` if there is no such folder.
 */
export async function checkPlugin(path: string, source: string, places?: PluginHalves): Promise<PluginCheck> {
  const folder = await findFolder(path, source);
  const halves = places ?? (await findHalves(folder));
  const state = await readFolderState(folder, halves);
  // It was there a moment ago.
  if (state === undefined) throw unreadable(source, Object.assign(new Error(), {code: 'ENOENT'}));
  const reading = await readManifestFile({directory: folder, inDevelopment: true}, halves);
  const manifest = 'manifest' in reading ? reading.manifest : undefined;
  const {hasBackground, hasPage} = state;
  const packed = await listPacked(folder, source, halves);
  const findings = [
    ...('problems' in reading ? reading.problems.map(describeManifest) : []),
    ...reading.warnings.map(warning => ({...describeManifest(warning), level: 'warning' as const})),
    ...(await findFolderProblems(path, state)),
    ...(await findUnbuilt(folder, state)),
    ...(halves.background === undefined ? [] : await findModules(folder, halves.background)),
    ...('problem' in packed ? [packed.problem] : await checkFiles(packed.files, manifest?.id)).map(finding =>
      inProject(finding, halves),
    ),
  ];
  const [problems, warnings] = ['problem', 'warning'].map(each => findings.filter(({level}) => level === each));
  return {
    manifest,
    halves,
    hasBackground,
    hasPage,
    size: 'problem' in packed ? undefined : {files: packed.files.length, bytes: sumSizes(packed.files)},
    findings: [...(problems ?? []), ...(warnings ?? [])],
  };
}

async function findFolder(path: string, source: string): Promise<string> {
  try {
    const folder = await realpath(path);
    if ((await lstat(folder)).isDirectory()) return folder;
  } catch (error) {
    throw unreadable(source, error);
  }
  throw unreadable(source, new Error('it is not a folder'));
}

/** Creates the finding for a problem of the manifest. */
export function describeManifest(problem: DocumentProblem): PluginFinding {
  const {path} = problem;
  if (path === '$') return {level: 'problem', problem: problem.problem};
  return {level: 'problem', file: MANIFEST_FILE, problem: `${path} ${problem.problem}`};
}

async function findFolderProblems(path: string, state: FolderState): Promise<readonly PluginFinding[]> {
  const problem = describeExposures([...state.exposures, ...(await findExposures(path))], await realpath(path));
  return [...(problem === undefined ? [] : [{path: '$', problem}]), ...state.problems].map(describeManifest);
}

/** Finds halves that are not built, or not used. */
async function findUnbuilt(folder: string, state: FolderState): Promise<readonly PluginFinding[]> {
  const {hasBackground, hasPage, halves} = state;
  if (halves.problem !== undefined) return [];
  const [isEmpty, {mistakes = []}] = [!hasBackground && !hasPage, halves];
  const sources = await findSources(folder, halves);
  const unbuilt = sources.map(
    (source): PluginFinding => ({
      // Elsewhere the files may be of another program of the project.
      level: isEmpty || /^(?:ui|background)\//.test(source.file) ? 'problem' : 'warning',
      file: source.file,
      problem: `is the source of the ${source.half}, which is not built`,
      advice: describeBuild(source),
    }),
  );
  return [
    ...mistakes.map(each => ({...describeManifest(each), ...(isEmpty ? {} : {level: 'warning' as const})})),
    ...(isEmpty && unbuilt.length + mistakes.length === 0 ? [describeManifest(EMPTY)] : []),
    ...unbuilt,
  ];
}

/** Names the file of a finding as the project has it, instead of the package. */
function inProject(finding: PluginFinding, {background, page}: PluginHalves): PluginFinding {
  const [part = '', ...rest] = finding.file?.split('/') ?? [];
  const half = part === BACKGROUND_FOLDER ? background : part === PAGE_FOLDER ? page : undefined;
  return half === undefined ? finding : {...finding, file: [...half.split(sep), ...rest].join('/')};
}

type Packed = {readonly files: readonly PackageFile[]} | {readonly problem: PluginFinding};

async function listPacked(folder: string, source: string, halves: PluginHalves): Promise<Packed> {
  try {
    await using listed = await listFolder(folder, source, halves);
    return {files: listed.files};
  } catch (error) {
    if (!isFailure(error, 'invalid-package')) throw error;
    const {problem} = error.failure;
    return {problem: {level: 'problem', problem: `cannot be packed, and its files were not read: ${problem}`}};
  }
}

/** Maximum number of files of a background that are read. */
const FILES_MAX = 1000;

/** Largest file that is read, in bytes. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Maximum number of problems; the rest would not be read. */
const PROBLEMS_MAX = 50;

/**
 * Finds modules that the background loads and that will not resolve. Reads the tokens of its files, without running them.
 * Files in `node_modules` are not read: their packages declare what they need.
 *
 * @param folder Real path of the folder of the plugin.
 * @param background Folder of the background, by its path in that folder.
 */
async function findModules(folder: string, background: string): Promise<readonly PluginFinding[]> {
  const findings: PluginFinding[] = [];
  // What a build wrote is packed alone.
  const packed = (background === BACKGROUND_FOLDER ? folder : join(folder, background)) + sep;
  const files = new Set([join(folder, background, BACKGROUND_ENTRY)]);
  // The loop adds to the set.
  for (const file of files) {
    for (const [module, line] of await readModules(file)) {
      const path = await resolveModule(module, file);
      const isFound = path === '' || isHostModule(module) || path?.startsWith(packed) === true;
      if (!isFound)
        findings.push({file: relative(folder, file).replaceAll(sep, '/'), line, ...judgeModule(module, path)});
      else if (path !== undefined && isSource(path) && files.size < FILES_MAX) files.add(path);
      if (findings.length === PROBLEMS_MAX) return findings;
    }
  }
  return findings;
}

/** Describes a module that cannot be loaded once the plugin is installed. @param path Undefined if it is missing. */
function judgeModule(module: string, path: string | undefined): PluginFinding {
  const loads = `loads ${JSON.stringify(copyPart(module))}`;
  return path === undefined
    ? {level: 'problem', problem: `${loads}, and there is no such module`, advice: MISSING_ADVICE}
    : {level: 'warning', problem: `${loads} from outside of the folder, which is not installed with it`};
}

const MISSING_ADVICE = 'Bundle it, or install it in background/';

async function readModules(file: string): Promise<ReadonlyMap<string, number>> {
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile() !== true || status.size > FILE_BYTES_MAX) return new Map();
  return scanModuleNames(await readFile(file, 'utf8'));
}

/** Resolves a module. @returns Its real path; empty for one of Node or of the host; undefined if it is missing. */
async function resolveModule(name: string, file: string): Promise<string | undefined> {
  if (isBuiltin(name)) return '';
  try {
    return await realpath(createRequire(file).resolve(name));
  } catch (error) {
    // For packages that can only be imported, `require` fails with another error.
    return isMissing(error) && !isHostModule(name) ? undefined : '';
  }
}

function isSource(path: string): boolean {
  return /\.[cm]?js$/.test(path) && !path.includes(`${sep}node_modules${sep}`);
}
