import {join} from 'node:path';
import * as v from 'valibot';
import {closed} from '../../../core/documents/kinds.ts';
import type {
  AccessGrants,
  GrantedPermissions,
  Permission,
  PluginGrants,
  RequestedGrants,
} from '../../../core/domain/access/access.ts';
import {isPluginId, PLUGIN_ID_FORM} from '../../../core/domain/plugins/plugin-id.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../../core/failures/members/problems.ts';
import {type OwnDocument, versionedDocument} from '../own-document.ts';
import {PERMISSION_LINE_BYTES_MAX, parsePermission, readPermission} from '../permission.ts';

export interface GrantRegisterDeps {
  /** The grants that were kept. */
  readonly grants: readonly PluginGrants[];
  /** Keeps all grants before a change is confirmed. Calls do not overlap. */
  readonly save: (grants: readonly PluginGrants[]) => Promise<void>;
}

/** Maximum number of plugins with permissions: more than a pilot installs. */
export const GRANTED_PLUGINS_MAX = 256;

/** Maximum number of permissions of a plugin. */
export const GRANTS_MAX = 64;

/** Permissions of plugins. */
export class GrantRegister implements AccessGrants, GrantedPermissions {
  readonly #save: GrantRegisterDeps['save'];
  /** Listeners by ids of plugins, of requests that are being answered. */
  readonly #listeners = new Map<string, Set<() => void>>();
  #granted: ReadonlyMap<string, readonly Permission[]>;
  /** The last change, which the next one waits for. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor({grants, save}: GrantRegisterDeps) {
    this.#save = save;
    this.#granted = new Map(grants.map(({plugin, permissions}) => [plugin, permissions]));
  }

  list(): readonly PluginGrants[] {
    return toList(this.#granted);
  }

  of(plugin: string): readonly Permission[] {
    return this.#granted.get(plugin) ?? NO_PERMISSIONS;
  }

  onRevoked(plugin: string, had: readonly Permission[], listener: () => void): () => void {
    const present = this.of(plugin);
    // Revoked between the admission of the request and the beginning of its answer.
    if (had.some(each => !present.includes(each))) {
      listener();
      return () => {};
    }
    const listeners = this.#listeners.get(plugin) ?? new Set();
    this.#listeners.set(plugin, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(plugin) === listeners) this.#listeners.delete(plugin);
    };
  }

  grant(requested: RequestedGrants): Promise<void> {
    return this.#change(async () => {
      const {plugin} = requested;
      await this.#replace(new Map(this.#granted).set(plugin, this.#check(requested)));
    });
  }

  revoke(plugin: string, permission?: string): Promise<void> {
    return this.#change(async () => {
      const before = this.of(plugin);
      const kept = before.filter(each => permission !== undefined && each !== permission);
      if (kept.length === before.length)
        throw new AppError({
          code: 'no-grant',
          plugin: shorten(plugin),
          ...(permission === undefined ? {} : {permission: shorten(permission)}),
        });
      await this.#replace(new Map(this.#granted).set(plugin, kept));
      const listeners = this.#listeners.get(plugin) ?? [];
      this.#listeners.delete(plugin);
      for (const listener of listeners) listener();
    });
  }

  #change(change: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  async #replace(changed: ReadonlyMap<string, readonly Permission[]>): Promise<void> {
    const granted = new Map([...changed].filter(([, permissions]) => permissions.length > 0));
    await this.#save(toList(granted));
    this.#granted = granted;
  }

  /** Returns all permissions that a plugin is to have. */
  #check({plugin, permissions: texts}: RequestedGrants): readonly Permission[] {
    const problems: DocumentProblem[] = [];
    if (!isPluginId(plugin)) problems.push({path: '$.plugin', problem: `has to be ${PLUGIN_ID_FORM}`});
    else if (!this.#granted.has(plugin) && this.#granted.size >= GRANTED_PLUGINS_MAX)
      problems.push({path: '$.plugin', problem: `would be one more than ${GRANTED_PLUGINS_MAX} plugins`});
    const before = this.of(plugin);
    const added = texts.slice(0, GRANTS_MAX).flatMap((text, index) => {
      const reading = readPermission(text);
      if ('permission' in reading) return [reading.permission];
      problems.push({path: `$.permissions[${index}]`, problem: reading.problem});
      return [];
    });
    const all = [...new Set([...before, ...added])];
    if (texts.length === 0 || texts.length > GRANTS_MAX || all.length > GRANTS_MAX)
      problems.push({path: '$.permissions', problem: `has to be 1 to ${GRANTS_MAX} permissions, with those it has`});
    if (problems.length > 0) throw new AppError({code: 'invalid-body', what: 'grant', problems});
    return all;
  }
}

const NO_PERMISSIONS: readonly Permission[] = [];

function toList(granted: ReadonlyMap<string, readonly Permission[]>): readonly PluginGrants[] {
  return [...granted]
    .map(([plugin, permissions]) => ({plugin, permissions}))
    .sort((one, other) => (one.plugin < other.plugin ? -1 : 1));
}

/** Shortens a name from a request. */
function shorten(text: string): string {
  return text.slice(0, 64).toWellFormed();
}

/** Name of the file with the permissions of plugins, in a data directory. */
const RULES_FILE = 'access-rules.json';

/**
 * Maximum size of the file, in bytes: as many plugins as there may be, with as many and as long permissions as they may have. A plugin without
 * them takes less than one of them.
 */
const FILE_BYTES_MAX = GRANTED_PLUGINS_MAX * (GRANTS_MAX + 1) * PERMISSION_LINE_BYTES_MAX;

/** The file. */
const RULES = closed({
  format: v.string(),
  version: v.number(),
  grants: v.array(closed({plugin: v.string(), permissions: v.array(v.string())})),
});

/**
 * Returns the document with the permissions of the plugins of a data directory. Reading it fails with `invalid-rules-file` if it is not one that was
 * written here. A rule that cannot be read must not be ignored: the owner would believe that it is in force.
 */
export function rulesFile(directory: string): OwnDocument<readonly PluginGrants[]> {
  return versionedDocument(join(directory, RULES_FILE), {
    bytesMax: FILE_BYTES_MAX,
    failure: 'invalid-rules-file',
    name: 'crewroom-access-rules',
    schema: RULES,
    parse: ({grants}) => parseRules(grants),
    describe: grants => ({grants}),
  });
}

type GrantsDocument = v.InferOutput<typeof RULES>['grants'];

function parseRules(grants: GrantsDocument): readonly PluginGrants[] {
  if (grants.length > GRANTED_PLUGINS_MAX) throw new Error(`it has more than ${GRANTED_PLUGINS_MAX} plugins`);
  const plugins = new Set(grants.map(({plugin}) => plugin));
  if (plugins.size < grants.length) throw new Error('it has a plugin twice');
  return grants.map(parseGrants);
}

function parseGrants({plugin, permissions}: GrantsDocument[number]): PluginGrants {
  if (!isPluginId(plugin)) throw new Error(`${JSON.stringify(plugin)} is not the id of a plugin`);
  if (permissions.length > GRANTS_MAX) throw new Error(`${plugin} has more than ${GRANTS_MAX} permissions`);
  return {plugin, permissions: permissions.map(parsePermission)};
}
