import type {PluginHalves} from '../../plugins/directory/plugin-halves.ts';
import {type AuthorProject, readProjects} from '../../plugins/sources/author-project.ts';
import {describeBuild, describeDevServer, findSources, type PluginSource} from '../../plugins/sources/find-sources.ts';

export interface HintOptions {
  readonly halves: PluginHalves;
  /** True if the page comes from a dev server already. */
  readonly hasPageServer: boolean;
  /** Folder of the plugin as the user gave it; undefined for the working directory. */
  readonly given: string | undefined;
}

/** Returns what the author of a plugin may want to do next: build its sources, or start its dev server. Runs nothing. */
export async function findHints(directory: string, options: HintOptions): Promise<readonly string[]> {
  const sources = await findSources(directory, options.halves);
  const hints = await Promise.all(sources.map(source => describeSource(source, options)));
  const isPageNamed = options.hasPageServer || sources.some(({half}) => half === 'page');
  const server = isPageNamed ? undefined : await describeOtherServer(directory, options);
  return [...hints.flatMap(hint => hint ?? []), ...(server === undefined ? [] : [server])];
}

async function describeSource(source: PluginSource, {hasPageServer, given}: HintOptions): Promise<string | undefined> {
  const {half, file, directory, project} = source;
  if (half === 'page' && hasPageServer) return undefined;
  const build = describeBuild(source, given ?? '');
  const server =
    half === 'background' || project === undefined ? undefined : await describeDevServer(directory, project, given);
  const ways = server === undefined ? build : `Show it with its dev server: ${server.command}. ${build}`;
  return `${file} is the source of the ${half}, which is not built. ${ways}`;
}

/** Describes the dev server of a page that is built, or that has files of its own. */
async function describeOtherServer(directory: string, {given}: HintOptions): Promise<string | undefined> {
  const projects: readonly AuthorProject[] = await readProjects(directory);
  for (const project of projects.filter(({folder, scripts}) => folder !== 'background' && 'dev' in scripts)) {
    const server = await describeDevServer(directory, project, given);
    if (server?.script === 'dev')
      return `package.json has the script "dev": if it starts a dev server, "${server.command}" shows its page`;
  }
  return undefined;
}
