/** A plugin, as `GET /api/plugins` answers it: the members that the console shows. */
export interface Plugin {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly description: string;
  /** A newer service may have more states: they are only shown. */
  readonly state: string;
  /** Why it is broken, waiting, restarting, stopped or not built, or the first line of the error with which it runs. */
  readonly reason?: string;
  readonly error?: PluginError;
  readonly warnings: readonly string[];
  readonly inDevelopment: boolean;
  readonly hasPage: boolean;
  readonly hasBackground: boolean;
  /** Themes for which its page has a menu icon; absent if it has none. */
  readonly icons?: readonly string[];
  /** Routes of the background that runs. */
  readonly routes: readonly PluginRoute[];
  /** Label of the host name of its page; absent if it has none. */
  readonly label?: string;
  readonly directory: string;
  /** Directory for the files of its background; absent without one. */
  readonly storagePath?: string;
  /** How often its background ended by itself since the service started. */
  readonly ends: number;
  /** Start of the background that runs (RFC 3339, UTC). */
  readonly startedAt?: string;
  /** Resident memory of the background, in bytes, as it was last measured. */
  readonly memoryBytes?: number;
  /** Changes with the folder, the manifest and the files of the background. */
  readonly stamp: string;
  /** Differs for each state of the files of a page in development; absent for installed plugins. */
  readonly page?: string;
}

/** Error in the code of a plugin, or in its build. */
export interface PluginError {
  /** `build`, `load`, `onStart`, or a route, such as `GET greeting`. */
  readonly during: string;
  /** May have several lines. */
  readonly message: string;
  /** First place in the files of the plugin, if it is known. */
  readonly place?: string;
  /** Request that failed; absent if none did. */
  readonly request?: string;
}

/** A route of a background. */
export interface PluginRoute {
  /** `GET` or `POST`. */
  readonly method: string;
  readonly name: string;
  readonly description: string;
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

/** A fault that is switched on, as `GET /api/faults` answers it. The other members depend on its kind. */
export interface Fault extends Readonly<Record<string, unknown>> {
  readonly kind: string;
}

/** Answer of `/api/faults`. */
export interface FaultList {
  readonly faults: readonly Fault[];
}

/** Answer of `GET /api/session`. */
export interface Session {
  /** A newer service may have more states and sources. */
  readonly state: string;
  readonly source: string;
  /** Begin of the state (RFC 3339, UTC). */
  readonly since: string;
  /** The pilot and the airline in one line. */
  readonly summary?: string;
  readonly expiresAt?: string;
  readonly stale?: boolean;
  /** Address of the back end of the airline. */
  readonly scriptURL?: string;
  /** Place that keeps the session for the next start. */
  readonly kept?: string;
  readonly problem?: {readonly detail?: string; readonly advice?: string};
}

/** Answer of `GET /api`: the members that the console shows. */
export interface ServiceDocument {
  readonly version: string;
  readonly apiVersion: string;
  readonly storeId: string;
  /** The data directory; absent if the store is in memory. */
  readonly dataDir?: string;
}

/** Answer of `GET /api/pilots`. */
export interface PilotList {
  readonly pilots: readonly Pilot[];
  /** Name of the served pilot, if it is one of these. */
  readonly current?: string;
}

/** A sample pilot. */
export interface Pilot {
  readonly name: string;
  readonly description: string;
  readonly summary?: string;
}
