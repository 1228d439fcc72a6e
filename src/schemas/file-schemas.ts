import {z} from 'zod';
import {IDENTITY_SCHEMA} from '../identity/identity-schema.ts';
import {CONFIG_SCHEMA} from './config-schema.ts';
import {MANIFEST_SCHEMA} from './manifest-schema.ts';

/** Every file may name its schema, for editors. */
const SCHEMA_MEMBER = {$schema: z.string().optional().meta({description: 'The schema of this file, for editors.'})};

/**
 * JSON Schemas (draft 2020-12) of the files that people write, by their names in the package. `scripts/build.js` writes them into
 * `dist/schemas/`; the service does not load them.
 */
export const FILE_SCHEMAS: Readonly<Record<string, object>> = {
  'profile.json': describe('Profile of Crewroom: an identity document', IDENTITY_SCHEMA),
  'config.json': describe('Config file of Crewroom', CONFIG_SCHEMA),
  'manifest.json': describe('Manifest of a plugin (plugin.json)', MANIFEST_SCHEMA),
};

function describe(title: string, schema: z.ZodObject): object {
  const {$schema, ...members} = z.toJSONSchema(schema.safeExtend(SCHEMA_MEMBER), {io: 'input'});
  return {$schema, ...members, title};
}
