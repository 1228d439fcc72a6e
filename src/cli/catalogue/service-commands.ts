import {SETTING_NAMES} from '../../platform/config/config.ts';
import {grouped} from './spec.ts';
import {COUNT, DURATION} from './value-forms.ts';

/** The requests that a service prints while it runs. */
export const REQUEST_CHOICES = ['all', 'refused', 'off'] as const;

/** One of {@link REQUEST_CHOICES}. */
export type RequestChoice = (typeof REQUEST_CHOICES)[number];

/** The flag of commands that run a service for people. */
export const REQUESTS_FLAG = {
  requests: {placeholder: 'WHICH', description: 'requests to print: all, refused or off', choices: REQUEST_CHOICES},
} as const;

/** Settings of commands that run a service for a while: two services must not rotate the same file. */
export const WITHOUT_LOG_FILE = SETTING_NAMES.filter(name => name !== 'logFile');

/** Commands of the service. */
export const SERVICE_COMMANDS = grouped('Service', {
  start: {
    summary: 'Start the service',
    flags: {
      newStoreId: {description: 'new id for the store, once after restoring its files'},
      detached: {description: 'start it without this terminal, and return once it serves'},
      json: {description: 'write JSON log lines on a terminal too'},
      ...REQUESTS_FLAG,
    },
    ownForms: true,
    settings: SETTING_NAMES,
    examples: [
      ['crewroom start', 'serve the sample identity on port 7172'],
      ['crewroom start --profile me.json', 'serve the identity in a file, and its changes'],
      ['crewroom start --ephemeral --port 0', 'in memory, on any free port: for tests'],
      ['crewroom start --dev-plugin ./my-plugin', 'run the plugin in this folder, and start it again when it changes'],
      ['crewroom start --allow-origin http://localhost:5173', 'for the page of a dev server'],
      ['crewroom start --requests all', 'print every request, not only refused ones'],
      ['crewroom start --log-file crewroom.log', 'keep the log in files of 5 MiB, at most five'],
    ],
    notes: [
      'On a terminal it prints text for people, and refused requests with what to do.',
      'The key h shows what other keys do there.',
      'Elsewhere it prints JSON log lines on stderr; --requests adds requests.',
    ],
  },
  play: {
    summary: 'Try it: a plugin, a pilot and a flight, in memory',
    flags: {noOpen: {description: 'do not open the console in the browser'}},
    ownForms: true,
    settings: ['host', 'port', 'logLevel'],
    examples: [
      ['crewroom play', 'shows in five steps what it does'],
      ['crewroom play --port 8000', 'on another port; 7172 or the next free one without it'],
    ],
    notes: ['Nothing is kept: no file stays, and all of it ends with Ctrl+C.'],
  },
  run: {
    summary: 'Run a command with a separate service',
    arguments: [
      {name: 'COMMAND', description: 'program and arguments; after -- if any begins with "-"', repeatable: true},
    ],
    ownForms: true,
    settings: WITHOUT_LOG_FILE,
    examples: [
      ['crewroom run -- npm test', 'tests, with a service in memory on a free port'],
      ['crewroom run --dev-plugin . -- npx vitest run', 'once the plugin in this folder runs'],
      [`crewroom run --profile me.json -- sh -c 'curl "$CREWROOM_URL/api/identity"'`, 'with your own identity'],
    ],
    notes: [
      'The command finds the service at CREWROOM_URL. Its exit code is returned.',
      'By default the service has a free port, and keeps everything in memory.',
    ],
  },
  status: {
    summary: 'Show whether the service runs, and its state',
    examples: [
      ['crewroom status', 'address, version, identity and store'],
      ['crewroom status --json', 'the same for programs; exit code 5 if nothing answers'],
    ],
  },
  console: {
    summary: 'Open the console as the owner of the service',
    flags: {
      print: {description: 'print the address with its code, and open nothing'},
      end: {description: 'end the rights of all open consoles'},
    },
    settings: ['host', 'port', 'dataDir'],
    examples: [
      ['crewroom console', 'open it in the browser'],
      ['crewroom console --print', 'print its address, for another browser'],
      ['crewroom console --end', 'open consoles only read from now on'],
      ['crewroom console --port 8000', 'of the service on another port'],
    ],
    notes: [
      'The address has a code, which is valid for a minute and once.',
      'Without it the console changes neither allowed origins nor plugins nor faults.',
    ],
  },
  access: {
    summary: 'Give plugins permissions',
    arguments: [
      {name: 'ACTION', choices: ['list', 'refused', 'grant', 'revoke']},
      {name: 'ID', description: 'the plugin', optional: true},
      {
        name: 'PERMISSION',
        description: 'what it permits; revoke without one takes all',
        actions: ['grant', 'revoke'],
        optional: true,
        repeatable: true,
      },
    ],
    flags: {dryRun: {description: 'only show what would be taken back', actions: ['revoke']}},
    settings: ['host', 'port', 'dataDir'],
    examples: [
      ['crewroom access list', 'plugins with permissions beside those that every plugin has'],
      ['crewroom access refused', 'what plugins were refused, with the permission that includes it'],
      ['crewroom access grant com.example.hello identity:secrets', 'let it read the session of the pilot'],
      [
        'crewroom access grant com.example.hello entries:read:com.example.other/',
        'let it read the entries of another plugin',
      ],
      ['crewroom access revoke com.example.hello', 'take all permissions back, and end its streams'],
    ],
    notes: [
      'They count with --access attributed and strict; in open, plugins may do all.',
      'Permissions are those of tokens: see "crewroom token --help".',
    ],
  },
  token: {
    summary: 'Create and revoke tokens of programs',
    arguments: [
      {name: 'ACTION', choices: ['create', 'list', 'revoke']},
      {name: 'NAME', description: 'the token to create or revoke', actions: ['create', 'revoke']},
    ],
    flags: {
      permission: {placeholder: 'PERMISSION', description: 'what it permits', repeatable: true, actions: ['create']},
      expires: {
        placeholder: 'TIME',
        description: 'how long it is valid, such as 12h or 30d',
        actions: ['create'],
        value: DURATION,
      },
      dryRun: {description: 'only show what would be revoked', actions: ['revoke']},
    },
    settings: ['host', 'port', 'dataDir'],
    examples: [
      [
        'crewroom token create backup --permission entries:read:',
        'prints the token of a program that may read all entries',
      ],
      [
        'crewroom token create a --permission entries:write:a/ --expires 30d',
        'write the entries below a/, for 30 days',
      ],
      ['crewroom token list', 'names, permissions and ends; tokens are shown once'],
      ['crewroom token revoke backup', 'refuse it from now on, and end its streams'],
    ],
    notes: [
      'Permissions for the identity: identity:read, identity:secrets, session:manage.',
      'For entries: entries:read:PREFIX, entries:write:PREFIX; a prefix ends in "/".',
      'For the rest: plugins:manage, flight:report, or admin for all but tokens.',
    ],
  },
  requests: {
    summary: 'Show the last requests that the service answered',
    flags: {
      follow: {description: 'show new ones too, until Ctrl+C'},
      refused: {description: 'only those that were refused, with what to do'},
    },
    examples: [
      ['crewroom requests', 'the last 1,000, the oldest first'],
      ['crewroom requests --follow --refused', 'what the service refuses, as it happens'],
    ],
    notes: ['Those of the console and files of pages are left out; --json has them, as "own".'],
  },
  wait: {
    summary: 'Wait until the service is ready',
    flags: {
      timeout: {placeholder: 'TIME', description: 'longest wait, such as 10s or 2m; default 30s', value: DURATION},
    },
    examples: [
      ['crewroom wait', 'before the first request of a script'],
      ['crewroom wait --port 8000 --timeout 2m', 'exit code 5 if it is not ready by then'],
    ],
  },
  stop: {
    summary: 'Stop the service that listens on a port',
    examples: [
      ['crewroom stop', 'requests in flight are finished first'],
      ['crewroom stop --port 8000', 'the service on another port'],
    ],
    notes: ['On Linux it sends SIGTERM to a service that does not answer for 5 seconds.'],
  },
  service: {
    summary: 'Start the service when you log in',
    arguments: [{name: 'ACTION', choices: ['install', 'status', 'logs', 'uninstall']}],
    flags: {
      lines: {placeholder: 'COUNT', description: 'log lines to show; default 100', actions: ['logs'], value: COUNT},
      dryRun: {description: 'only show what would be removed', actions: ['uninstall']},
    },
    settings: [],
    examples: [
      ['crewroom service install', 'let the system start it, now too'],
      ['crewroom service status', 'exit code 5 if it does not run'],
      ['crewroom service logs --lines 20', 'its last log lines'],
      ['crewroom service uninstall', 'stop it and undo that; data stays'],
    ],
    notes: [
      'By a unit of systemd, a launch agent on macOS, a Run value on Windows.',
      'It has the paths of Node and of Crewroom, and no variable and no secret.',
      'The service reads the config file.',
    ],
  },
});
