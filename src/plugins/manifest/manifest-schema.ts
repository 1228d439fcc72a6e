import {z} from 'zod';
import {isPluginId} from '../../domain/plugin-id.ts';
import type {PluginManifest, PluginSetting} from '../../domain/plugin-manifest.ts';

/** Accepts `null` as absent: some tools write it. */
function optional<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | undefined> {
  return schema.nullish().transform(value => value ?? undefined);
}

/** Accepts one of a few strings. */
function choice<const T extends readonly [string, ...string[]]>(...values: T): z.ZodType<T[number]> {
  const quoted = values.map(value => JSON.stringify(value));
  return z.enum(values, {error: `has to be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`});
}

const text = z.string().min(1, {error: 'is empty'});

const textOrNumber = z.union([z.string(), z.number()], {error: 'has to be a string or a number'});

/** Choices of a list: an array of values, which are their own labels, or an object with a label for each value. */
const OPTIONS = z.union([z.array(textOrNumber), z.record(z.string(), textOrNumber)], {
  error: 'has to be an array of strings and numbers, or an object with a label for each choice',
});

/** A setting. Its default may be anything: one that does not fit is ignored when settings are read. */
const SETTING: z.ZodType<PluginSetting> = z.object({
  type: choice('boolean', 'string', 'number', 'list'),
  settingType: choice('airline', 'user'),
  name: optional(z.string()),
  description: optional(z.string()),
  default: z.unknown().optional(),
  required: optional(z.boolean()),
  advanced: optional(z.boolean()),
  order: optional(z.number()),
  minLength: optional(z.number().refine(isCount, {error: 'has to be a whole number that is not negative'})),
  options: optional(OPTIONS.transform(labelOptions)),
  when: optional(z.object({key: z.string(), value: z.unknown()})),
});

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

function labelOptions(options: z.output<typeof OPTIONS>): ReadonlyMap<string | number, string> {
  if (Array.isArray(options)) return new Map(options.map(value => [value, String(value)]));
  return new Map(Object.entries(options).map(([value, label]) => [value, String(label)]));
}

/** Checks a manifest and fills in its defaults. Unknown members are dropped. */
export const MANIFEST_SCHEMA: z.ZodType<PluginManifest> = z.object({
  id: z.string().refine(isPluginId, {
    error: 'has to be 1 to 253 letters, digits, dots, dashes and underscores, with a letter or a digit at both ends',
  }),
  name: text,
  version: text,
  type: choice('user', 'airline'),
  description: z.string(),
  organization: optional(z.string()),
  allowedCommunities: optional(z.array(textOrNumber)).transform(ids => (ids ?? []).map(String)),
  pluginAPI: optional(z.string()),
  availableSettings: z.record(z.string(), SETTING).transform(settings => new Map(Object.entries(settings))),
});
