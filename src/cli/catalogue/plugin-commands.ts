import {SAMPLE_PILOT_NAMES} from '../../core/domain/identity/pilots.ts';
import {FLIGHT_PHASES} from '../../core/domain/plugins/flight.ts';
import {FAULT_KINDS} from '../../core/failures/failure.ts';
import {REQUESTS_FLAG, WITHOUT_LOG_FILE} from './service-commands.ts';
import {ADDRESS_SETTINGS, grouped, SNAPSHOT_FLAG} from './spec.ts';
import {NUMBER} from './value-forms.ts';

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
      {name: 'ACTION', choices: ['list', 'use']},
      {name: 'NAME', description: 'the sample pilot to serve', actions: ['use'], offers: SAMPLE_PILOT_NAMES},
    ],
    examples: [
      ['crewroom pilot list', 'all sample pilots, and which is served'],
      ['crewroom pilot use first-officer', 'serve this one; plugins are restarted for it'],
      ['crewroom pilot use signed-out', 'no pilot is signed in'],
      ['crewroom pilot use captain', 'serve the default one'],
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
      ['crewroom dev', 'the plugin in this folder, with the files in ui/ as its page'],
      [
        'crewroom dev --ui http://localhost:5173 -- npm run dev',
        'with the page of a dev server, which it starts and stops too',
      ],
      ['crewroom dev -- npm run build -- --watch', 'beside a build that writes the files'],
      ['crewroom dev --back-end sample', 'with a back end in memory, and a pilot signed in to it'],
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
      {name: 'ACTION', choices: PLUGIN_ACTIONS},
      {name: 'ID', description: 'the plugin, or a ZIP or folder; check and pack: this one', optional: true},
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
      ['crewroom plugin list', 'all plugins, their states and problems'],
      ['crewroom plugin logs com.example.hello', 'its last log lines'],
      ['crewroom plugin restart com.example.hello', 'end it and start it again'],
      ['crewroom plugin set com.example.hello volume=7', 'change a setting'],
      ['crewroom plugin install hello-1.1.0.zip', 'install it, or replace an older version'],
      ['crewroom plugin remove com.example.hello', 'its files in the data directory stay'],
      ['crewroom plugin new my-plugin', 'create a plugin with a page, a background and tests'],
      ['crewroom plugin types my-plugin', 'the types of its settings, for TypeScript'],
      ['crewroom plugin check', 'list all problems; exit code 6 if there are any'],
      ['crewroom plugin pack', 'check it, and write ID-VERSION.zip'],
      ['crewroom plugin adopt .', 'make the clone of a published plugin ready for npm install'],
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
      speed: {
        placeholder: 'N',
        description: 'simulated seconds per second, 1 to 1000',
        actions: ['start'],
        value: NUMBER,
      },
      seed: {placeholder: 'N', description: 'the same number repeats a flight', actions: ['start'], value: NUMBER},
      'landing-rate': {
        placeholder: 'FT/MIN',
        description: 'at touchdown, 20 to 2000',
        actions: ['start'],
        value: NUMBER,
      },
    },
    examples: [
      ['crewroom flight start', 'from Frankfurt to Madeira, in real time'],
      ['crewroom flight start --from EGLL --to KJFK --speed 60', 'a minute in a second'],
      ['crewroom flight start --number CAV100 --aircraft A320 --plan booking.json', 'a booked flight'],
      ['crewroom flight jump DESCENT', 'go to the beginning of a phase'],
      ['crewroom flight speed 60', 'a minute in a second from now on'],
      ['crewroom flight pause', 'pause it, until "flight continue"'],
      ['crewroom flight disconnect', 'disconnect the simulator, until "flight connect"'],
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
      ['crewroom fault', 'all faults that are on'],
      ['crewroom fault delay 500ms', 'each request of plugins takes half a second longer'],
      [`crewroom fault error busy --path '/api/store/*'`, 'requests for entries fail'],
      ['crewroom fault cut --path /api/events', 'event streams end, and cannot be opened again'],
      ['crewroom fault disk-full', 'writes fail; or store-read-only'],
      ['crewroom fault session-expired', 'no pilot is signed in; or airline-away'],
      ['crewroom fault clock 2h', 'entries expire two hours earlier; with start --ephemeral only'],
      ['crewroom fault clear', 'end all faults; "clear delay" those of one kind'],
    ],
    notes: [
      'Faults change answers, never what is kept, and end with the service.',
      'All apply until "clear". Paths outside of /api/ and /plugins/ always work.',
      'start --fault "delay 500ms --path /api/keys" switches one on from the start.',
    ],
  },
});
