import type {Store} from '../domain/commits/store.ts';
import type {CommonDeps} from '../domain/common-deps.ts';
import type {TypedEntries} from '../domain/entries/typed-entries.ts';
import type {TypedEntry} from '../domain/entries/typed-entry.ts';
import type {Plugins} from '../domain/plugins/plugin.ts';
import type {PluginSetting} from '../domain/plugins/plugin-manifest.ts';
import {CORE_SETTINGS, type SettingValues, type UserSettings} from '../domain/plugins/user-settings.ts';
import {AppError} from '../failures/app-error.ts';
import {isObject, membersOf} from '../json/members.ts';
import {PrefixFollower} from './prefix-follower.ts';
import {fillIn, mergeChanges, type SettingRules} from './setting-rules.ts';

export interface UserSettingsDeps extends Pick<CommonDeps, 'log' | 'timers'> {
  readonly entries: Pick<TypedEntries, 'get' | 'list' | 'putValue' | 'delete'>;
  readonly store: Pick<Store, 'onChange'>;
  readonly plugins: Pick<Plugins, 'list' | 'manifest' | 'problems' | 'updateSettings' | 'onState'>;
}

/** Keys of settings: one entry for each id, an object of the values that differ from the defaults. */
const PREFIX = 'crewroom/settings/';

/** Maximum number of attempts to change an entry that others change at the same time. */
const ATTEMPTS_MAX = 10;

/** The settings in entries. Sends each change to the background, also if the entry was written directly. */
export class StoredUserSettings implements UserSettings {
  readonly #deps: UserSettingsDeps;
  #isClosed = false;
  /** Undefined until there is a plugin. */
  #follower: PrefixFollower | undefined;
  readonly #stopListening: () => void;

  constructor(deps: UserSettingsDeps) {
    this.#deps = deps;
    this.#stopListening = deps.plugins.onState(() => {
      if (!this.#isClosed) this.#follower ??= this.#follow();
    });
  }

  async all(): Promise<Readonly<Record<string, SettingValues>>> {
    const ids = this.#deps.plugins.list().filter(({state}) => state !== 'broken');
    const all = [CORE_SETTINGS, ...ids.map(({id}) => id)].map(async id => [id, await this.get(id)] as const);
    return Object.fromEntries(await Promise.all(all));
  }

  async get(id: string): Promise<SettingValues> {
    return fillIn(this.available(id), membersOf((await this.#read(id))?.value)).values;
  }

  async update(id: string, changes: SettingValues): Promise<SettingValues> {
    const rules = this.available(id);
    for (let attempt = 1; ; attempt++) {
      const entry = await this.#read(id);
      const merged = mergeChanges(rules, membersOf(entry?.value), changes);
      if ('problems' in merged)
        throw new AppError({code: 'invalid-plugin-settings', plugin: id, problems: merged.problems});
      if (await this.#write(id, entry, merged.stored, attempt < ATTEMPTS_MAX))
        return fillIn(rules, merged.stored).values;
    }
  }

  async problems(id: string): Promise<readonly string[]> {
    const manifest = this.#deps.plugins.manifest(id);
    if (manifest === undefined) return [];
    const entry = await this.#read(id);
    if (entry !== undefined && !isObject(entry.value))
      return ['the stored settings are not an object; defaults are used'];
    const {problems} = fillIn(manifest.availableSettings, membersOf(entry?.value));
    return problems.map(({path, problem}) => `setting ${path} ${problem}; its default is used`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    this.#isClosed = true;
    await this.#follower?.[Symbol.asyncDispose]();
  }

  available(id: string): SettingRules {
    if (id === CORE_SETTINGS) return CORE_RULES;
    const {plugins} = this.#deps;
    const manifest = plugins.manifest(id);
    if (manifest !== undefined) return manifest.availableSettings;
    const [plugin, problems] = [id.slice(0, 64).toWellFormed(), plugins.problems(id)];
    throw new AppError(problems.length > 0 ? {code: 'invalid-plugin', plugin, problems} : {code: 'no-plugin', plugin});
  }

  #read(id: string): Promise<TypedEntry<unknown> | undefined> {
    return this.#deps.entries.get(PREFIX + id);
  }

  /** @returns False if the entry was changed since it was read and `retries` is true; if it is false, throws the conflict. */
  async #write(
    id: string,
    entry: TypedEntry<unknown> | undefined,
    stored: SettingValues,
    retries: boolean,
  ): Promise<boolean> {
    const {entries} = this.#deps;
    const isEmpty = Object.keys(stored).length === 0;
    if (isEmpty && entry === undefined) return true;
    try {
      if (isEmpty && entry !== undefined) await entries.delete(PREFIX + id, {expected: entry.revision});
      else await entries.putValue(PREFIX + id, stored, {expected: entry?.revision ?? 'absent'});
      return true;
    } catch (error) {
      const code = error instanceof AppError ? error.failure.code : undefined;
      if (retries && (code === 'revision-conflict' || code === 'no-entry')) return false;
      throw error;
    }
  }

  #follow(): PrefixFollower {
    const onChanged = (key: string): Promise<void> => this.#announce(key.slice(PREFIX.length));
    return new PrefixFollower({...this.#deps, prefix: PREFIX, onChanged});
  }

  /** Sends a background its settings. The client itself has no background, and a removed plugin has none any more. */
  async #announce(id: string): Promise<void> {
    const {plugins} = this.#deps;
    if (plugins.manifest(id) !== undefined) plugins.updateSettings(id, await this.get(id));
  }
}

/** Settings of the client that published plugins read, with the defaults of that client. */
const CORE_RULES: ReadonlyMap<string, PluginSetting> = new Map([
  ['darkMode', flag('Dark mode', false)],
  // Absent in that client: its window does not follow the system.
  ['darkWithSystem', {...flag('Dark when the system is', true), when: {key: 'darkMode', value: false}}],
  ['flashWindow', flag('Show the number of new notifications in the title of the window', true)],
  ['playSound', flag('Play sounds', true)],
  ['weightUnits', choice('Weight', {KGS: 'Kilograms', LBS: 'Pounds'})],
  ['altitudeUnits', choice('Altitude', {ft: 'Feet', m: 'Metres'})],
  ['landingDistanceUnits', choice('Landing distance', {m: 'Metres', ft: 'Feet'})],
  ['discordRichPresence', flag('Show the flight in Discord, in clients that can', false)],
  ['showAdvancedSettings', flag('Show advanced settings of plugins', false)],
]);

function flag(name: string, byDefault: boolean): PluginSetting {
  return {type: 'boolean', settingType: 'user', name, default: byDefault};
}

/** Creates a choice whose first option is the default. @param options Labels by value. */
function choice(name: string, options: Readonly<Record<string, string>>): PluginSetting {
  return {
    type: 'list',
    settingType: 'user',
    name,
    default: Object.keys(options)[0],
    options: new Map(Object.entries(options)),
  };
}
