import {FLIGHT_PHASES} from '../../domain/flight.ts';
import {SAMPLE_PILOT_NAMES} from '../../domain/pilots.ts';
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
    {line: 'crewroom plugin logs com.example.hello', purpose: 'its last log lines'},
    {line: 'crewroom plugin restart com.example.hello', purpose: 'end it and start it again'},
    {line: 'crewroom plugin set com.example.hello volume=7', purpose: 'change a setting'},
    {line: 'crewroom plugin install hello-1.1.0.zip', purpose: 'install it, or replace an older version'},
    {line: 'crewroom plugin remove com.example.hello', purpose: 'its files in the data directory stay'},
    {line: 'crewroom plugin check my-plugin', purpose: 'list all problems of a folder; exit code 1 if any'},
  ],
  notes: [
    'A VALUE that is JSON is stored as JSON, any other as text.',
    'The ID "core" stands for the settings of the client.',
    'If a new version does not start, the version before it is restored.',
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
    {name: 'PHASE', description: 'the phase to jump to', optional: true, choices: FLIGHT_PHASES},
  ],
  flags: {
    from: {placeholder: 'AIRPORT', description: 'airport of departure, such as EDDF'},
    to: {placeholder: 'AIRPORT', description: 'airport of arrival, such as LPMA'},
    speed: {placeholder: 'N', description: 'simulated seconds per second, 1 to 1000'},
    seed: {placeholder: 'N', description: 'the same number repeats a flight'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom flight start', purpose: 'from Frankfurt to Madeira, in real time'},
    {line: 'crewroom flight start --from EGLL --to KJFK --speed 60', purpose: 'a minute in a second'},
    {line: 'crewroom flight jump DESCENT', purpose: 'go to the beginning of a phase'},
    {line: 'crewroom flight pause', purpose: 'pause it; the same again continues it'},
    {line: 'crewroom flight disconnect', purpose: 'disconnect the simulator; again reconnects it'},
  ],
  notes: ['It replaces com.tfdidesign.flight-tracking, unless that plugin is installed.'],
} as const satisfies CommandSpec;

/** `crewroom pilot`. */
export const PILOT = {
  name: 'pilot',
  group: 'Plugins',
  summary: 'Switch among sample pilots',
  arguments: [
    {name: 'ACTION', description: 'list or use', choices: ['list', 'use']},
    {name: 'NAME', description: 'the sample pilot to serve', optional: true, choices: SAMPLE_PILOT_NAMES},
  ],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom pilot list', purpose: 'all sample pilots, and which is served'},
    {line: 'crewroom pilot use first-officer', purpose: 'serve this one; plugins are restarted for it'},
    {line: 'crewroom pilot use signed-out', purpose: 'no pilot is signed in'},
    {line: 'crewroom pilot use captain', purpose: 'serve the default one'},
  ],
  notes: ['The choice ends with the service.', 'A profile or a signed-in pilot is never replaced.'],
} as const satisfies CommandSpec;
