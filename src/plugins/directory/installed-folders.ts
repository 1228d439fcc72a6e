import {readdir, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {findAccessProblem} from './access.ts';

/** The folders in the directory of plugins. */
export interface InstalledFolders {
  /** Paths of the folders, sorted. Empty if the directory is missing or is not used. */
  readonly paths: readonly string[];
  /** The reason why the directory is not used. */
  readonly problem?: string;
}

/** Maximum number of folders in a directory of plugins. Users have about ten; more mean that the setting names another directory by mistake. */
const FOLDERS_MAX = 200;

/** Lists the folders of installed plugins. A missing directory has none; hidden folders and files do not count. */
export async function listInstalled(directory: string): Promise<InstalledFolders> {
  try {
    const problem = await findAccessProblem(directory);
    return problem === undefined ? await listFolders(directory) : refuse(directory, problem);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? {paths: []} : refuse(directory, `cannot be read: ${messageOf(error)}`);
  }
}

async function listFolders(directory: string): Promise<InstalledFolders> {
  const real = await realpath(directory);
  const entries = await readdir(real, {withFileTypes: true});
  if (entries.some(({name}) => name === MANIFEST_FILE))
    return refuse(
      directory,
      'is the folder of one plugin: name it with --plugin, or name the directory that contains it',
    );
  const folders = entries.filter(
    entry => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
  );
  if (folders.length > FOLDERS_MAX)
    return refuse(directory, `has ${folders.length} folders, and the limit is ${FOLDERS_MAX}`);
  return {paths: folders.map(({name}) => join(real, name)).sort()};
}

function refuse(directory: string, problem: string): InstalledFolders {
  return {paths: [], problem: `${directory} ${problem}`};
}
