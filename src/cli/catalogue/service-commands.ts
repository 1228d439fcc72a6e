import {SETTING_NAMES} from '../../config/config.ts';
import {ADDRESS_SETTINGS, type CommandSpec, JSON_FLAG} from './spec.ts';

/** The requests that a service prints while it runs. */
export const REQUEST_CHOICES = ['all', 'refused', 'off'] as const;

/** One of {@link REQUEST_CHOICES}. */
export type RequestChoice = (typeof REQUEST_CHOICES)[number];

/** The flag of commands that run a service for people. */
export const REQUESTS_FLAG = {
  requests: {placeholder: 'WHICH', description: 'requests to print: all, refused or off', choices: REQUEST_CHOICES},
} as const;

/** Settings of commands that run a service for a while: two services must not rotate the same file. */
const WITHOUT_LOG_FILE = SETTING_NAMES.filter(name => name !== 'logFile');

/** `crewroom start`. */
export const START_SPEC = {
  name: 'start',
  group: 'Service',
  summary: 'Start the service',
  arguments: [],
  flags: {
    newStoreId: {description: 'new id for the store, once after restoring its files'},
    detached: {description: 'start it without this terminal, and return once it serves'},
    json: {description: 'write JSON log lines on a terminal too'},
    ...REQUESTS_FLAG,
  },
  settings: SETTING_NAMES,
  examples: [
    {line: 'crewroom start', purpose: 'serve the sample identity on port 7172'},
    {line: 'crewroom start --profile me.json', purpose: 'serve the identity in a file, and its changes'},
    {line: 'crewroom start --ephemeral --port 0', purpose: 'in memory, on any free port: for tests'},
    {
      line: 'crewroom start --plugin ./my-plugin',
      purpose: 'run the plugin in this folder, and start it again when it changes',
    },
    {line: 'crewroom start --allow-origin http://localhost:5173', purpose: 'for the page of a dev server'},
    {line: 'crewroom start --requests all', purpose: 'print every request, not only refused ones'},
    {line: 'crewroom start --log-file crewroom.log', purpose: 'keep the log in files of 5 MiB, at most five'},
  ],
  notes: [
    'On a terminal it prints text for people, and refused requests with what to do.',
    'The key h shows what other keys do there.',
    'Elsewhere it prints JSON log lines on stderr; --requests adds requests.',
  ],
} as const satisfies CommandSpec;

/** `crewroom dev`. */
export const DEV_SPEC = {
  name: 'dev',
  group: 'Plugins',
  summary: 'Run a plugin and follow its files',
  arguments: [{name: 'DIR', description: 'folder of the plugin; default: this one', optional: true}],
  command: {description: 'program to run beside it, such as a dev server or a build'},
  flags: {
    ui: {placeholder: 'URL', description: 'dev server of the page, in place of ui/'},
    noOpen: {description: 'do not open the page in the browser'},
    json: {description: 'print JSON, for programs'},
    ...REQUESTS_FLAG,
  },
  settings: WITHOUT_LOG_FILE,
  examples: [
    {line: 'crewroom dev', purpose: 'the plugin in this folder, with the files in ui/ as its page'},
    {
      line: 'crewroom dev --ui http://localhost:5173 -- npm run dev',
      purpose: 'with the page of a dev server, which it starts and stops too',
    },
    {line: 'crewroom dev -- npm run build -- --watch', purpose: 'beside a build that writes the files'},
  ],
  notes: [
    'The background is restarted when its files change.',
    'Everything is kept in memory, unless --data-dir names a directory.',
    'If port 7172 is taken, the next free one is used; the plugin needs no change.',
  ],
} as const satisfies CommandSpec;

/** `crewroom console`. */
export const CONSOLE_SPEC = {
  name: 'console',
  group: 'Service',
  summary: 'Open the console as the owner of the service',
  arguments: [],
  flags: {noOpen: {description: 'only print the address'}, ...JSON_FLAG},
  settings: ['host', 'port', 'dataDir'],
  examples: [
    {line: 'crewroom console', purpose: 'print its address, and on a terminal open it'},
    {line: 'crewroom console --port 8000', purpose: 'of the service on another port'},
  ],
  notes: [
    'The address has a code, which is valid for a minute and once.',
    'Without it the console changes neither allowed origins nor plugins nor faults.',
  ],
} as const satisfies CommandSpec;

/** `crewroom status`. */
export const STATUS_SPEC = {
  name: 'status',
  group: 'Service',
  summary: 'Show whether the service runs, and its state',
  arguments: [],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom status', purpose: 'address, version, identity and store'},
    {line: 'crewroom status --json', purpose: 'the same for programs; exit code 5 if nothing answers'},
  ],
} as const satisfies CommandSpec;

