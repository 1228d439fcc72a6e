import type {PluginSetting} from '../../domain/plugin-manifest.ts';

/** Id of the settings of the client itself. */
export const CORE = 'core';

/** Settings of the client that published plugins read, with the defaults of that client. */
export const CORE_SETTINGS: ReadonlyMap<string, PluginSetting> = new Map([
  ['darkMode', flag(false)],
  ['flashWindow', flag(true)],
  ['playSound', flag(true)],
  ['weightUnits', choice('KGS', 'LBS')],
  ['altitudeUnits', choice('ft', 'm')],
  ['landingDistanceUnits', choice('m', 'ft')],
  ['discordRichPresence', flag(false)],
  ['showAdvancedSettings', flag(false)],
]);

function flag(byDefault: boolean): PluginSetting {
  return {type: 'boolean', settingType: 'user', default: byDefault};
}

/** Creates a choice whose first option is the default. */
function choice(...options: readonly string[]): PluginSetting {
  return {
    type: 'list',
    settingType: 'user',
    default: options[0],
    options: new Map(options.map(option => [option, option])),
  };
}
