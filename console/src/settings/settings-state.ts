import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {Setting, SettingValues} from '../service/documents.ts';
import {CORE} from '../state/console-state.ts';
import type {Drafts} from '../state/drafts.ts';
import {Loaded, toCallFailure} from '../state/loaded.ts';

/** Result of the last attempt to save. */
export type SaveStatus =
  | {readonly kind: 'none' | 'saving' | 'saved'}
  | {readonly kind: 'failed'; readonly failure: CallFailure}
  /** Nothing was stored, since settings have problems, which are shown beside them. */
  | {readonly kind: 'incomplete'};

/** The settings of one id and what the user has changed in its form. Changes that another program makes meanwhile appear beside them. */
export class SettingsState {
  readonly available: Loaded<readonly Setting[]>;
  readonly values: Loaded<SettingValues>;
  /** Values that the user changed and did not save. */
  readonly draft: Signal<SettingValues | undefined>;
  readonly status: Signal<SaveStatus> = signal({kind: 'none'});
  /** Problems of settings, by their keys. */
  readonly problems: Signal<Readonly<Record<string, string>>> = signal({});
  /** Values as the form shows them. */
  readonly shown: ReadonlySignal<SettingValues>;
  readonly #path: string;

  constructor(id: string, drafts: Drafts) {
    this.draft = drafts.at(id === CORE ? {view: 'settings'} : {view: 'plugin', id, tab: 'settings'});
    this.#path = `/api/settings/${encodeURIComponent(id)}`;
    this.available = new Loaded(async () => {
      const {settings} = await callService<{readonly settings: readonly Setting[]}>(`${this.#path}/available`);
      return settings.toSorted((one, other) => (one.order ?? Number.MAX_VALUE) - (other.order ?? Number.MAX_VALUE));
    });
    this.values = new Loaded(() => callService<SettingValues>(this.#path));
    this.shown = computed(() => ({...this.values.value.value, ...this.draft.value}));
  }

  /** Loads the settings and their values. */
  async reload(): Promise<void> {
    await Promise.all([this.available.reload(), this.values.reload()]);
  }

  /** Changes a value in the form. */
  change(key: string, value: unknown): void {
    const isSaved = value === this.values.value.value?.[key];
    this.#keep([...this.#changes.filter(([each]) => each !== key), ...(isSaved ? [] : [[key, value] as const])]);
    this.problems.value = without(this.problems.value, key);
    // The form stays closed for another save until this one is answered.
    if (this.status.value.kind !== 'saving') this.status.value = {kind: 'none'};
  }

  /** Stores what the user changed, as far as it applies. */
  async save(): Promise<void> {
    const changes = this.#changes.filter(([key]) => this.#find(key) !== undefined);
    const problems = changes.flatMap(([key, value]) => findProblem(this.#find(key), key, value));
    if (problems.length === 0) return this.#send(Object.fromEntries(changes));
    this.problems.value = Object.fromEntries(problems);
    this.status.value = {kind: 'incomplete'};
  }

  /** Restores the defaults of all settings of the user, and discards what was not saved. */
  async restoreDefaults(): Promise<void> {
    const own = (this.available.value.value ?? []).filter(({settingType}) => settingType === 'user');
    await this.#send(Object.fromEntries(own.map(({key}) => [key, null])));
  }

  /** Discards what was not saved. */
  discard(): void {
    this.#keep([]);
    this.problems.value = {};
    this.status.value = {kind: 'none'};
  }

  get #changes(): readonly (readonly [key: string, value: unknown])[] {
    return Object.entries(this.draft.value ?? {});
  }

  #keep(changes: readonly (readonly [key: string, value: unknown])[]): void {
    this.draft.value = changes.length === 0 ? undefined : Object.fromEntries(changes);
  }

  /** Finds a setting of the user that applies to the values of the form. */
  #find(key: string): Setting | undefined {
    const setting = this.available.value.value?.find(each => each.key === key);
    return setting !== undefined && applies(setting, this.shown.value) ? setting : undefined;
  }

  async #send(changes: SettingValues): Promise<void> {
    const before = this.#changes;
    this.status.value = {kind: 'saving'};
    try {
      this.values.value.value = await callService<SettingValues>(this.#path, {method: 'PUT', body: changes});
      this.problems.value = {};
      // What the user has typed since then is not saved yet.
      this.#keep(this.#changes.filter(([key, value]) => !before.some(sent => sent[0] === key && sent[1] === value)));
      this.status.value = {kind: 'saved'};
    } catch (error) {
      const failure = toCallFailure(error);
      this.problems.value = problemsByKey(failure, Object.keys(changes));
      // Each problem is shown at its setting; only what is shown nowhere else is shown below the form.
      const areShown =
        failure.problems.length > 0 && failure.problems.length === Object.keys(this.problems.value).length;
      this.status.value = areShown ? {kind: 'incomplete'} : {kind: 'failed', failure};
    }
  }
}

/** Returns whether a setting applies, given the values of the others. */
export function applies({when}: Setting, values: SettingValues): boolean {
  return when === undefined || values[when.key] === when.value;
}

/** Finds what the form can know to be wrong; the service checks the rest. */
function findProblem(setting: Setting | undefined, key: string, value: unknown): [string, string][] {
  if (setting?.type === 'number' && typeof value !== 'number') return [[key, 'is not a number']];
  if (setting?.required && value === '') return [[key, 'is required']];
  return [];
}

/** Returns the problems of a failure by the keys of the settings: a path is that of one member of the body. */
function problemsByKey({problems}: CallFailure, keys: readonly string[]): Readonly<Record<string, string>> {
  const found = keys.flatMap(key =>
    problems
      .filter(({path}) => path === `$.${key}` || path === `$[${JSON.stringify(key)}]`)
      .map(({problem}) => [key, problem] as const),
  );
  return Object.fromEntries(found);
}

function without<T>(members: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
}
