import {join} from 'node:path';
import * as v from 'valibot';
import {open} from '../../documents/kinds.ts';
import {checkValue} from '../../documents/problems.ts';
import type {PluginGrants} from '../../domain/access/access-grants.ts';
import {isPluginId} from '../../domain/plugins/plugin-id.ts';
import {toUtf8} from '../../files/text-file.ts';
import {type OwnDocument, ownDocument} from '../own-document.ts';
import {PERMISSION_LINE_BYTES_MAX, readPermission} from '../permission.ts';
import {GRANTED_PLUGINS_MAX, GRANTS_MAX} from './grant-register.ts';

/** Name of the file with the permissions of plugins, in a data directory. */
const RULES_FILE = 'access-rules.json';

/**
 * Maximum size of the file, in bytes: as many plugins as there may be, with as many and as long permissions as they may have. A plugin without
 * them takes less than one of them.
 */
const FILE_BYTES_MAX = GRANTED_PLUGINS_MAX * (GRANTS_MAX + 1) * PERMISSION_LINE_BYTES_MAX;

/** The file. */
const RULES = open({grants: v.array(open({plugin: v.string(), permissions: v.array(v.string())}))});

/**
 * Returns the document with the permissions of the plugins of a data directory. Reading it fails with `invalid-rules-file` if it is not one that was
 * written here. A rule that cannot be read must not be ignored: the owner would believe that it is in force.
 */
export function rulesFile(directory: string): OwnDocument<readonly PluginGrants[]> {
  return ownDocument(join(directory, RULES_FILE), {
    bytesMax: FILE_BYTES_MAX,
    failure: 'invalid-rules-file',
    parse: bytes => parseRules(toUtf8(bytes).toString()),
    format: grants => `${JSON.stringify({grants}, undefined, 2)}\n`,
  });
}

function parseRules(text: string): readonly PluginGrants[] {
  const document: unknown = JSON.parse(text);
  const checked = checkValue(RULES, document);
  if ('found' in checked)
    throw new Error('it is not an object with the list "grants" of plugins and their permissions');
  assertNoOthers(Object(document), ['grants']);
  const {grants} = document as typeof checked.value;
  if (grants.length > GRANTED_PLUGINS_MAX) throw new Error(`it has more than ${GRANTED_PLUGINS_MAX} plugins`);
  const plugins = new Set(grants.map(({plugin}) => plugin));
  if (plugins.size < grants.length) throw new Error('it has a plugin twice');
  return grants.map(parseGrants);
}

function parseGrants(document: v.InferOutput<typeof RULES>['grants'][number]): PluginGrants {
  const {plugin, permissions} = document;
  assertNoOthers(document, ['plugin', 'permissions']);
  if (!isPluginId(plugin)) throw new Error(`${JSON.stringify(plugin)} is not the id of a plugin`);
  if (permissions.length > GRANTS_MAX) throw new Error(`${plugin} has more than ${GRANTS_MAX} permissions`);
  return {
    plugin,
    permissions: permissions.map(text => {
      const reading = readPermission(text);
      if ('problem' in reading) throw new Error(`the permission ${JSON.stringify(text)} ${reading.problem}`);
      return reading.permission;
    }),
  };
}

/** Refuses unknown members, such as one with a typing error that was meant as a restriction. */
function assertNoOthers(document: object, known: readonly string[]): void {
  const other = Object.keys(document).find(name => !known.includes(name));
  if (other !== undefined) throw new Error(`it has the unknown member ${JSON.stringify(other)}`);
}
