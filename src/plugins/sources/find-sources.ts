import type {PluginStatus, Plugins} from '../../core/domain/plugins/plugin.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {findHalves, findSource, type PluginHalves} from '../directory/plugin-halves.ts';
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

/** Finds the sources of halves that are not built. */
export async function findSources(
  directory: string,
  {background, page}: Pick<PluginHalves, 'background' | 'page'>,
): Promise<readonly PluginSource[]> {
  const found: PluginSource[] = [];
  const projects = await readProjects(directory);
  for (const half of ['background', 'page'] as const) {
    if ((half === 'background' ? background : page) !== undefined) continue;
    const file = await findSource(directory, half);
    if (file !== undefined) found.push({half, file, directory, project: projectOf(file, projects)});
  }
  return found;
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
  const {place, note} = placeOf(from);
  const commands = [...describeInstallation(project, place), scriptCommand(project, 'build', place)];
  return `Build it: ${note}${commands.join(' && ')}`;
}

/** Returns the folder as commands name it; the one in which they run, with a note, if no line passes its path on. */
function placeOf(from: string): {readonly place: string; readonly note: string} {
  const isWritten = from === '' || formatLine(['cd', from], process.platform) !== undefined;
  return isWritten ? {place: from, note: ''} : {place: '', note: 'in the folder of the plugin, '};
}

/** Returns the commands that a project needs before its scripts can be run; empty if none. */
function describeInstallation(project: AuthorProject, from: string): readonly (string | undefined)[] {
  if (project.isInstalled) return [];
  const adoption = formatLine(['crewroom', 'plugin', 'adopt', from || '.'], process.platform);
  return [...(needsOlderSdk(project) ? [adoption] : []), installCommand(project, from)];
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
): Promise<string | undefined> {
  const server = await findDevServer(directory, project);
  if (server === undefined) return undefined;
  const {script, url} = server;
  const {place, note} = placeOf(from ?? '');
  const start = formatLine(['crewroom', 'dev', ...(place === '' ? [] : [place]), '--ui', url], process.platform);
  const commands = [...describeInstallation(project, place), `${start} -- ${scriptCommand(project, script)}`];
  return note + commands.join(' && ');
}

/**
 * Asserts that a plugin in development can run.
 *
 * @throws {AppError} `invalid-plugin` for one that is broken; for one that is not built, with the command that builds it.
 */
export async function assertRunnable(plugins: Plugins, {id, state, directory}: PluginStatus): Promise<void> {
  if (state === 'broken') throw new AppError({code: 'invalid-plugin', plugin: id, problems: plugins.problems(id)});
  if (state !== 'not-built') return;
  const sources = await findSources(directory, await findHalves(directory));
  const problems = sources.map(source => ({
    path: '$',
    problem: `is not built: ${source.file} is the source of its ${source.half}. ${describeBuild(source)}`,
  }));
  throw new AppError({code: 'invalid-plugin', plugin: id, problems});
}
