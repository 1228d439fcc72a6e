import {readJsonDocument} from '../../domain/json-document.ts';
import {isPluginId, type PluginId} from '../../domain/plugin-id.ts';
import type {PluginManifest, PluginSetting} from '../../domain/plugin-manifest.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {
  type Kind,
  Members,
  OBJECT,
  oneOf,
  type Place,
  report,
  STRING,
  STRINGS_OR_NUMBERS,
  TEXT,
  warn,
} from './manifest-members.ts';
import {readSetting} from './read-setting.ts';
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
 * Reads a manifest, with or without a byte order mark. Unknown members are ignored. A plugin needs an id, a name, a version and a
 * type; any other defect is a warning, since other clients run such plugins. Does not use zod, whose loading would delay the first
 * answers of the service.
 *
 * @param folder Name of the folder of the plugin, which has to be its id; absent for a plugin that may be in any folder.
 */
export function readManifest(bytes: Uint8Array, folder?: string): ManifestReading {
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem], warnings: []};
  const [problems, warnings]: [DocumentProblem[], DocumentProblem[]] = [[], []];
  const place: Place = {path: [], problems, warnings};
  if (!OBJECT.includes(reading.value)) report(problems, place, `has to be ${OBJECT.name}`);
  else {
    const manifest = readMembers(new Members(reading.value, place), folder);
    if (manifest !== undefined && problems.length === 0) return {manifest, warnings};
  }
  return {problems, warnings};
}

const ID: Kind<PluginId> = {
  name: '1 to 253 letters, digits, dots, dashes and underscores, with a letter or a digit at both ends',
  includes: (value): value is PluginId => STRING.includes(value) && isPluginId(value),
};

function readMembers(members: Members, folder: string | undefined): PluginManifest | undefined {
  const id = members.required('id', ID);
  if (id !== undefined) checkId(id, folder, members.at('id'));
  const name = members.required('name', TEXT);
  const version = members.required('version', TEXT);
  const type = members.required('type', oneOf('user', 'airline'));
  const pluginAPI = members.any('pluginAPI');
  const others = {
    description: members.assumed('description', STRING, ''),
    organization: members.optional('organization', STRING),
    allowedCommunities: (members.optional('allowedCommunities', STRINGS_OR_NUMBERS) ?? []).map(String),
    pluginAPI: typeof pluginAPI === 'number' ? String(pluginAPI) : members.optional('pluginAPI', STRING),
    availableSettings: readSettings(members.any('availableSettings'), type, members.at('availableSettings')),
  };
  // Missing members were reported as problems above.
  if (id === undefined || name === undefined || version === undefined || type === undefined) return undefined;
  return {id, name, version, type, ...others};
}

function checkId(id: PluginId, folder: string | undefined, place: Place): void {
  if (folder !== undefined && id !== folder)
    report(place.problems, place, `has to be the name of the folder, ${JSON.stringify(folder)}`);
  const reserved = findReservedPath(id);
  if (reserved !== undefined) report(place.problems, place, `is the name of a path of the service, ${reserved}`);
}

/** Reads the settings. A setting belongs to the party that the plugin belongs to, unless it names one. */
function readSettings(
  given: unknown,
  type: PluginManifest['type'] = 'user',
  place: Place,
): PluginManifest['availableSettings'] {
  const settings = new Map<string, PluginSetting>();
  if (!OBJECT.includes(given)) {
    const isNone = given === undefined || (Array.isArray(given) && given.length === 0);
    warn(place, isNone ? `has to be {} without settings` : `has to be ${OBJECT.name}; it is ignored`);
    return settings;
  }
  const unassigned: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const at = {...place, path: [...place.path, key]};
    if (!OBJECT.includes(value)) {
      warn(at, `has to be ${OBJECT.name}; it is ignored`);
      continue;
    }
    const members = new Members(value, at);
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
