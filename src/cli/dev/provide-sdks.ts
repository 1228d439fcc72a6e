import {access, cp, mkdir, mkdtemp, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {messageOf} from '../../failures/error-text.ts';
import {renameOver} from '../../files/rename-over.ts';
import {VERSION} from '../../version.ts';
import {readAuthorPackage} from './author-package.ts';

/** The folder of the packages that stand in for older SDKs: beside the service, in a clone and in the published package. */
const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url));

/** An SDK that is no longer on the registry. */
interface OlderSdk {
  readonly name: string;
  /** The package in its place, and the folder that has it. */
  readonly standIn: string;
  readonly folder: string;
  /** Names in the folder that belong to the package. */
  readonly parts: readonly string[];
}

const OLDER_SDKS: readonly OlderSdk[] = [
  {
    name: '@tfdidesign/smartcars3-ui-sdk',
    standIn: 'crewroom-ui-sdk',
    folder: 'ui-sdk',
    parts: ['package.json', 'dist', 'css'],
  },
  {
    name: '@tfdidesign/smartcars3-background-sdk',
    standIn: 'crewroom-background-sdk',
    folder: 'background-sdk',
    parts: ['package.json', 'dist'],
  },
];

/**
 * Provides the older SDKs that the `package.json` of a plugin names and that are not installed: copies those of this service into
 * `node_modules`, so that the plugin builds with no change. Copies, since bundlers treat the files behind a link as sources of the plugin.
 *
 * @returns Messages for the author.
 */
export async function provideSdks(directory: string): Promise<readonly string[]> {
  const {dependencies} = await readAuthorPackage(directory);
  const texts: string[] = [];
  for (const sdk of OLDER_SDKS) {
    const installed = join(directory, 'node_modules', sdk.name);
    if (!Object.hasOwn(dependencies, sdk.name) || (await exists(installed))) continue;
    const alias = `for npm install write "${sdk.name}": "npm:${sdk.standIn}@^${VERSION}" in package.json`;
    try {
      await copySdk(sdk, installed);
      texts.push(`${sdk.name} is not on the registry: ${sdk.standIn} is in node_modules in its place; ${alias}`);
    } catch (error) {
      texts.push(`${sdk.name} is not installed, and cannot be provided (${messageOf(error)}); ${alias}`);
    }
  }
  return texts;
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

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
