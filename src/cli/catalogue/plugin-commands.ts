import {FLIGHT_PHASES} from '../../domain/flight.ts';
import {ADDRESS_SETTINGS, type CommandSpec, JSON_FLAG} from './spec.ts';

/** `crewroom plugin`. */
export const PLUGIN = {
  name: 'plugin',
  group: 'Plugins',
  summary: 'Show and configure plugins',
  arguments: [
    {name: 'ACTION', description: 'list, logs, restart or set', choices: ['list', 'logs', 'restart', 'set']},
    {name: 'ID', description: 'the plugin; "core" has the settings of the client', optional: true},
    {name: 'NAME=VALUE', description: 'a setting; null restores its default', optional: true},
  ],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom plugin list', purpose: 'all plugins, their states and problems'},
    {line: 'crewroom plugin logs com.example.hello', purpose: 'what it logged last'},
    {line: 'crewroom plugin restart com.example.hello', purpose: 'end it and start it again'},
    {line: 'crewroom plugin set com.example.hello volume=7', purpose: 'change a setting of the user'},
  ],
  notes: ['A VALUE that is JSON is taken as such, anything else as text.'],
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
