import {lstat} from 'node:fs/promises';
import {join} from 'node:path';
import {FileError} from '../../files/read-file.ts';
import {readTextFile} from '../../files/text-file.ts';
import {completeManifest, formatLike} from './adopt-manifest.ts';
import {PACKAGE_FILE, PROJECT_BYTES_MAX} from './author-package.ts';
import {type AuthorProject, installCommand, needsOlderSdk, readProjects} from './author-project.ts';
import {aliasOf, OLDER_SDKS} from './older-sdks.ts';

/** Change of a file that makes a project work with this service. */
export interface FileChange {
  /** Path in the folder of the plugin, with slashes. */
  readonly file: string;
  readonly after: string;
  /** Changed lines, for people: those that are removed, with `- `, or added, with `+ `. */
  readonly lines: readonly string[];
}

/** Changes that a project needs. */
export interface Adoption {
  readonly changes: readonly FileChange[];
  /** Commands to run after the changes, in the folder of the plugin. */
  readonly next: readonly string[];
}

/** Files in which projects have the manifest, the first that exists. */
const MANIFESTS = ['plugin.json', 'public/plugin.json', 'ui/public/plugin.json'] as const;

/**
 * Finds out what a project lacks to be installed and run: names for SDKs that are no longer on the registry, and members of the manifest.
 * Changes nothing.
 *
 * @param version Version of the packages in place of the SDKs.
 * @throws {FileError} If a file cannot be read.
 * @throws {SyntaxError} If one of them is not JSON.
 */
export async function planAdoption(directory: string, version: string): Promise<Adoption> {
  const projects = await readProjects(directory);
  const changes: (FileChange | undefined)[] = [await planManifest(directory, projects)];
  for (const project of projects.filter(needsOlderSdk)) {
    changes.push(await planPackage(directory, project, version), await planLock(directory, project));
  }
  return {
    changes: changes.flatMap(change => change ?? []),
    next: projects.filter(({isInstalled}) => !isInstalled).map(project => installCommand(project)),
  };
}

async function planManifest(directory: string, projects: readonly AuthorProject[]): Promise<FileChange | undefined> {
  for (const file of MANIFESTS) {
    if ((await lstat(join(directory, file)).catch(() => undefined)) === undefined) continue;
    const text = (await readTextFile(join(directory, file), PROJECT_BYTES_MAX)).toString();
    const {after, lines} = completeManifest(text, projects.find(({folder}) => folder === '')?.version);
    return lines.length === 0 ? undefined : {file, after, lines};
  }
  throw new FileError('missing');
}

/** Gives the names of older SDKs to the packages in their place. Changes nothing else in the text. */
async function planPackage(
  directory: string,
  {folder}: AuthorProject,
  version: string,
): Promise<FileChange | undefined> {
  const file = [folder, PACKAGE_FILE].filter(part => part !== '').join('/');
  const text = (await readTextFile(join(directory, file), PROJECT_BYTES_MAX)).toString();
  const lines: string[] = [];
  let after = text;
  for (const sdk of OLDER_SDKS) {
    const pattern = new RegExp(`("${sdk.name}"\\s*:\\s*)"([^":\\\\]*)"`, 'g');
    after = after.replace(pattern, (whole, begin: string) => {
      const alias = `${begin}"${aliasOf(sdk, version)}"`;
      lines.push(`- ${whole}`, `+ ${alias}`);
      return alias;
    });
  }
  return lines.length === 0 ? undefined : {file, after, lines};
}

/** Largest lock file that is read, in bytes; those of published plugins have 1 MiB. */
const LOCK_BYTES_MAX = 16 * 1024 * 1024;

const LOCK_FILE = 'package-lock.json';

/** Removes the SDKs from the lock file of npm, which would go on to ask the registry for them. Other package managers notice by themselves. */
async function planLock(directory: string, {folder}: AuthorProject): Promise<FileChange | undefined> {
  const file = [folder, LOCK_FILE].filter(part => part !== '').join('/');
  if ((await lstat(join(directory, file)).catch(() => undefined)) === undefined) return undefined;
  const text = (await readTextFile(join(directory, file), LOCK_BYTES_MAX)).toString();
  const lock: unknown = JSON.parse(text);
  const lines = OLDER_SDKS.flatMap(({name}) => [
    ...removeMember(memberOf(lock, 'packages'), `node_modules/${name}`),
    ...removeMember(memberOf(lock, 'dependencies'), name),
  ]);
  return lines.length === 0 ? undefined : {file, after: formatLike(text, lock), lines};
}

function removeMember(of: object | undefined, name: string): readonly string[] {
  return of !== undefined && Object.hasOwn(of, name) && Reflect.deleteProperty(of, name) ? [`- "${name}": …`] : [];
}

function memberOf(value: unknown, name: string): object | undefined {
  const member: unknown = Reflect.get(Object(value), name);
  return typeof member === 'object' && member !== null ? member : undefined;
}
