import {lstat, realpath} from 'node:fs/promises';
import {join, sep} from 'node:path';
import type {PluginManifest} from '../../domain/plugins/plugin-manifest.ts';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {describeExposures, findExposures} from '../directory/access.ts';
import {type FolderState, readFolderState} from '../directory/folder-state.ts';
import {EMPTY, readManifestFile} from '../directory/found-plugin.ts';
import {
  BACKGROUND_ENTRY,
  BACKGROUND_FOLDER,
  findHalves,
  PAGE_ENTRY,
  PAGE_FOLDER,
  type PluginHalves,
} from '../directory/plugin-halves.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {describeBuild, findSources} from '../sources/find-sources.ts';
import {checkFiles} from './check/check-files.ts';
import type {PluginFinding} from './check/finding.ts';
import {findModuleProblems} from './find-modules.ts';
import {listFolder} from './folder-files.ts';
import type {PackageFile} from './package-files.ts';

/** The result of checking a plugin. */
export interface PluginCheck {
  /** Undefined if the manifest has problems. */
  readonly manifest: PluginManifest | undefined;
  /** Places of its parts in the folder. */
  readonly halves: PluginHalves;
  readonly hasBackground: boolean;
  readonly hasPage: boolean;
  /** Number and size of the files that its package has, in bytes; undefined if it cannot be packed. */
  readonly size: {readonly files: number; readonly bytes: number} | undefined;
  /** Problems first. */
  readonly findings: readonly PluginFinding[];
}

/**
 * Checks the folder of a plugin or of its project, of any name: its manifest, the permissions of its files, the modules that its background
 * loads, what its page loads, what both call, and its size. Does not run any of its code.
 *
 * @param source Name of the folder in failures.
 * @param places Places of the halves, if they are known.
 * @throws {AppError} `unreadable-input` if there is no such folder.
 */
export async function checkPlugin(path: string, source: string, places?: PluginHalves): Promise<PluginCheck> {
  const folder = await findFolder(path, source);
  const halves = places ?? (await findHalves(folder));
  const state = await readFolderState(folder, halves);
  if (state === undefined) throw unreadable(source, 'it does not exist', {missing: true});
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
    ...{manifest, halves, hasBackground, hasPage},
    size: 'problem' in packed ? undefined : sizeOf(packed.files),
    findings: [...(problems ?? []), ...(warnings ?? [])],
  };
}

async function findFolder(path: string, source: string): Promise<string> {
  try {
    const folder = await realpath(path);
    if ((await lstat(folder)).isDirectory()) return folder;
  } catch (error) {
    throw codeOf(error) === 'ENOENT'
      ? unreadable(source, 'it does not exist', {missing: true})
      : unreadable(source, messageOf(error));
  }
  throw unreadable(source, 'it is not a folder');
}

function unreadable(source: string, problem: string, missing: {readonly missing?: true} = {}): AppError {
  return new AppError({code: 'unreadable-input', source, problem, ...missing});
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

/** Finds halves that are not built, and a folder without the file that it has to begin with. */
async function findUnbuilt(
  folder: string,
  {hasBackground, hasPage, halves}: FolderState,
): Promise<readonly PluginFinding[]> {
  if (halves.problem !== undefined) return [];
  const isEmpty = !hasBackground && !hasPage;
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
  const isKnown = (half: string): boolean => sources.some(source => source.half === half);
  return [
    ...(isEmpty && unbuilt.length === 0 ? [describeManifest(EMPTY)] : []),
    ...unbuilt,
    ...(hasPage || isKnown('page') ? [] : await findIncomplete(folder, PAGE_FOLDER, PAGE_ENTRY)),
    ...(hasBackground || isKnown('background')
      ? []
      : await findIncomplete(folder, BACKGROUND_FOLDER, BACKGROUND_ENTRY)),
  ];
}

/** Finds a folder without the file that it has to begin with. */
async function findIncomplete(folder: string, name: string, file: string): Promise<readonly PluginFinding[]> {
  const status = await lstat(join(folder, name)).catch(() => undefined);
  return status?.isDirectory() === true ? [{level: 'warning', file: `${name}/`, problem: `has no ${file}`}] : [];
}

/** Names the file of a finding as the project has it, instead of the package. */
function inProject(finding: PluginFinding, {background, page}: PluginHalves): PluginFinding {
  const [part = '', ...rest] = finding.file?.split('/') ?? [];
  const half = part === BACKGROUND_FOLDER ? background : part === PAGE_FOLDER ? page : undefined;
  return half === undefined ? finding : {...finding, file: [...half.split(sep), ...rest].join('/')};
}

async function findModules(folder: string, background: string): Promise<readonly PluginFinding[]> {
  return (await findModuleProblems(folder, background)).map(({file, line, module, kind}): PluginFinding => {
    const loads = `loads ${JSON.stringify(module)}`;
    return kind === 'missing'
      ? {level: 'problem', file, line, problem: `${loads}, and there is no such module`, advice: MISSING_ADVICE}
      : {level: 'warning', file, line, problem: `${loads} from outside of the folder, which is not installed with it`};
  });
}

const MISSING_ADVICE = 'Bundle it, or install it in background/';

type Packed = {readonly files: readonly PackageFile[]} | {readonly problem: PluginFinding};

async function listPacked(folder: string, source: string, halves: PluginHalves): Promise<Packed> {
  try {
    await using listed = await listFolder(folder, source, halves);
    return {files: listed.files};
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'invalid-package') throw error;
    const {problem} = error.failure;
    return {problem: {level: 'warning', problem: `cannot be packed, and its files were not read: ${problem}`}};
  }
}

function sizeOf(files: readonly PackageFile[]): {readonly files: number; readonly bytes: number} {
  return {files: files.length, bytes: files.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0)};
}
