import type {GenericSchema, InferOutput, ObjectEntries} from 'valibot';
import {ANY_OBJECT} from '../../core/documents/kinds.ts';
import {MANIFEST, SETTING} from '../../core/documents/manifest.ts';
import {checkValue} from '../../core/documents/problems.ts';
import {findSettingProblem, type PluginManifest, type PluginSetting} from '../../core/domain/plugins/plugin.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {readJsonDocument} from '../../core/json/json-document.ts';
import {formatPath} from '../../core/json/json-path.ts';

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
  if (id !== undefined && folder !== undefined && id !== folder)
    report(members.at('id').problems, members.at('id'), `has to be the name of the folder, ${JSON.stringify(folder)}`);
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
 * Reads a setting. Its default may be anything: one that does not fit is served all the same, with a warning.
 *
 * @param owner The party that sets the value, if the setting does not name one.
 */
function readSetting(members: Members<typeof SETTING.entries>, owner: PluginManifest['type']): PluginSetting {
  const options = labelOptions(members.optional('options'));
  const value = members.any('default');
  const setting: PluginSetting = {
    type: members.assumed('type', guessType(value, options)),
    settingType: members.optional('settingType') ?? owner,
    name: members.optional('name'),
    description: members.optional('description'),
    default: value,
    required: members.optional('required') ?? false,
    advanced: members.optional('advanced') ?? false,
    order: members.optional('order'),
    minLength: members.optional('minLength'),
    options,
    when: members.optional('when'),
  };
  const problem = value === undefined ? undefined : findSettingProblem(setting, value);
  if (problem !== undefined) warn(members.at('default'), `${problem}; it is served all the same`);
  return setting;
}

/** Returns the type of a setting that names none, or an unknown one. */
function guessType(value: unknown, options: PluginSetting['options']): PluginSetting['type'] {
  if (options !== undefined) return 'list';
  return typeof value === 'boolean' || typeof value === 'number' ? (typeof value as 'boolean' | 'number') : 'string';
}

/** Reads the choices of a list: an array of values as their own labels, or an object with a label for each value. */
function labelOptions(
  options: readonly (string | number)[] | Readonly<Record<string, unknown>> | undefined,
): PluginSetting['options'] {
  if (options === undefined) return undefined;
  const labels: readonly (readonly [string | number, unknown])[] = Array.isArray(options)
    ? options.map(value => [value, value])
    : Object.entries(options);
  return new Map(labels.map(([value, label]) => [value, String(label)]));
}

/** Location of a part of a manifest, and the lists that collect what was found in all of it. */
interface ManifestPlace {
  readonly path: readonly string[];
  /** Reasons why the plugin cannot run. */
  readonly problems: DocumentProblem[];
  /** Defects that are ignored. */
  readonly warnings: DocumentProblem[];
}

type Present<E extends ObjectEntries, N extends keyof E> = NonNullable<InferOutput<E[N]>>;

/** Reads a manifest object member by member, by its schema. `null` counts as missing, since some tools write it. */
class Members<E extends ObjectEntries> {
  readonly #entries: E;
  readonly #place: ManifestPlace;
  readonly #members: Readonly<Record<string, unknown>>;

  constructor({entries}: {readonly entries: E}, members: Readonly<Record<string, unknown>>, place: ManifestPlace) {
    this.#entries = entries;
    this.#members = members;
    this.#place = place;
  }

  /** Returns the value of a member, of any kind; undefined if it is missing. */
  any(name: keyof E & string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }

  /** Reads a member without which the plugin cannot run. A defect is a problem. */
  required<N extends keyof E & string>(name: N): Present<E, N> | undefined {
    return this.#read(name, defect => report(this.#place.problems, this.at(name), defect));
  }

  /** Reads a member that may be missing. One of another kind is ignored, with a warning. */
  optional<N extends keyof E & string>(name: N): Present<E, N> | undefined {
    if (this.any(name) === undefined) return undefined;
    return this.#read(name, defect => warn(this.at(name), `${defect}; it is ignored`));
  }

  /** Reads a member that every plugin should have. A defect is a warning, and the given value is used instead. */
  assumed<N extends keyof E & string>(name: N, assumed: Present<E, N>): Present<E, N> {
    const read = this.#read(name, defect => warn(this.at(name), `${defect}; ${JSON.stringify(assumed)} is used`));
    return read ?? assumed;
  }

  /** Returns the place of a member. */
  at(name: string): ManifestPlace {
    return {...this.#place, path: [...this.#place.path, name]};
  }

  #read<N extends keyof E & string>(name: N, onDefect: (defect: string) => undefined): Present<E, N> | undefined {
    const value = this.any(name);
    if (value === undefined) return onDefect('is missing');
    const checked = checkValue(this.#entries[name] as GenericSchema<unknown, Present<E, N>>, value);
    return 'value' in checked ? checked.value : onDefect(checked.found[0].problem);
  }
}

/** Maximum number of problems, and of warnings, that are collected for one manifest. */
const FOUND_MAX = 100;

/** Collects a problem, unless there are too many already. */
function report(found: DocumentProblem[], {path}: Pick<ManifestPlace, 'path'>, problem: string): undefined {
  if (found.length < FOUND_MAX) found.push({path: formatPath(path), problem});
}

/** Collects a warning, unless there are too many already. */
function warn(place: ManifestPlace, problem: string): undefined {
  return report(place.warnings, place, problem);
}
