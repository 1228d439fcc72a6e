import {FLIGHT_PHASES} from '../../domain/flight.ts';
import {ADDRESS_SETTINGS, type CommandSpec, JSON_FLAG} from './spec.ts';

const PLUGIN_ACTIONS = ['list', 'logs', 'restart', 'set', 'install', 'remove', 'check'] as const;

/** `crewroom plugin`. */
export const PLUGIN = {
  name: 'plugin',
  group: 'Plugins',
  summary: 'Show, set and install plugins',
  arguments: [
    {name: 'ACTION', description: PLUGIN_ACTIONS.join(', '), choices: PLUGIN_ACTIONS},
    {name: 'ID', description: 'the plugin; a ZIP or folder for install, a folder for check', optional: true},
    {name: 'NAME=VALUE', description: 'a setting; null restores its default', optional: true},
  ],
  flags: {
    yes: {description: 'install or remove without asking'},
    data: {description: 'with remove: delete the files of its background too'},
    ...JSON_FLAG,
  },
  settings: [...ADDRESS_SETTINGS, 'dataDir', 'plugins'],
  examples: [
    {line: 'crewroom plugin list', purpose: 'all plugins, their states and problems'},
    {line: 'crewroom plugin logs com.example.hello', purpose: 'what it logged last'},
    {line: 'crewroom plugin restart com.example.hello', purpose: 'end it and start it again'},
    {line: 'crewroom plugin set com.example.hello volume=7', purpose: 'change a setting'},
    {line: 'crewroom plugin install hello-1.1.0.zip', purpose: 'install it, or replace an older version'},
    {line: 'crewroom plugin remove com.example.hello', purpose: 'its files in the data directory stay'},
    {line: 'crewroom plugin check my-plugin', purpose: 'every problem of a folder; exit code 1 if any'},
  ],
  notes: [
    'A VALUE that is JSON is taken as such, anything else as text.',
    'The ID "core" has the settings of the client.',
    'A version that does not start is replaced by the one before it.',
  ],
} as const satisfies CommandSpec;

/** `crewroom flight`. */
export const FLIGHT = {
  name: 'flight',
  group: 'Plugins',
  summary: 'Simulate a flight for plugins',
  arguments: [
    {
      name: 'ACTION',
      description: 'start, status, pause, jump, disconnect or stop',
      choices: ['start', 'status', 'pause', 'jump', 'disconnect', 'stop'],
    },
    {name: 'PHASE', description: 'where to jump', optional: true, choices: FLIGHT_PHASES},
  ],
  flags: {
    from: {placeholder: 'AIRPORT', description: 'airport of departure, such as EDDF'},
    to: {placeholder: 'AIRPORT', description: 'airport of arrival, such as LPMA'},
    speed: {placeholder: 'N', description: 'simulated seconds per second, 1 to 1000'},
    seed: {placeholder: 'N', description: 'repeats a flight'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom flight start', purpose: 'from Frankfurt to Madeira, in real time'},
    {line: 'crewroom flight start --from EGLL --to KJFK --speed 60', purpose: 'a minute in a second'},
    {line: 'crewroom flight jump DESCENT', purpose: 'go to the beginning of a phase'},
    {line: 'crewroom flight pause', purpose: 'stop its time; once more continues it'},
    {line: 'crewroom flight disconnect', purpose: 'lose the simulator; once more connects it again'},
  ],
  notes: ['It stands in for com.tfdidesign.flight-tracking, unless that is installed.'],
} as const satisfies CommandSpec;
