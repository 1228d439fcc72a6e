// Writes openapi.json, and the JSON Schemas of files that people write, from the schemas of the built service.
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {convertSchema} from './json-schema.js';
import {buildOpenApi} from './write-openapi.js';

/** Folders of a build that only this script reads. */
const DESCRIPTIONS = [join('http', 'operations'), join('core', 'documents', 'answers')];

/**
 * Writes `schemas/` and `openapi.json` into the folder of a build.
 *
 * @param {string} built Path of the built service.
 */
export async function writeSchemas(built) {
  const load = path => import(pathToFileURL(join(built, path)).href);
  mkdirSync(join(built, 'schemas'));
  for (const [name, schema] of Object.entries(await describeFiles(load)))
    writeFileSync(join(built, 'schemas', name), `${JSON.stringify(schema, null, 2)}\n`);
  writeFileSync(join(built, 'openapi.json'), JSON.stringify(await buildOpenApi(load)));
  for (const folder of DESCRIPTIONS) rmSync(join(built, folder), {recursive: true});
}

/** Describes the files that people write, each of which may name its schema, for editors. */
async function describeFiles(load) {
  const {IDENTITY_DOCUMENT} = await load('core/documents/identity.js');
  const {CONFIG_SCHEMA} = await load('platform/config/config-schema.js');
  const {MANIFEST} = await load('core/documents/manifest.js');
  const describe = (title, schema) => {
    const {properties, ...members} = convertSchema(schema);
    const named = {...properties, $schema: {type: 'string', description: 'The schema of this file, for editors.'}};
    return {$schema: 'https://json-schema.org/draft/2020-12/schema', ...members, properties: named, title};
  };
  return {
    'profile.json': describe('Profile of Crewroom: an identity document', IDENTITY_DOCUMENT),
    'config.json': describe('Config file of Crewroom', CONFIG_SCHEMA),
    'manifest.json': describe('Manifest of a plugin (plugin.json)', MANIFEST),
  };
}
