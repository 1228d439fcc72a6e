import * as v from 'valibot';
import {
  isPluginId,
  PLUGIN_ID_FORM,
  PLUGIN_ID_LENGTH_MAX,
  PLUGIN_ID_PATTERN,
  type PluginId,
} from '../domain/plugins/plugin-id.ts';
import {ANY_OBJECT, described, named, oneOf, open} from './kinds.ts';

const string = v.string();
const nonEmpty = named('a string that is not empty', v.pipe(v.string(), v.minLength(1)));
const stringsOrNumbers = named('an array of strings and numbers', v.array(v.union([string, v.number()])));
const count = named(
  'a whole number that is not negative',
  v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({maximum: Number.MAX_SAFE_INTEGER})),
);

/** Setting of a plugin. As in the whole manifest, `null` stands for a missing member, since some tools write it. */
export const SETTING = open({
  type: oneOf('boolean', 'string', 'number', 'list'),
  settingType: described(oneOf('airline', 'user'), 'The party that sets the value.'),
  name: v.nullish(string),
  description: v.nullish(string),
  // It may be anything: one that does not fit is ignored when settings are read.
  default: v.optional(v.unknown()),
  required: v.nullish(v.boolean()),
  advanced: v.nullish(v.boolean()),
  order: v.nullish(v.number()),
  minLength: described(v.nullish(count), 'Shortest string, in characters.'),
  options: described(
    v.nullish(
      named(
        'an array of strings and numbers or an object',
        v.union([v.array(v.union([string, v.number()])), ANY_OBJECT]),
      ),
    ),
    'Choices of a list: values, or an object with a label for each value.',
  ),
  when: described(
    v.nullish(named('{"key": "…", "value": …}', open({key: string, value: v.unknown()}))),
    'The setting applies only if another one has this value.',
  ),
});

const ID = named(
  PLUGIN_ID_FORM,
  v.pipe(
    string,
    v.maxLength(PLUGIN_ID_LENGTH_MAX),
    v.regex(PLUGIN_ID_PATTERN),
    v.check(isPluginId),
    v.metadata({
      description: 'In reverse DNS form, with at least one dot, and the name of the folder.',
      examples: ['com.example.hello'],
    }),
    v.transform(id => id as PluginId),
  ),
);

/** The manifest of a plugin. */
export const MANIFEST = open({
  id: ID,
  name: nonEmpty,
  version: nonEmpty,
  type: oneOf('user', 'airline'),
  description: string,
  organization: v.nullish(string),
  allowedCommunities: described(
    v.nullish(stringsOrNumbers),
    'Ids of the communities that the plugin was made for; advisory.',
  ),
  pluginAPI: v.nullish(string),
  availableSettings: v.record(v.string(), SETTING),
});
