import {lstat} from 'node:fs/promises';
import {join, posix} from 'node:path';
import {FileError, readRegularFile, readTextFile} from '../../core/files/text-file.ts';
import {isObject, type JsonMembers} from '../../core/json/members.ts';
import {PACKAGE_FILE, PROJECT_BYTES_MAX} from '../directory/plugin-halves.ts';
import {
  type AuthorProject,
  installCommand,
  needsOlderSdk,
  OLDER_SDKS,
  type OlderSdk,
  readProjects,
} from './author-project.ts';

/** Change of a file that makes a project work with this service. */
export interface FileChange {
  /** Path in the folder of the plugin, with slashes. */
  readonly file: string;
  readonly after: string | Uint8Array;
  /** Changed lines, for people: those that are removed, with `- `, or added, with `+ `. */
  readonly lines: readonly string[];
}

/** How a project gets the package in the place of an SDK. */
export interface ProvidedSdk {
  /** Version to name in `package.json`, such as `npm:crewroom-ui-sdk@^0.1.0`, or the place of the packed file in the project. */
  readonly specifier: string;
  /** The file to write into the project, with its path there; undefined if the registry has the package. */
  readonly file?: {readonly path: string; readonly bytes: Uint8Array} | undefined;
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
 * @param provide Says how a project gets the package in the place of an SDK.
 * @throws {FileError} If a file cannot be read.
 * @throws {SyntaxError} If one of them is not JSON.
 */
export async function planAdoption(
  directory: string,
  provide: (sdk: OlderSdk) => Promise<ProvidedSdk>,
): Promise<Adoption> {
  const projects = await readProjects(directory);
  const changes: (FileChange | undefined)[] = [await planManifest(directory, projects)];
  for (const project of projects.filter(needsOlderSdk)) {
    changes.push(...(await planPackage(directory, project, provide)), await planLock(directory, project));
  }
  return {
    changes: changes.flatMap(change => change ?? []),
    next: projects.filter(({isInstalled}) => !isInstalled).flatMap(project => installCommand(project) ?? []),
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

/** Gives the names of older SDKs to the packages in their place, which the project keeps if no registry has them. Changes nothing else in the text. */
async function planPackage(
  directory: string,
  {folder}: AuthorProject,
  provide: (sdk: OlderSdk) => Promise<ProvidedSdk>,
): Promise<readonly FileChange[]> {
  const file = posix.join(folder, PACKAGE_FILE);
  const text = (await readTextFile(join(directory, file), PROJECT_BYTES_MAX)).toString();
  const lines: string[] = [];
  const packed: FileChange[] = [];
  let after = text;
  for (const sdk of OLDER_SDKS) {
    const pattern = new RegExp(`("${sdk.name}"\\s*:\\s*)"([^":\\\\]*)"`, 'g');
    if (!pattern.test(after)) continue;
    const {specifier, file: own} = await provide(sdk);
    after = after.replace(pattern, (whole, begin: string) => {
      lines.push(`- ${whole}`, `+ ${begin}"${specifier}"`);
      return `${begin}"${specifier}"`;
    });
    if (own !== undefined && !(await hasBytes(join(directory, folder, own.path), own.bytes)))
      packed.push({file: posix.join(folder, own.path), after: own.bytes, lines: [`+ ${own.bytes.length} bytes`]});
  }
  return lines.length === 0 ? [] : [...packed, {file, after, lines}];
}

async function hasBytes(path: string, bytes: Uint8Array): Promise<boolean> {
  const found = await readRegularFile(path, bytes.length).catch(() => undefined);
  return found?.equals(bytes) === true;
}

/** Largest lock file that is read, in bytes; those of published plugins have 1 MiB. */
const LOCK_BYTES_MAX = 16 * 1024 * 1024;

const LOCK_FILE = 'package-lock.json';

/** Removes the SDKs from the lock file of npm, which would go on to ask the registry for them. Other package managers notice by themselves. */
async function planLock(directory: string, {folder}: AuthorProject): Promise<FileChange | undefined> {
  const file = posix.join(folder, LOCK_FILE);
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

/** Adds what a manifest lacks: a version, a type, a description, settings, and the party of each setting. Leaves everything else as it is. */
function completeManifest(text: string, version: string | undefined): Omit<FileChange, 'file'> {
  const manifest: unknown = JSON.parse(text);
  if (!isObject(manifest)) return {after: text, lines: []};
  const lines: string[] = [];
  const add = (to: JsonMembers, name: string, value: unknown, place = ''): void => {
    Reflect.set(to, name, value);
    lines.push(`+ ${place}"${name}": ${JSON.stringify(value)}`);
  };
  const type = manifest['type'] ?? 'user';
  const members = {name: manifest['id'], version: version ?? '1.0.0', type, description: '', availableSettings: {}};
  for (const [name, value] of Object.entries(members))
    if (isMissing(manifest, name) && value !== undefined) add(manifest, name, value);
  const settings = manifest['availableSettings'];
  for (const [name, setting] of isObject(settings) ? Object.entries(settings) : [])
    if (isObject(setting) && isMissing(setting, 'settingType'))
      add(setting, 'settingType', type, `"availableSettings"."${name}".`);
  return {after: lines.length === 0 ? text : formatLike(text, manifest), lines};
}

/** `null` counts as missing, and an empty list as no settings. */
function isMissing(members: JsonMembers, name: string): boolean {
  const value = members[name] ?? undefined;
  return value === undefined || (name === 'availableSettings' && Array.isArray(value) && value.length === 0);
}

/** Formats a document with the indentation and the ends of lines of another text. */
function formatLike(text: string, document: unknown): string {
  const [, indentation = '  '] = /^[[{]\r?\n([ \t]+)/.exec(text) ?? [];
  const formatted = JSON.stringify(document, undefined, indentation) + (/\n\s*$/.test(text) ? '\n' : '');
  return text.includes('\r\n') ? formatted.replaceAll('\n', '\r\n') : formatted;
}
