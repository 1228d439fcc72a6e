import {lstat, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import type {PluginManifest} from '../../domain/plugins/plugin-manifest.ts';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {describeExposures, findExposures} from '../directory/access.ts';
import {BACKGROUND_FOLDER, type FolderState, PAGE_FOLDER, readFolderState} from '../directory/folder-state.ts';
import {EMPTY, readManifestFile} from '../directory/found-plugin.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {checkFiles} from './check/check-files.ts';
import type {PluginFinding} from './check/finding.ts';
import {findModuleProblems} from './find-modules.ts';
import {listFolder} from './folder-files.ts';
import type {PackageFile} from './package-files.ts';

/** The result of checking a plugin. */
export interface PluginCheck {
  /** Undefined if the manifest has problems. */
  readonly manifest: PluginManifest | undefined;
  readonly hasBackground: boolean;
  readonly hasPage: boolean;
  /** Number and size of the files that its package has, in bytes; undefined if it cannot be packed. */
  readonly size: {readonly files: number; readonly bytes: number} | undefined;
  /** Problems first. */
  readonly findings: readonly PluginFinding[];
}

/**
 * Checks the folder of a plugin, of any name: its manifest, the permissions of its files, the modules that its background
 * loads, what its page loads, what both call, and its size. Does not run any of its code.
 *
 * @param source Name of the folder in failures.
 * @throws {AppError} `unreadable-input` if there is no such folder.
 */
export async function checkPlugin(path: string, source: string): Promise<PluginCheck> {
  const folder = await findFolder(path, source);
  const state = await readFolderState(folder);
  if (state === undefined) throw unreadable(source, 'it does not exist', {missing: true});
  const reading = await readManifestFile({directory: folder, inDevelopment: true});
  const manifest = 'manifest' in reading ? reading.manifest : undefined;
  const {hasBackground, hasPage} = state;
  const packed = await listPacked(folder, source);
  const findings = [
    ...('problems' in reading ? reading.problems.map(describeManifest) : []),
    ...reading.warnings.map(warning => ({...describeManifest(warning), level: 'warning' as const})),
    ...(await findFolderProblems(path, state)),
    ...(hasBackground || hasPage ? [] : [UNBUILT]),
    ...(await findIncompleteFolders(folder, state)),
    ...(hasBackground ? await findModules(folder) : []),
    ...('problem' in packed ? [packed.problem] : await checkFiles(packed.files, manifest?.id)),
  ];
  const [problems, warnings] = ['problem', 'warning'].map(each => findings.filter(({level}) => level === each));
  return {
    ...{manifest, hasBackground, hasPage},
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

/** Finding for a folder without anything to run or to show. New plugins, and clones, have only their sources. */
const UNBUILT: PluginFinding = {
  ...describeManifest(EMPTY),
  advice: 'If these are built from sources, build them first, for example with "npm run build"',
};

async function findFolderProblems(path: string, state: FolderState): Promise<readonly PluginFinding[]> {
  const problem = describeExposures([...state.exposures, ...(await findExposures(path))], await realpath(path));
  return [...(problem === undefined ? [] : [{path: '$', problem}]), ...state.problems].map(describeManifest);
}

/** Finds a folder of a page or a background without its entry file. */
async function findIncompleteFolders(folder: string, state: FolderState): Promise<readonly PluginFinding[]> {
  const folders = [
    {name: PAGE_FOLDER, file: 'index.html', isThere: state.hasPage},
    {name: BACKGROUND_FOLDER, file: 'index.js', isThere: state.hasBackground},
  ];
  const findings: PluginFinding[] = [];
  for (const {name, file, isThere} of folders) {
    const status = isThere ? undefined : await lstat(join(folder, name)).catch(() => undefined);
    if (status?.isDirectory() === true) findings.push({level: 'warning', file: `${name}/`, problem: `has no ${file}`});
  }
  return findings;
}

async function findModules(folder: string): Promise<readonly PluginFinding[]> {
  return (await findModuleProblems(folder)).map(({file, line, module, kind}): PluginFinding => {
    const loads = `loads ${JSON.stringify(module)}`;
    return kind === 'missing'
      ? {level: 'problem', file, line, problem: `${loads}, and there is no such module`, advice: MISSING_ADVICE}
      : {level: 'warning', file, line, problem: `${loads} from outside of the folder, which is not installed with it`};
  });
}

const MISSING_ADVICE = 'Bundle it, or install it in background/';

type Packed = {readonly files: readonly PackageFile[]} | {readonly problem: PluginFinding};

async function listPacked(folder: string, source: string): Promise<Packed> {
  try {
    await using listed = await listFolder(folder, source);
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
