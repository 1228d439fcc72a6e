import type {DocumentProblem} from '../../domain/failure.ts';
import {readJsonDocument} from '../../domain/json-document.ts';
import type {PluginManifest} from '../../domain/plugin-manifest.ts';
import {describeIssues} from '../../domain/schema-issues.ts';
import {isReservedId} from './reserved-ids.ts';

/** Name of the file with the manifest, in the folder of a plugin. */
export const MANIFEST_FILE = 'plugin.json';

/** Largest manifest, in bytes: a hundred times those of published plugins. */
export const MANIFEST_BYTES_MAX = 256 * 1024;

/** Result of reading a manifest: the manifest, or every problem in it. */
export type ManifestReading = {readonly manifest: PluginManifest} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads a manifest, with or without a byte order mark.
 *
 * @param folder Name of the folder of the plugin, which has to be its id; absent for a plugin that may be in any folder.
 */
export async function readManifest(bytes: Uint8Array, folder?: string): Promise<ManifestReading> {
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem]};
  // Loaded on demand: the schema library takes longer to load than the rest of the service.
  const {MANIFEST_SCHEMA} = await import('./manifest-schema.ts');
  const result = MANIFEST_SCHEMA.safeParse(reading.value, {reportInput: true});
  const problems = [
    ...(result.success ? [] : describeIssues(result.error.issues)),
    ...findIdProblems(reading.value, folder),
  ];
  return result.success && problems.length === 0 ? {manifest: result.data} : {problems};
}

/** Finds the problems of an id with its surroundings, also if the manifest has others. */
function findIdProblems(document: unknown, folder: string | undefined): readonly DocumentProblem[] {
  if (typeof document !== 'object' || document === null || !('id' in document)) return [];
  const {id} = document;
  if (typeof id !== 'string') return [];
  const problems: DocumentProblem[] = [];
  if (folder !== undefined && id !== folder)
    problems.push({path: '$.id', problem: `has to be the name of the folder, ${JSON.stringify(folder)}`});
  if (isReservedId(id)) problems.push({path: '$.id', problem: 'is the name of a path of the service'});
  return problems;
}
