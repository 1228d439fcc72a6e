import {createHash} from 'node:crypto';
import {basename, join} from 'node:path';
import type {PluginError, PluginManifest} from '../../core/domain/plugins/plugin.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {MANIFEST_BYTES_MAX, MANIFEST_FILE, type ManifestReading, readManifest} from '../manifest/read-manifest.ts';
import type {FolderState} from './folder-state.ts';
import {INSTALLED_HALVES, type PluginHalves} from './plugin-halves.ts';

/** A folder that may hold a plugin. */
export interface PluginFolder {
  /** Real path. */
  readonly directory: string;
  /** True if the folder was given with `--dev-plugin`. Its name may then differ from the id. */
  readonly inDevelopment: boolean;
}

/** A plugin as it is on disk. */
export interface FoundPlugin extends PluginFolder, Pick<FolderState, 'halves' | 'hasPage' | 'hasBackground' | 'icons'> {
  /** The id in its manifest, or the name of its folder if the plugin is broken. */
  readonly id: string;
  /** Label of the host name of its page. */
  readonly label: string;
  /** Undefined if the plugin is broken. */
  readonly manifest: PluginManifest | undefined;
  /** Every reason why it is broken; empty if it is not. */
  readonly problems: readonly DocumentProblem[];
  /** Defects of its manifest that do not keep it from running. */
  readonly warnings: readonly DocumentProblem[];
  /** Changes if the background has to be restarted: the hash of {@link FolderState.stamp}. */
  readonly stamp: string;
  /** Changes with the files of the page; undefined without a page, if a dev server serves it, and if the plugin is not in development. */
  readonly page?: string | undefined;
  /** Error of its last build, if the plugin is in development and its build has reported one. */
  readonly buildError?: PluginError | undefined;
  /** How other users could change it, although it may run. */
  readonly exposed?: string | undefined;
}

/** Reads the manifest of a plugin, unless its folder does not exist or is not safe. */
export async function inspectPlugin(folder: PluginFolder, state: FolderState | undefined): Promise<FoundPlugin> {
  const {halves, hasPage, hasBackground, icons, problems} = state ?? MISSING;
  const stamp = createHash('sha256')
    .update((state ?? MISSING).stamp)
    .digest('hex')
    .slice(0, 32);
  const reading = problems.length > 0 ? {problems, warnings: []} : await readManifestFile(folder, halves);
  const {mistakes = []} = halves;
  const parts = {halves, hasPage, hasBackground, icons, warnings: [...reading.warnings, ...mistakes]};
  const id = 'problems' in reading ? basename(folder.directory) : reading.manifest.id;
  const found = {...folder, ...parts, id, label: labelOf(id), stamp, manifest: undefined};
  if ('problems' in reading) return {...found, problems: reading.problems};
  if (!hasPage && !hasBackground && halves.source === undefined)
    return {...found, warnings: reading.warnings, problems: mistakes.length > 0 ? mistakes : [EMPTY]};
  return {...found, manifest: reading.manifest, problems: []};
}

const MISSING: FolderState = {
  stamp: '',
  halves: INSTALLED_HALVES,
  hasPage: false,
  hasBackground: false,
  icons: [],
  problems: [{path: '$', problem: 'does not exist'}],
  folders: [],
  exposures: [],
};

/** The problem of a plugin that has nothing to run or to show. */
export const EMPTY: DocumentProblem = {
  path: '$',
  problem: 'has neither a background nor a page, or they are not built',
};

/** Reads the manifest of a plugin. */
export async function readManifestFile(
  {directory, inDevelopment}: PluginFolder,
  {manifest}: Pick<PluginHalves, 'manifest'> = INSTALLED_HALVES,
): Promise<ManifestReading> {
  try {
    const bytes = await readTextFile(join(directory, manifest), MANIFEST_BYTES_MAX);
    return readManifest(bytes, inDevelopment ? undefined : basename(directory));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const problem = `has a ${MANIFEST_FILE} that ${describeFileError(error, MANIFEST_BYTES_MAX)}`;
    const found = error.problem === 'missing' ? `has no ${MANIFEST_FILE}` : problem;
    return {problems: [{path: '$', problem: found}], warnings: []};
  }
}

/**
 * Decides which folder an id belongs to: a plugin in development replaces an installed one. Ids that differ only in
 * case would share files on some systems, so both plugins are broken. Ids with one label would share an origin: the later one is broken.
 *
 * @param plugins Those in development first.
 * @returns The plugins in the order of their ids, each id once.
 */
export function assignIds(plugins: readonly FoundPlugin[]): readonly FoundPlugin[] {
  const byId = new Map<string, FoundPlugin>();
  for (const plugin of plugins) {
    const first = byId.get(plugin.id);
    if (first === undefined) byId.set(plugin.id, plugin);
    else if (plugin.inDevelopment)
      byId.set(plugin.id, breakPlugin(first, `has the id of another plugin, in ${plugin.directory}`));
  }
  const byLabel = new Map<string, FoundPlugin>();
  for (const plugin of byId.values()) {
    if (plugin.manifest === undefined) continue;
    const first = byLabel.get(plugin.label);
    if (first === undefined) byLabel.set(plugin.label, plugin);
    else byId.set(plugin.id, breakPlugin(plugin, `leads to the same host name as ${JSON.stringify(first.id)}`, '$.id'));
  }
  const assigned = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return assigned.map(plugin => {
    const twin = assigned.find(other => other !== plugin && other.id.toLowerCase() === plugin.id.toLowerCase());
    return twin === undefined
      ? plugin
      : breakPlugin(plugin, `differs only in case from ${JSON.stringify(twin.id)}`, '$.id');
  });
}

function breakPlugin(plugin: FoundPlugin, problem: string, path = '$'): FoundPlugin {
  return {...plugin, manifest: undefined, problems: [...plugin.problems, {path, problem}]};
}

/** Length of the readable part of a label; with the other part it is shorter than the longest label of a host name (RFC 1035). */
const NAME_LENGTH_MAX = 40;

/** Length of the part that differs between plugins whose names look alike, in hexadecimal digits: 64 bits, since an author who wants it finds two ids with equal 32 bits in a second. */
const HASH_LENGTH = 16;

/**
 * Returns the label of the host name at which the page of a plugin has an origin of its own: the id in lower case with dashes for
 * its dots, which would be further labels, and a part of its SHA-256.
 */
export function labelOf(id: string): string {
  // A browser would decode a label that begins like an encoded one (RFC 5890).
  const name = id
    .toLowerCase()
    .replaceAll('.', '-')
    .replace(/^xn--+/, 'xn-')
    .slice(0, NAME_LENGTH_MAX);
  return `${name}-${createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH)}`;
}
