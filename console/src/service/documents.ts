/** A plugin, as `GET /api/plugins` answers it: the members that the console shows. */
export interface Plugin {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly description: string;
  /** A newer service may have more states: they are only shown. */
  readonly state: string;
  /** Why it is broken, waiting, restarting or stopped. */
  readonly reason?: string;
  readonly warnings: readonly string[];
  readonly inDevelopment: boolean;
  readonly hasPage: boolean;
  readonly hasBackground: boolean;
  /** Themes for which its page has a menu icon; absent if it has none. */
  readonly icons?: readonly string[];
  readonly directory: string;
  /** Changes with the folder, the manifest and the files of the background. */
  readonly stamp: string;
  /** Differs for each state of the files of a page in development; absent for installed plugins. */
  readonly page?: string;
}

/** Answer of `GET /api/plugins`. */
export interface PluginList {
  readonly plugins: readonly Plugin[];
  /** Directory of installed plugins; absent if there is none. */
  readonly directory?: string;
  readonly directoryProblem?: string;
}

/** Values of settings, by name. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** A setting, as `GET /api/settings/{id}/available` describes it. */
export interface Setting {
  readonly key: string;
  readonly type: 'boolean' | 'string' | 'number' | 'list';
  /** The party that sets the value. */
  readonly settingType: 'airline' | 'user';
  readonly name?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly required?: boolean;
  readonly advanced?: boolean;
  readonly order?: number;
  /** Shortest string, in characters. */
  readonly minLength?: number;
  readonly options?: readonly SettingOption[];
  /** The setting applies only if another one has this value. */
  readonly when?: {readonly key: string; readonly value: unknown};
}

/** A choice of a list. */
export interface SettingOption {
  readonly value: string | number;
  readonly label: string;
}

/** A line that a plugin logged. */
export interface LogLine {
  /** Time (RFC 3339, UTC). */
  readonly at: string;
  readonly level: string;
  readonly text: string;
}
