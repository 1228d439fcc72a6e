import type {SETTING} from '../../documents/manifest.ts';
import type {PluginManifest, PluginSetting} from '../../domain/plugins/plugin-manifest.ts';
import type {Members} from './manifest-members.ts';

/**
 * Reads a setting. Its default may be anything: one that does not fit is ignored when settings are read.
 *
 * @param owner The party that sets the value, if the setting does not name one.
 */
export function readSetting(members: Members<typeof SETTING.entries>, owner: PluginManifest['type']): PluginSetting {
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
