import type {PluginSetting} from './plugin.ts';

/** Values of settings, by name. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** Id of the settings of the client itself. */
export const CORE_SETTINGS = 'core';

/** The port of the settings that a pilot makes: those of the client (`core`) and those of each plugin. */
export interface UserSettings extends AsyncDisposable {
  /** Returns all settings by id, `core` first, with defaults filled in. */
  all(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;

  /**
   * Returns the settings of `core` or of a plugin, with defaults filled in.
   *
   * @throws {AppError} `no-plugin`; `invalid-plugin` if it is broken.
   */
  get(id: string): Promise<Readonly<Record<string, unknown>>>;

  /**
   * Returns the settings that `core` or a plugin has, by name: those of the user, and those of the airline.
   *
   * @throws {AppError} `no-plugin`; `invalid-plugin` if it is broken.
   */
  available(id: string): ReadonlyMap<string, PluginSetting>;

  /**
   * Changes some settings; `null` restores a default. Atomic: either all changes are stored, or none.
   *
   * @returns All settings of the id, after the changes.
   * @throws {AppError} `no-plugin`; `invalid-plugin` if it is broken; `invalid-body` with each problem; every failure of writing an entry.
   */
  update(id: string, changes: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;

  /** Describes the stored values of a plugin that are invalid, and so read as the default; empty for unknown ids. */
  problems(id: string): Promise<readonly string[]>;

  /** Stops following the entries. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}
