import {ANY_OBJECT, MANIFEST, SETTING} from '../../documents/manifest.ts';
import {checkValue} from '../../documents/problems.ts';
import type {PluginId} from '../../domain/plugins/plugin-id.ts';
import type {PluginManifest, PluginSetting} from '../../domain/plugins/plugin-manifest.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {readJsonDocument} from '../../json/json-document.ts';
import {type ManifestPlace, Members, report, warn} from './manifest-members.ts';
import {findReservedPath} from './reserved-ids.ts';

/** Name of the file with the manifest, in the folder of a plugin. */
export const MANIFEST_FILE = 'plugin.json';

/** Maximum size of a manifest, in bytes: a hundred times that of published plugins. */
export const MANIFEST_BYTES_MAX = 256 * 1024;

/** Result of reading a manifest: the manifest, or every problem in it; and warnings in both cases. */
export type ManifestReading = (
  | {readonly manifest: PluginManifest}
  | {readonly problems: readonly DocumentProblem[]}
) & {
  /** Defects that do not keep the plugin from running. */
  readonly warnings: readonly DocumentProblem[];
};

/**
 * Reads a manifest. Unknown members are ignored. A plugin needs an id, a name, a version and a
 * type; any other defect is a warning, since other clients run such plugins.
 *
 * @param folder Name of the folder of the plugin, which has to be its id; absent for a plugin that may be in any folder.
 */
export function readManifest(bytes: Uint8Array, folder?: string): ManifestReading {
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem], warnings: []};
  const [problems, warnings]: [DocumentProblem[], DocumentProblem[]] = [[], []];
  const place: ManifestPlace = {path: [], problems, warnings};
  const checked = checkValue(ANY_OBJECT, reading.value);
  if ('found' in checked) report(problems, place, checked.found[0].problem);
  else {
    const manifest = readMembers(new Members(MANIFEST, checked.value, place), folder);
    if (manifest !== undefined && problems.length === 0) return {manifest, warnings};
  }
  return {problems, warnings};
}

function readMembers(
  members: Members<typeof MANIFEST.entries>,
  folder: string | undefined,
): PluginManifest | undefined {
  const id = members.required('id');
  if (id !== undefined) checkId(id, folder, members.at('id'));
  const name = members.required('name');
  const version = members.required('version');
  const type = members.required('type');
  const pluginAPI = members.any('pluginAPI');
  const others = {
    description: members.assumed('description', ''),
    organization: members.optional('organization'),
    allowedCommunities: (members.optional('allowedCommunities') ?? []).map(String),
    pluginAPI: typeof pluginAPI === 'number' ? String(pluginAPI) : members.optional('pluginAPI'),
    availableSettings: readSettings(members.any('availableSettings'), type, members.at('availableSettings')),
  };
  // Missing members were reported as problems above.
  if (id === undefined || name === undefined || version === undefined || type === undefined) return undefined;
  return {id, name, version, type, ...others};
}

function checkId(id: PluginId, folder: string | undefined, place: ManifestPlace): void {
  if (folder !== undefined && id !== folder)
    report(place.problems, place, `has to be the name of the folder, ${JSON.stringify(folder)}`);
  const reserved = findReservedPath(id);
  if (reserved !== undefined) report(place.problems, place, `is the name of a path of the service, ${reserved}`);
}

/** Reads the settings. A setting belongs to the party that the plugin belongs to, unless it names one. */
function readSettings(
  given: unknown,
  type: PluginManifest['type'] = 'user',
  place: ManifestPlace,
): PluginManifest['availableSettings'] {
  const settings = new Map<string, PluginSetting>();
  const checked = checkValue(ANY_OBJECT, given);
  if ('found' in checked) {
    const isNone = given === undefined || (Array.isArray(given) && given.length === 0);
    warn(place, isNone ? `has to be {} without settings` : `${checked.found[0].problem}; it is ignored`);
    return settings;
  }
  const unassigned: string[] = [];
  for (const [key, value] of Object.entries(checked.value)) {
    const at = {...place, path: [...place.path, key]};
    const object = checkValue(ANY_OBJECT, value);
    if ('found' in object) {
      warn(at, `${object.found[0].problem}; it is ignored`);
      continue;
    }
    const members = new Members(SETTING, object.value, at);
    if (members.any('settingType') === undefined) unassigned.push(key);
    settings.set(key, readSetting(members, type));
  }
  const [first = ''] = unassigned;
  const others = unassigned.length === 1 ? '' : ` and ${unassigned.length - 1} more`;
  // One warning for all of them: some plugins have no settingType at all.
  if (unassigned.length > 0)
    warn(place, `lacks a settingType in ${JSON.stringify(first)}${others}; "${type}" is used, the type of the plugin`);
  return settings;
}

/**
 * Reads a setting. Its default may be anything: one that does not fit is ignored when settings are read.
 *
 * @param owner The party that sets the value, if the setting does not name one.
 */
function readSetting(members: Members<typeof SETTING.entries>, owner: PluginManifest['type']): PluginSetting {
  const options = labelOptions(members.optional('options'));
  const value = members.any('default');
  return {
    type: members.assumed('type', guessType(value, options)),
    settingType: members.optional('settingType') ?? owner,
    name: members.optional('name'),
    description: members.optional('description'),
    default: value,
    required: members.optional('required'),
    advanced: members.optional('advanced'),
    order: members.optional('order'),
    minLength: members.optional('minLength'),
    options,
    when: members.optional('when'),
  };
}

/** Returns the type of a setting that names none, or an unknown one. */
function guessType(value: unknown, options: PluginSetting['options']): PluginSetting['type'] {
  if (options !== undefined) return 'list';
  return typeof value === 'boolean' || typeof value === 'number' ? (typeof value as 'boolean' | 'number') : 'string';
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