/** `crewroom requests`. */
export const REQUESTS_SPEC = {
  name: 'requests',
  group: 'Service',
  summary: 'Show the last requests that the service answered',
  arguments: [],
  flags: {
    follow: {description: 'show new ones too, until Ctrl+C'},
    refused: {description: 'only those that were refused, with what to do'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom requests', purpose: 'the last 1,000, the oldest first'},
    {line: 'crewroom requests --follow --refused', purpose: 'what the service refuses, as it happens'},
  ],
  notes: ['Where it does not print to a terminal it prints JSON, one request on a line.'],
} as const satisfies CommandSpec;

/** `crewroom wait`. */
export const WAIT_SPEC = {
  name: 'wait',
  group: 'Service',
  summary: 'Wait until the service is ready',
  arguments: [],
  flags: {timeout: {placeholder: 'TIME', description: 'longest wait, such as 10s or 2m; default 30s'}},
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom wait', purpose: 'before the first request of a script'},
    {line: 'crewroom wait --port 8000 --timeout 2m', purpose: 'exit code 5 if it is not ready by then'},
  ],
} as const satisfies CommandSpec;

/** `crewroom stop`. */
export const STOP_SPEC = {
  name: 'stop',
  group: 'Service',
  summary: 'Stop the service that listens on a port',
  arguments: [],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom stop', purpose: 'requests in flight are finished first'},
    {line: 'crewroom stop --port 8000', purpose: 'the service on another port'},
  ],
  notes: ['On Linux it sends SIGTERM to a service that does not answer for 5 seconds.'],
} as const satisfies CommandSpec;

/** `crewroom run`. */
export const RUN_SPEC = {
  name: 'run',
  group: 'Service',
  summary: 'Run a command with a separate service',
  arguments: [
    {name: 'COMMAND', description: 'program and arguments; after -- if any begins with "-"', repeatable: true},
  ],
  flags: {},
  settings: WITHOUT_LOG_FILE,
  examples: [
    {line: 'crewroom run -- npm test', purpose: 'tests, with a service in memory on a free port'},
    {line: 'crewroom run --plugin . -- npx vitest run', purpose: 'once the plugin in this folder runs'},
    {
      line: `crewroom run --profile me.json -- sh -c 'curl "$CREWROOM_URL/api/identity"'`,
      purpose: 'with your own identity',
    },
  ],
  notes: [
    'The command finds the service at CREWROOM_URL. Its exit code is returned.',
    'By default the service has a free port, and keeps everything in memory.',
  ],
} as const satisfies CommandSpec;

/** `crewroom sign-in`. */
export const SIGN_IN_SPEC = {
  name: 'sign-in',
  group: 'Service',
  summary: 'Sign in at your airline',
  arguments: [],
  flags: {
    scriptUrl: {placeholder: 'URL', description: 'back end of the airline, if none is configured'},
    username: {placeholder: 'NAME', description: 'pilot number or e-mail address'},
    passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom sign-in', purpose: 'asks for the address, name and password'},
    {line: 'crewroom sign-in --script-url https://air.example/back-end/', purpose: 'at this airline'},
    {line: 'pass show airline | crewroom sign-in --username 1', purpose: 'with the password from a program'},
  ],
  notes: [
    'The service has to run. The password is sent once and never stored.',
    'There is no flag or variable for it: other programs could read those.',
  ],
} as const satisfies CommandSpec;

/** `crewroom sign-out`. */
export const SIGN_OUT_SPEC = {
  name: 'sign-out',
  group: 'Service',
  summary: 'Sign out, and delete the session',
  arguments: [],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [{line: 'crewroom sign-out', purpose: 'deletes the session wherever it is kept'}],
} as const satisfies CommandSpec;

/** `crewroom doctor`. */
export const DOCTOR_SPEC = {
  name: 'doctor',
  group: 'Service',
  summary: 'Look for problems, and say how to fix them',
  arguments: [],
  flags: {
    ...JSON_FLAG,
    deep: {description: 'verify the checksum of every entry too'},
    scriptUrl: {placeholder: 'URL', description: 'check the back end of an airline instead'},
    username: {placeholder: 'NAME', description: 'sign in there as this pilot'},
    passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
  },
  settings: SETTING_NAMES,
  examples: [
    {line: 'crewroom doctor', purpose: 'check Node, settings, port, data directory, profile and service'},
    {line: 'crewroom doctor --deep', purpose: 'read every entry and name those that are corrupt'},
    {line: 'crewroom doctor --script-url https://air.example/back-end/', purpose: 'check the back end of an airline'},
    {
      line: 'crewroom doctor --script-url https://air.example/back-end/ --username 1',
      purpose: 'sign in there, verify, resume and read too',
    },
  ],
  notes: ['Exit code 1 if there is a problem; warnings do not count.'],
} as const satisfies CommandSpec;
