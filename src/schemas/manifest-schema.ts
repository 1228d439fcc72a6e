import {z} from 'zod';

const stringsOrNumbers = z.array(z.union([z.string(), z.number()]));

/** Setting of a plugin. As in the whole manifest, `null` stands for a missing member, since some tools write it. */
const SETTING = z.looseObject({
  type: z.enum(['boolean', 'string', 'number', 'list']),
  settingType: z.enum(['airline', 'user']).meta({description: 'The party that sets the value.'}),
  name: z.string().nullish(),
  description: z.string().nullish(),
  default: z.unknown().optional(),
  required: z.boolean().nullish(),
  advanced: z.boolean().nullish(),
  order: z.number().nullish(),
  minLength: z.int().min(0).nullish().meta({description: 'Shortest string, in characters.'}),
  options: z
    .union([stringsOrNumbers, z.record(z.string(), z.unknown())])
    .nullish()
    .meta({description: 'Choices of a list: values, or an object with a label for each value.'}),
  when: z
    .looseObject({key: z.string(), value: z.unknown()})
    .nullish()
    .meta({description: 'The setting applies only if another one has this value.'}),
});

/** The manifest of a plugin, for editors: the service reads it with `readManifest()`, which does not need zod. */
export const MANIFEST_SCHEMA = z.looseObject({
  id: z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    .meta({description: 'In reverse DNS form, and the name of the folder.', examples: ['com.example.hello']}),
  name: z.string().min(1),
  version: z.string().min(1),
  type: z.enum(['user', 'airline']),
  description: z.string(),
  organization: z.string().nullish(),
  allowedCommunities: stringsOrNumbers
    .nullish()
    .meta({description: 'Ids of the communities that the plugin was made for; advisory.'}),
  pluginAPI: z.string().nullish(),
  availableSettings: z.record(z.string(), SETTING),
});
