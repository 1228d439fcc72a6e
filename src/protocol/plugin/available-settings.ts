import type {PluginSetting} from '../../domain/plugins/plugin-manifest.ts';

/**
 * Formats the settings that a plugin has, as `GET /api/settings/{id}/available` answers them. An array, also for options: members of
 * an object whose names look like numbers would lose their order.
 */
export function formatAvailableSettings(settings: ReadonlyMap<string, PluginSetting>): string {
  const all = Array.from(settings, ([key, {options, ...setting}]) => ({
    key,
    ...setting,
    ...(options === undefined ? {} : {options: Array.from(options, ([value, label]) => ({value, label}))}),
  }));
  return JSON.stringify({settings: all});
}
