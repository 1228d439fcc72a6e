import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {Entries} from '../../core/domain/entries/entries.ts';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {listAll} from '../../core/domain/entries/list-all.ts';
import type {TypedEntry} from '../../core/domain/entries/typed-entry.ts';
import type {PluginSetting, ServedPlugins} from '../../core/domain/plugins/plugin.ts';
import {CORE_SETTINGS, type SettingValues, type UserSettings} from '../../core/domain/plugins/user-settings.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {isObject, membersOf} from '../../core/json/members.ts';
import {wait} from '../../core/time/wait.ts';
import {fillIn, mergeChanges, type SettingRules} from './setting-rules.ts';

export interface UserSettingsDeps extends Pick<CommonDeps, 'log' | 'timers'> {
  readonly entries: Pick<Entries, 'get' | 'list' | 'put' | 'delete'>;
  readonly store: Pick<Store, 'onChange'>;
  readonly plugins: Pick<ServedPlugins, 'list' | 'problems' | 'find' | 'onState'>;
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
        throw new AppError({code: 'invalid-body', what: 'settings', plugin: id, problems: merged.problems});
      if (await this.#write(id, entry, merged.stored, attempt < ATTEMPTS_MAX))
        return fillIn(rules, merged.stored).values;
    }
  }

  async problems(id: string): Promise<readonly string[]> {
    const manifest = this.#deps.plugins.find(id)?.manifest;
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
    const manifest = plugins.find(id)?.manifest;
    if (manifest !== undefined) return manifest.availableSettings;
    const [plugin, problems] = [id.slice(0, 64).toWellFormed(), plugins.problems(id)];
    throw new AppError(problems.length > 0 ? {code: 'invalid-plugin', plugin, problems} : {code: 'no-plugin', plugin});
  }

  #read(id: string): Promise<TypedEntry<unknown> | undefined> {
    return this.#deps.entries.get(PREFIX + id);
  }

  /** @returns False if the entry was changed since it was read and `retries` is true; if false, throws the conflict. */
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
      else await entries.put(PREFIX + id, stored, {expected: entry?.revision ?? 'absent'});
      return true;
    } catch (error) {
      if (retries && (isFailure(error, 'revision-conflict') || isFailure(error, 'no-entry'))) return false;
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
    if (plugins.find(id)?.manifest === undefined) return;
    const settings = await this.get(id);
    plugins.find(id)?.updateSettings(settings);
  }
}

const SHOWN = {settingType: 'user', required: false, advanced: false} as const;

/** Settings of the client that published plugins read, with the defaults of that client. */
const CORE_RULES: ReadonlyMap<string, PluginSetting> = new Map([
  ['darkMode', flag('Dark mode', false)],
  // Absent in that client: its window does not follow the system.
  ['darkWithSystem', {...flag('Dark when the system is', true), when: {key: 'darkMode', value: false}}],
  ['flashWindow', flag('Show the number of new notifications in the title of the window', true)],
  ['playSound', flag('Play sounds', true)],
  ['plainKeys', flag('Shortcuts without Ctrl or Cmd: / and ?', true)],
  ['weightUnits', choice('Weight', {KGS: 'Kilograms', LBS: 'Pounds'})],
  ['altitudeUnits', choice('Altitude', {ft: 'Feet', m: 'Metres'})],
  ['landingDistanceUnits', choice('Landing distance', {m: 'Metres', ft: 'Feet'})],
  ['discordRichPresence', flag('Show the flight in Discord, in clients that can', false)],
  ['showAdvancedSettings', flag('Show advanced settings of plugins', false)],
]);

function flag(name: string, byDefault: boolean): PluginSetting {
  return {...SHOWN, type: 'boolean', name, default: byDefault};
}

/** Creates a choice whose first option is the default. @param options Labels by value. */
function choice(name: string, options: Readonly<Record<string, string>>): PluginSetting {
  return {
    ...SHOWN,
    type: 'list',
    name,
    default: Object.keys(options)[0],
    options: new Map(Object.entries(options)),
  };
}

export interface PrefixFollowerDeps extends Pick<CommonDeps, 'log' | 'timers'> {
  readonly store: Pick<Store, 'onChange'>;
  readonly entries: Pick<Entries, 'list'>;
  readonly prefix: string;
  /** Called with each key that was written, deleted or has expired. */
  readonly onChanged: (key: string) => Promise<void>;
}

/**
 * Time from the first change until the entries are compared, in milliseconds. A subscriber would see each change
 * at once, and cost each write of any entry a tenth more.
 */
const COMPARED_AFTER_MS = 100;

/** Follows the few entries under a prefix. Changes of the same entry that are close together are one. */
export class PrefixFollower implements AsyncDisposable {
  readonly #deps: PrefixFollowerDeps;
  readonly #stopListening: () => void;
  readonly #revisions: Promise<Map<string, Revision>>;
  #cancel: (() => void) | undefined;
  #comparing: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(deps: PrefixFollowerDeps) {
    this.#deps = deps;
    this.#revisions = this.#readPatiently();
    // A damaged entry is reported by the first comparison, and must not end the process before.
    this.#revisions.catch(() => {});
    this.#stopListening = deps.store.onChange(changes => {
      if (changes?.some(({key}) => key.startsWith(deps.prefix)) ?? true) this.#schedule();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await this.#comparing;
    await this.#revisions.catch(() => {});
  }

  #close(): void {
    this.#closing.abort();
    this.#stopListening();
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancel ??= this.#deps.timers.after(COMPARED_AFTER_MS, () => {
      this.#cancel = undefined;
      this.#comparing = this.#comparing.then(() => this.#compare());
    });
  }

  async #compare(): Promise<void> {
    const {log, prefix, onChanged} = this.#deps;
    try {
      const known = await this.#revisions;
      const now = await this.#readRevisions();
      for (const key of new Set([...known.keys(), ...now.keys()])) {
        if (this.#closing.signal.aborted || known.get(key) === now.get(key)) continue;
        await onChanged(key);
        const revision = now.get(key);
        // What was not reported, since the store became unavailable, is compared again.
        if (revision === undefined) known.delete(key);
        else known.set(key, revision);
      }
    } catch (error) {
      if (isFailure(error, 'unavailable')) return this.#schedule();
      if (!isFailure(error, 'store-closed')) log.error('cannot follow entries', {prefix, error});
      this.#close();
    }
  }

  /** Reads revisions, again after a pause while the store is unavailable. */
  async #readPatiently(): Promise<Map<string, Revision>> {
    for (;;) {
      try {
        return await this.#readRevisions();
      } catch (error) {
        if (!isFailure(error, 'unavailable') || this.#closing.signal.aborted) throw error;
      }
      await wait(COMPARED_AFTER_MS, {timers: this.#deps.timers, signals: [this.#closing.signal]});
    }
  }

  async #readRevisions(): Promise<Map<string, Revision>> {
    const revisions = new Map<string, Revision>();
    for await (const {key, revision} of listAll(this.#deps.entries, {prefix: this.#deps.prefix}))
      revisions.set(key, revision);
    return revisions;
  }
}
