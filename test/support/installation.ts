import {cp, mkdir, readdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Installs the built package into a folder, as npm does, with the packages of this clone.
 *
 * @param without Folder of `node_modules` that is left out.
 * @returns The folder `node_modules`.
 */
export async function installInto(folder: string, without = ''): Promise<string> {
  const modules = join(folder, 'node_modules');
  await mkdir(modules, {recursive: true});
  for (const entry of await readdir(join(ROOT, 'node_modules')))
    if (!entry.startsWith('.') && entry !== 'crewroom' && entry !== without)
      await symlink(join(ROOT, 'node_modules', entry), join(modules, entry));
  await cp(join(ROOT, 'dist'), join(modules, 'crewroom', 'dist'), {recursive: true});
  await cp(join(ROOT, 'package.json'), join(modules, 'crewroom', 'package.json'));
  return modules;
}
