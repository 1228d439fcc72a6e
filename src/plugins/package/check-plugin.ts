import {lstat, realpath} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {AppError} from '../../domain/app-error.ts';
import {codeOf, messageOf} from '../../domain/error-text.ts';
import type {DocumentProblem} from '../../domain/failure.ts';
import type {PluginManifest} from '../../domain/plugin-manifest.ts';
import {findAccessProblem} from '../directory/access.ts';
import {type FolderState, PAGE_FOLDER, readFolderState} from '../directory/folder-state.ts';
import {EMPTY, readManifestFile} from '../directory/found-plugin.ts';
import {findModuleProblems, type ModuleProblem} from './find-modules.ts';

/** The result of checking the folder of a plugin. */
export interface PluginCheck {
  /** Undefined if the manifest has problems. */
  readonly manifest: PluginManifest | undefined;
  readonly hasBackground: boolean;
  readonly hasPage: boolean;
  /** Everything that keeps the plugin from running. */
  readonly problems: readonly DocumentProblem[];
  /** Everything else that looks wrong. */
  readonly warnings: readonly string[];
}

/**
 * Checks the folder of a plugin, of any name: its manifest, the permissions of its files, and the modules that its background
 * loads. Does not run any of its code.
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
  const modules = state.hasBackground ? await findModuleProblems(folder) : [];
  const access = await findAccessProblem(path);
  const own = state.problems.filter(({problem}) => problem !== access);
  return {
    manifest,
    hasBackground: state.hasBackground,
    hasPage: state.hasPage,
    problems: [
      ...('problems' in reading ? reading.problems : []),
      ...(access === undefined ? [] : [{path: '$', problem: access}]),
      ...own,
      ...(state.hasBackground || state.hasPage ? [] : [EMPTY]),
      ...modules.filter(({kind}) => kind === 'missing').map(describeMissing),
    ],
    warnings: [
      ...findNameWarning(manifest, folder),
      ...(await findIncompleteFolders(folder, state)),
      ...modules.filter(({kind}) => kind === 'outside').map(describeOutside),
    ],
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

function describeMissing({file, module}: ModuleProblem): DocumentProblem {
  return {path: '$', problem: `has ${file}, which loads ${JSON.stringify(module)}, and there is no such module`};
}

function describeOutside({file, module}: ModuleProblem): string {
  return `${file} loads ${JSON.stringify(module)} from outside of the folder, which is not installed with it`;
}

function findNameWarning(manifest: PluginManifest | undefined, folder: string): readonly string[] {
  if (manifest === undefined || manifest.id === basename(folder)) return [];
  return [
    `the folder is named ${JSON.stringify(basename(folder))}; in the directory of plugins its name has to be the id`,
  ];
}

/** Finds a folder of a page or a background without its entry file. */
async function findIncompleteFolders(folder: string, state: FolderState): Promise<readonly string[]> {
  const folders = [
    {name: PAGE_FOLDER, file: 'index.html', isThere: state.hasPage},
    {name: 'background', file: 'index.js', isThere: state.hasBackground},
  ];
  const warnings: string[] = [];
  for (const {name, file, isThere} of folders) {
    const status = isThere ? undefined : await lstat(join(folder, name)).catch(() => undefined);
    if (status?.isDirectory() === true) warnings.push(`${name}/ has no ${file}`);
  }
  return warnings;
}
