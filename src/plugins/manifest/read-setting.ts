import type {PluginManifest, PluginSetting} from '../../domain/plugin-manifest.ts';
import {
  BOOLEAN,
  COUNT,
  either,
  type Kind,
  type Members,
  NUMBER,
  OBJECT,
  oneOf,
  STRING,
  STRINGS_OR_NUMBERS,
  warn,
} from './manifest-members.ts';

const ANYTHING: Kind<unknown> = {name: 'anything', includes: (value): value is unknown => value !== undefined};

/**
 * Reads a setting. Its default may be anything: one that does not fit is ignored when settings are read.
 *
 * @param owner The party that sets the value, if the setting does not name one.
 */
export function readSetting(members: Members, owner: PluginManifest['type']): PluginSetting {
  const options = labelOptions(members.optional('options', either(STRINGS_OR_NUMBERS, OBJECT)));
  const value = members.optional('default', ANYTHING);
  return {
    type: members.assumed('type', oneOf('boolean', 'string', 'number', 'list'), guessType(value, options)),
    settingType: members.optional('settingType', oneOf('airline', 'user')) ?? owner,
    name: members.optional('name', STRING),
    description: members.optional('description', STRING),
    default: value,
    required: members.optional('required', BOOLEAN),
    advanced: members.optional('advanced', BOOLEAN),
    order: members.optional('order', NUMBER),
    minLength: members.optional('minLength', COUNT),
    options,
    when: readCondition(members),
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
  if (STRINGS_OR_NUMBERS.includes(options)) return new Map(options.map(value => [value, String(value)]));
  return new Map(Object.entries(options).map(([value, label]) => [value, String(label)]));
}

function readCondition(members: Members): PluginSetting['when'] {
  const given = members.optional('when', OBJECT);
  if (given === undefined) return undefined;
  if (STRING.includes(given['key']) && given['value'] !== undefined) return {key: given['key'], value: given['value']};
  return warn(members.at('when'), 'has to be {"key": "…", "value": …}; it is ignored');
}
