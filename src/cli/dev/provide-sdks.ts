import {existsSync} from 'node:fs';
import {cp, mkdir, mkdtemp, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {messageOf} from '../../core/failures/app-error.ts';
import {renameOver} from '../../core/files/directory.ts';
import {isAlias, OLDER_SDKS, type OlderSdk, readProjects} from '../../plugins/sources/author-project.ts';

/** The folder of packages that stand in for older SDKs: beside the service, in a clone and in the published package. */
const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url));

/**
 * Provides the older SDKs that a `package.json` of a plugin names and that are not installed: copies those of this service into
 * `node_modules`, so that the plugin builds with no change. Copies, since bundlers treat the files behind a link as sources of the plugin.
 *
 * @returns Messages for the author.
 */
export async function provideSdks(directory: string): Promise<readonly string[]> {
  const texts = await Promise.all(
    (await readProjects(directory)).map(({folder, dependencies}) =>
      Promise.all(
        OLDER_SDKS.filter(({name}) => Object.hasOwn(dependencies, name)).map(sdk =>
          provideSdk(sdk, join(directory, folder), {folder, isAdopted: isAlias(dependencies[sdk.name])}),
        ),
      ),
    ),
  );
  return texts.flat().flatMap(text => text ?? []);
}

/** Provides an SDK to a project, unless it is installed. @returns A message for the author. */
async function provideSdk(
  sdk: OlderSdk,
  project: string,
  {folder, isAdopted}: {readonly folder: string; readonly isAdopted: boolean},
): Promise<string | undefined> {
  const installed = join(project, 'node_modules', sdk.name);
  if (existsSync(installed)) return undefined;
  const places = [folder, 'node_modules'].filter(part => part !== '').join('/');
  const alias = isAdopted
    ? 'npm install installs it'
    : `"crewroom plugin adopt" gives this name to ${sdk.standIn} in package.json, for npm install`;
  try {
    await copySdk(sdk, installed);
    return `${sdk.name} is not on the registry: ${sdk.standIn} is in ${places} in its place; ${alias}`;
  } catch (error) {
    return `${sdk.name} is not installed, and cannot be provided (${messageOf(error)}); ${alias}`;
  }
}

/** Copies a package, whole or not at all. */
async function copySdk({folder, parts}: OlderSdk, to: string): Promise<void> {
  await mkdir(dirname(to), {recursive: true});
  const copy = await mkdtemp(join(dirname(to), '.sdk-'));
  try {
    for (const part of parts) await cp(join(PACKAGES, folder, part), join(copy, part), {recursive: true});
    await renameOver(copy, to);
  } catch (error) {
    await rm(copy, {recursive: true, force: true});
    throw error;
  }
}
