import {SAMPLE_PILOT_NAMES} from '../../core/domain/identity/pilots.ts';
import {FLIGHT_PHASES} from '../../core/domain/plugins/flight.ts';
import {FAULT_KINDS} from '../../core/failures/failure.ts';
import {REQUESTS_FLAG, WITHOUT_LOG_FILE} from './service-commands.ts';
import {ADDRESS_SETTINGS, grouped, SNAPSHOT_FLAG} from './spec.ts';

const PLUGIN_ACTIONS = [
  'list',
  'logs',
  'restart',
  'set',
  'install',
  'remove',
  'new',
  'types',
  'check',
  'pack',
  'adopt',
] as const;

/** Commands of plugins and of what tests them. */
export const PLUGIN_COMMANDS = grouped('Plugins', {
  pilot: {
    summary: 'Switch among sample pilots',
    arguments: [
      {name: 'ACTION', description: 'list or use', choices: ['list', 'use']},
      {name: 'NAME', description: 'the sample pilot to serve', actions: ['use'], offers: SAMPLE_PILOT_NAMES},
    ],
    examples: [
      {line: 'crewroom pilot list', purpose: 'all sample pilots, and which is served'},
      {line: 'crewroom pilot use first-officer', purpose: 'serve this one; plugins are restarted for it'},
      {line: 'crewroom pilot use signed-out', purpose: 'no pilot is signed in'},
      {line: 'crewroom pilot use captain', purpose: 'serve the default one'},
    ],
    notes: ['The choice ends with the service.', 'A profile or a signed-in pilot is never replaced.'],
  },
  dev: {
    summary: 'Run a plugin and follow its files',
    arguments: [{name: 'DIR', description: 'folder of the plugin; default: this one', optional: true}],
    command: {description: 'program to run beside it, such as a dev server or a build'},
    flags: {
      ui: {placeholder: 'URL', description: 'dev server of the page, in place of ui/'},
      backEnd: {placeholder: 'DATA', description: 'back end to develop against: "sample", or a file'},
      noOpen: {description: 'do not open the page in the browser'},
      json: {description: 'print JSON, for programs'},
      ...REQUESTS_FLAG,
    },
    ownForms: true,
    settings: WITHOUT_LOG_FILE,
    examples: [
      {line: 'crewroom dev', purpose: 'the plugin in this folder, with the files in ui/ as its page'},
      {
        line: 'crewroom dev --ui http://localhost:5173 -- npm run dev',
        purpose: 'with the page of a dev server, which it starts and stops too',
      },
      {line: 'crewroom dev -- npm run build -- --watch', purpose: 'beside a build that writes the files'},
      {line: 'crewroom dev --back-end sample', purpose: 'with a back end in memory, and a pilot signed in to it'},
    ],
    notes: [
      'The background is restarted when its files change.',
      'Everything is kept in memory, unless --data-dir names a directory.',
      'If port 7172 is taken, the next free one is used; the plugin needs no change.',
    ],
  },
  plugin: {
    summary: 'Show, install and make plugins',
    arguments: [
      {name: 'ACTION', description: PLUGIN_ACTIONS.join('|'), choices: PLUGIN_ACTIONS},
      {
        name: 'ID',
        description: 'the plugin, or a ZIP or folder; check and pack: this one',
        optional: true,
      },
      {name: 'NAME=VALUE', description: 'a setting; null restores its default', actions: ['set']},
    ],
    flags: {
      yes: {description: 'do not ask', actions: ['install', 'remove']},
      data: {description: 'delete the files of its background too', actions: ['remove']},
      ...SNAPSHOT_FLAG,
      id: {placeholder: 'ID', description: 'the id of the plugin', actions: ['new']},
      output: {placeholder: 'FILE', description: 'the file to write', actions: ['pack', 'types']},
      dryRun: {description: 'only show the changes', actions: ['adopt', 'remove']},
      force: {description: 'change files with uncommitted changes too', actions: ['adopt']},
    },
    settings: [...ADDRESS_SETTINGS, 'pluginsDir'],
    examples: [
      {line: 'crewroom plugin list', purpose: 'all plugins, their states and problems'},
      {line: 'crewroom plugin logs com.example.hello', purpose: 'its last log lines'},
      {line: 'crewroom plugin restart com.example.hello', purpose: 'end it and start it again'},
      {line: 'crewroom plugin set com.example.hello volume=7', purpose: 'change a setting'},
      {line: 'crewroom plugin install hello-1.1.0.zip', purpose: 'install it, or replace an older version'},
      {line: 'crewroom plugin remove com.example.hello', purpose: 'its files in the data directory stay'},
      {line: 'crewroom plugin new my-plugin', purpose: 'create a plugin with a page, a background and tests'},
      {line: 'crewroom plugin types my-plugin', purpose: 'the types of its settings, for TypeScript'},
      {line: 'crewroom plugin check', purpose: 'list all problems; exit code 6 if there are any'},
      {line: 'crewroom plugin pack', purpose: 'check it, and write ID-VERSION.zip'},
      {line: 'crewroom plugin adopt .', purpose: 'make the clone of a published plugin ready for npm install'},
    ],
    notes: [
      'A VALUE that is JSON is stored as JSON, any other as text.',
      'The ID "core" stands for the settings of the client.',
      'If a new version does not start, the version before it is restored.',
    ],
  },
  flight: {
    summary: 'Simulate a flight for plugins',
    arguments: [
      {
        name: 'ACTION',
        description: 'start|status|pause|continue|jump|speed|disconnect|connect|stop',
        choices: ['start', 'status', 'pause', 'continue', 'jump', 'speed', 'disconnect', 'connect', 'stop'],
      },
      {
        name: 'PHASE|SPEED',
        description: 'the phase to jump to, or the speed',
        actions: ['jump', 'speed'],
        offers: FLIGHT_PHASES,
      },
    ],
    flags: {
      from: {placeholder: 'AIRPORT', description: 'airport of departure, such as EDDF', actions: ['start']},
      to: {placeholder: 'AIRPORT', description: 'airport of arrival, such as LPMA', actions: ['start']},
      number: {placeholder: 'NUMBER', description: 'number of the flight, such as CAV100', actions: ['start']},
      aircraft: {placeholder: 'CODE', description: 'type of the aircraft, such as A320', actions: ['start']},
      plan: {placeholder: 'FILE', description: 'a booking as pages send it; flags win', actions: ['start']},
      speed: {placeholder: 'N', description: 'simulated seconds per second, 1 to 1000', actions: ['start']},
      seed: {placeholder: 'N', description: 'the same number repeats a flight', actions: ['start']},
      'landing-rate': {
        placeholder: 'FT/MIN',
        description: 'at touchdown, 20 to 2000 (by the seed)',
        actions: ['start'],
      },
    },
    examples: [
      {line: 'crewroom flight start', purpose: 'from Frankfurt to Madeira, in real time'},
      {line: 'crewroom flight start --from EGLL --to KJFK --speed 60', purpose: 'a minute in a second'},
      {line: 'crewroom flight start --number CAV100 --aircraft A320 --plan booking.json', purpose: 'a booked flight'},
      {line: 'crewroom flight jump DESCENT', purpose: 'go to the beginning of a phase'},
      {line: 'crewroom flight speed 60', purpose: 'a minute in a second from now on'},
      {line: 'crewroom flight pause', purpose: 'pause it, until "flight continue"'},
      {line: 'crewroom flight disconnect', purpose: 'disconnect the simulator, until "flight connect"'},
    ],
    notes: ['It replaces com.tfdidesign.flight-tracking, unless that plugin is installed.'],
  },
  fault: {
    summary: 'Switch faults on, to test plugins',
    arguments: [
      {
        name: 'ACTION',
        description: 'list, clear, or a fault to switch on',
        optional: true,
        choices: ['list', 'clear', ...FAULT_KINDS],
      },
      {name: 'ARGUMENT', description: 'time of delay or clock, code of error, kind to clear', optional: true},
    ],
    flags: {
      path: {placeholder: 'PATH', description: 'only requests of this path; * stands for any characters'},
      plugin: {placeholder: 'ID', description: 'only requests that this plugin sends'},
    },
    examples: [
      {line: 'crewroom fault', purpose: 'all faults that are on'},
      {line: 'crewroom fault delay 500ms', purpose: 'each request of plugins takes half a second longer'},
      {
        line: `crewroom fault error busy --path '/api/store/*'`,
        purpose: 'requests for entries fail',
      },
      {line: 'crewroom fault cut --path /api/events', purpose: 'event streams end, and cannot be opened again'},
      {line: 'crewroom fault disk-full', purpose: 'writes fail; or store-read-only'},
      {line: 'crewroom fault session-expired', purpose: 'no pilot is signed in; or airline-away'},
      {line: 'crewroom fault clock 2h', purpose: 'entries expire two hours earlier; with start --ephemeral only'},
      {line: 'crewroom fault clear', purpose: 'end all faults; "clear delay" those of one kind'},
    ],
    notes: [
      'Faults change answers, never what is kept, and end with the service.',
      'All apply until "clear". Paths outside of /api/ and /plugins/ always work.',
      'start --fault "delay 500ms --path /api/keys" switches one on from the start.',
    ],
  },
});
