import {MANIFEST, type ManifestDocument} from '../../documents/manifest.ts';
import {checkValue, formatProblems, type Problem} from '../../documents/problems.ts';
import {readJsonDocument} from '../../domain/json-document.ts';
import type {PluginId} from '../../domain/plugin-id.ts';
import type {PluginManifest, PluginSetting} from '../../domain/plugin-manifest.ts';
import type {DocumentProblem} from '../../failures/failure.ts';
import {findReservedPath} from './reserved-ids.ts';

/** Name of the file with the manifest, in the folder of a plugin. */
export const MANIFEST_FILE = 'plugin.json';

/** Maximum size of a manifest, in bytes: a hundred times that of published plugins. */
export const MANIFEST_BYTES_MAX = 256 * 1024;

/** Result of reading a manifest: the manifest, or every problem in it. */
export type ManifestReading = {readonly manifest: PluginManifest} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads a manifest, with or without a byte order mark. Unknown members are ignored.
 *
 * @param folder Name of the folder of the plugin, which has to be its id; absent for a plugin that may be in any folder.
 */
export function readManifest(bytes: Uint8Array, folder?: string): ManifestReading {
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem]};
  const checked = checkValue(MANIFEST, reading.value);
  const found = 'found' in checked ? checked.found : [];
  const idProblems = found.some(({keys}) => keys[0] === 'id' || keys.length === 0)
    ? []
    : findIdProblems((reading.value as ManifestDocument).id, folder);
  if ('value' in checked && idProblems.length === 0) return {manifest: completeManifest(checked.value)};
  return {problems: formatProblems([...idProblems, ...found])};
}

function findIdProblems(id: PluginId, folder: string | undefined): readonly Problem[] {
  const reserved = findReservedPath(id);
  const problems = [
    folder !== undefined && id !== folder ? `has to be the name of the folder, ${JSON.stringify(folder)}` : undefined,
    reserved === undefined ? undefined : `is the name of a path of the service, ${reserved}`,
  ];
  return problems.flatMap(problem => (problem === undefined ? [] : {keys: ['id'], problem}));
}

/** Puts undefined in place of null, and adds defaults. */
function completeManifest({id, name, version, type, description, ...others}: ManifestDocument): PluginManifest {
  const settings = Object.entries(others.availableSettings).map(
    ([key, setting]) => [key, completeSetting(setting)] as const,
  );
  return {
    ...{id, name, version, type, description},
    organization: others.organization ?? undefined,
    allowedCommunities: (others.allowedCommunities ?? []).map(String),
    pluginAPI: others.pluginAPI ?? undefined,
    availableSettings: new Map(settings),
  };
}

function completeSetting(setting: ManifestDocument['availableSettings'][string]): PluginSetting {
  const {type, settingType, when} = setting;
  return {
    ...{type, settingType},
    name: setting.name ?? undefined,
    description: setting.description ?? undefined,
    default: setting.default ?? undefined,
    required: setting.required ?? undefined,
    advanced: setting.advanced ?? undefined,
    order: setting.order ?? undefined,
    minLength: setting.minLength ?? undefined,
    options: labelOptions(setting.options ?? undefined),
    when: when ? {key: when.key, value: when.value} : undefined,
  };
}

/** Reads the choices of a list: an array of values, which are their own labels, or an object with a label for each value. */
function labelOptions(
  options: readonly (string | number)[] | Readonly<Record<string, unknown>> | undefined,
): PluginSetting['options'] {
  if (options === undefined) return undefined;
  const labels: readonly (readonly [string | number, unknown])[] = Array.isArray(options)
    ? options.map(value => [value, value])
    : Object.entries(options);
  return new Map(labels.map(([value, label]) => [value, String(label)]));
}
