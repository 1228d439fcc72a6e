import {readJsonDocument} from '../../domain/json-document.ts';
import {isPluginId, type PluginId} from '../../domain/plugin-id.ts';
import type {PluginManifest, PluginSetting} from '../../domain/plugin-manifest.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {
  BOOLEAN,
  COUNT,
  either,
  type Kind,
  Members,
  NUMBER,
  OBJECT,
  oneOf,
  type Place,
  report,
  STRING,
  STRINGS_OR_NUMBERS,
  TEXT,
} from './manifest-members.ts';
import {findReservedPath} from './reserved-ids.ts';

/** Name of the file with the manifest, in the folder of a plugin. */
export const MANIFEST_FILE = 'plugin.json';

/** Maximum size of a manifest, in bytes: a hundred times that of published plugins. */
export const MANIFEST_BYTES_MAX = 256 * 1024;

/** Result of reading a manifest: the manifest, or every problem in it. */
export type ManifestReading = {readonly manifest: PluginManifest} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads a manifest, with or without a byte order mark. Unknown members are ignored. Does not use zod, whose loading would delay the
 * first answers of the service.
 *
 * @param folder Name of the folder of the plugin, which has to be its id; absent for a plugin that may be in any folder.
 */
export function readManifest(bytes: Uint8Array, folder?: string): ManifestReading {
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem]};
  const problems: DocumentProblem[] = [];
  const manifest = readMembers(new Members(reading.value, {path: [], problems}), folder);
  return manifest === undefined || problems.length > 0 ? {problems} : {manifest};
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
  const description = members.required('description', STRING);
  const organization = members.optional('organization', STRING);
  const allowedCommunities = (members.optional('allowedCommunities', STRINGS_OR_NUMBERS) ?? []).map(String);
  const pluginAPI = members.optional('pluginAPI', STRING);
  const availableSettings = readSettings(
    members.required('availableSettings', OBJECT),
    members.at('availableSettings'),
  );
  // Missing members were reported as problems above.
  if (
    id === undefined ||
    name === undefined ||
    version === undefined ||
    type === undefined ||
    description === undefined
  )
    return undefined;
  return {id, name, version, type, description, organization, allowedCommunities, pluginAPI, availableSettings};
}

function checkId(id: PluginId, folder: string | undefined, place: Place): void {
  if (folder !== undefined && id !== folder)
    report(place, `has to be the name of the folder, ${JSON.stringify(folder)}`);
  const reserved = findReservedPath(id);
  if (reserved !== undefined) report(place, `is the name of a path of the service, ${reserved}`);
}

function readSettings(
  given: Readonly<Record<string, unknown>> = {},
  {path, problems}: Place,
): PluginManifest['availableSettings'] {
  const settings = new Map<string, PluginSetting>();
  for (const [key, value] of Object.entries(given)) {
    const setting = readSetting(new Members(value, {path: [...path, key], problems}));
    if (setting !== undefined) settings.set(key, setting);
  }
  return settings;
}

const ANYTHING: Kind<unknown> = {name: 'anything', includes: (value): value is unknown => value !== undefined};

/** Reads a setting. Its default may be anything: one that does not fit is ignored when settings are read. */
function readSetting(members: Members): PluginSetting | undefined {
  const type = members.required('type', oneOf('boolean', 'string', 'number', 'list'));
  const settingType = members.required('settingType', oneOf('airline', 'user'));
  const others = {
    name: members.optional('name', STRING),
    description: members.optional('description', STRING),
    default: members.optional('default', ANYTHING),
    required: members.optional('required', BOOLEAN),
    advanced: members.optional('advanced', BOOLEAN),
    order: members.optional('order', NUMBER),
    minLength: members.optional('minLength', COUNT),
    options: labelOptions(members.optional('options', either(STRINGS_OR_NUMBERS, OBJECT))),
    when: readCondition(members.optional('when', OBJECT), members.at('when')),
  };
  return type === undefined || settingType === undefined ? undefined : {type, settingType, ...others};
}

/** Reads the choices of a list: an array of values, which are their own labels, or an object with a label for each value. */
function labelOptions(
  options: readonly (string | number)[] | Readonly<Record<string, unknown>> | undefined,
): PluginSetting['options'] {
  if (options === undefined) return undefined;
  if (STRINGS_OR_NUMBERS.includes(options)) return new Map(options.map(value => [value, String(value)]));
  return new Map(Object.entries(options).map(([value, label]) => [value, String(label)]));
}

function readCondition(given: Readonly<Record<string, unknown>> | undefined, place: Place): PluginSetting['when'] {
  if (given === undefined) return undefined;
  const members = new Members(given, place);
  const key = members.required('key', STRING);
  const value = members.required('value', ANYTHING);
  return key === undefined ? undefined : {key, value};
}
