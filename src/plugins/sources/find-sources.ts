import {lstat} from 'node:fs/promises';
import {join} from 'node:path';
import {quotePath} from '../directory/access.ts';
import {BACKGROUND_SOURCES, isSourcePage, type PluginHalves} from '../directory/plugin-halves.ts';
import {
  type AuthorProject,
  findDevServer,
  installCommand,
  needsOlderSdk,
  readProjects,
  scriptCommand,
} from './author-project.ts';

/** Sources of a half that is not built. */
export interface PluginSource {
  readonly half: 'background' | 'page';
  /** First file, by its path in the folder of the plugin, with slashes. */
  readonly file: string;
  /** Real path of the folder of the plugin. */
  readonly directory: string;
  /** The project that builds it; undefined if none has a `package.json`. */
  readonly project: AuthorProject | undefined;
}

/** First files of sources, by where published plugins, and the templates of their build tools, have them. */
const SOURCES = {
  background: BACKGROUND_SOURCES,
  page: ['ui/index.html', 'ui/public/index.html', 'src/page/index.html', 'index.html', 'public/index.html'],
} as const;

/** Finds the sources of halves that are not built. */
export async function findSources(
  directory: string,
  {background, page}: Pick<PluginHalves, 'background' | 'page'>,
): Promise<readonly PluginSource[]> {
  const found: PluginSource[] = [];
  const projects = await readProjects(directory);
  for (const half of ['background', 'page'] as const) {
    if ((half === 'background' ? background : page) !== undefined) continue;
    const file = await findFirst(directory, half);
    if (file !== undefined) found.push({half, file, directory, project: projectOf(file, projects)});
  }
  return found;
}

async function findFirst(directory: string, half: PluginSource['half']): Promise<string | undefined> {
  for (const file of SOURCES[half]) {
    const path = join(directory, file);
    if ((await lstat(path).catch(() => undefined))?.isFile() !== true) continue;
    // The first page of Create React App, in a folder of its own, loads nothing yet.
    if (half === 'background' || file.includes('public/') || (await isSourcePage(path)) || file.startsWith('src/'))
      return file;
  }
  return undefined;
}

function projectOf(file: string, projects: readonly AuthorProject[]): AuthorProject | undefined {
  const own = projects.find(({folder}) => folder !== '' && file.startsWith(`${folder}/`));
  return own ?? projects.find(({folder}) => folder === '');
}

/**
 * Says how to build a half, in commands for this folder.
 *
 * @param from Folder of the plugin, as seen from where commands are run.
 */
export function describeBuild({project, directory}: PluginSource, from = directory): string {
  if (project === undefined || typeof project.scripts['build'] !== 'string')
    return 'Build it, into build/ or dist/ beside its sources';
  return `Build it: ${[...describeInstallation(project, from), scriptCommand(project, 'build', from)].join(' && ')}`;
}

/** Returns the commands that a project needs before its scripts can be run; empty if none. */
function describeInstallation(project: AuthorProject, from: string): readonly string[] {
  if (project.isInstalled) return [];
  const adoption = needsOlderSdk(project) ? [`crewroom plugin adopt ${quotePath(from === '' ? '.' : from)}`] : [];
  return [...adoption, installCommand(project, from)];
}

/**
 * Says how to show a page with its dev server, in commands for this folder; undefined if no script starts one.
 *
 * @param from Folder of the plugin as the user gave it; undefined for the working directory.
 */
export async function describeDevServer(
  directory: string,
  project: AuthorProject,
  from: string | undefined,
): Promise<{readonly script: string; readonly command: string} | undefined> {
  const server = await findDevServer(directory, project);
  if (server === undefined) return undefined;
  const {script, url} = server;
  const place = from === undefined ? '' : ` ${quotePath(from)}`;
  const start = `crewroom dev${place} --ui ${url} -- ${scriptCommand(project, script)}`;
  return {script, command: [...describeInstallation(project, from ?? ''), start].join(' && ')};
}
