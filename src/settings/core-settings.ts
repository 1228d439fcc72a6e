import type {PluginSetting} from '../domain/plugins/plugin-manifest.ts';

/** Id of the settings of the client itself. */
export const CORE = 'core';

/** Settings of the client that published plugins read, with the defaults of that client. */
export const CORE_SETTINGS: ReadonlyMap<string, PluginSetting> = new Map([
  ['darkMode', flag('Dark mode', false)],
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
