import type {PluginId} from './plugin-id.ts';

/** Manifest of a plugin, `plugin.json`, checked and with defaults filled in. */
export interface PluginManifest {
  readonly id: PluginId;
  readonly name: string;
  readonly version: string;
  readonly type: 'user' | 'airline';
  readonly description: string;
  readonly organization?: string | undefined;
  /** Ids of the communities that the plugin was made for, as text; advisory. */
  readonly allowedCommunities: readonly string[];
  readonly pluginAPI?: string | undefined;
  readonly availableSettings: ReadonlyMap<string, PluginSetting>;
}

/** Setting that a plugin declares in its manifest. */
export interface PluginSetting {
  readonly type: 'boolean' | 'string' | 'number' | 'list';
  /** The party that sets the value. */
  readonly settingType: 'airline' | 'user';
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly required?: boolean | undefined;
  readonly advanced?: boolean | undefined;
  readonly order?: number | undefined;
  /** Shortest string, in characters. */
  readonly minLength?: number | undefined;
  /** Choices of a list, by value with their labels. */
  readonly options?: ReadonlyMap<string | number, string> | undefined;
  /** The setting applies only if another one has this value. */
  readonly when?: {readonly key: string; readonly value: unknown} | undefined;
}
