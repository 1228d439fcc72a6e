import {
  ALL_SETTINGS,
  AVAILABLE_SETTINGS,
  CLIENT_CONFIG,
  FLIGHT,
  FLIGHT_REPORT,
  INSTALLED,
  PLUGIN,
  PLUGIN_LIST,
  PLUGIN_LOGS,
  SETTING_VALUES,
} from '../../core/documents/answers/plugin-answers.ts';
import {DONE} from '../../core/documents/answers/store-answers.ts';
import {FAULT_LIST} from '../../core/documents/faults.ts';
import {FLIGHT_CHANGE, FLIGHT_FRAME, FLIGHT_OPTIONS} from '../../core/documents/flight.ts';
import {END_FAULTS_QUERY} from '../../core/documents/queries.ts';
import {FAULTS} from '../../core/documents/requests.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {ANY_JSON, JSON_BODY_FAILURES, type OperationDescription, type RequestBody, tagged} from './operation.ts';

/** Failures of writing an entry, and of calling a plugin. */
const WRITE: readonly FailureCode[] = [
  'revision-conflict',
  'disk-full',
  'store-read-only',
  'outcome-unknown',
  'entry-corrupt',
];
const CALL: readonly FailureCode[] = [
  'no-plugin-route',
  'no-resource',
  'plugin-failed',
  'plugin-ended',
  'plugin-timeout',
];

const FAULT_BODY: RequestBody = {
  description: 'Faults to switch on: with PUT all that are to be on.',
  schema: FAULTS.schema,
  example: {faults: [{kind: 'error', code: 'busy', path: '/api/store/*'}]},
};

/** Operations for plugins: those of this service, and those that published plugins expect of their client. */
export const PLUGIN_OPERATIONS = tagged('Plugins', {
  'GET /api/plugins': {
    operationId: 'listPlugins',
    summary: 'List all plugins with their states',
    answers: {200: {description: 'All plugins, broken ones too.', schema: PLUGIN_LIST}},
  },
  'GET /api/plugins/installed': {
    operationId: 'listInstalledPlugins',
    summary: 'List plugins in the form of published clients',
    answers: {200: {description: 'Plugins that are not broken.', schema: INSTALLED}},
  },
  'GET /api/plugins/{id}': {
    operationId: 'getPlugin',
    summary: 'Read the state of a plugin',
    answers: {200: {description: 'The plugin.', schema: PLUGIN}},
    failures: ['no-plugin'],
  },
  'GET /api/plugins/{id}/logs': {
    operationId: 'getPluginLogs',
    summary: 'Read the last log lines of a plugin',
    answers: {200: {description: 'Lines, oldest first; secrets are masked.', schema: PLUGIN_LOGS}},
    failures: ['no-plugin'],
  },
  'POST /api/plugins/{id}/restart': {
    operationId: 'restartPlugin',
    summary: 'End the background of a plugin, and start it again',
    answers: {200: {description: 'The plugin.', schema: PLUGIN}},
    failures: ['no-plugin', 'invalid-plugin', 'owner-required'],
  },
  'GET /api/{plugin}/{name}': {
    operationId: 'getFromPlugin',
    summary: 'Call a route of a plugin',
    description: 'Takes any parameters. The plugin chooses status, type and content of the answer.',
    answers: {200: {description: 'The answer of the plugin.', schema: 'Value'}},
    anyAnswer: 'Any other answer of the plugin.',
    failures: CALL,
  },
  'POST /api/{plugin}/{name}': {
    operationId: 'postToPlugin',
    summary: 'Call a route of a plugin with a body',
    description: 'Takes any parameters, and a body of any type up to 16 MiB.',
    body: ANY_JSON,
    answers: {200: {description: 'The answer of the plugin.', schema: 'Value'}},
    anyAnswer: 'Any other answer of the plugin.',
    failures: [...CALL, 'too-large plugin-request'],
  },
  'GET /api/settings': {
    operationId: 'listSettings',
    summary: 'Read the settings of the client (`core`) and of all plugins',
    answers: {200: {description: 'Settings by id, with defaults filled in.', schema: ALL_SETTINGS}},
    failures: ['entry-corrupt'],
  },
  'GET /api/settings/{id}': {
    operationId: 'getSettings',
    summary: 'Read the settings of the user for a plugin',
    answers: {200: {description: 'Settings, with defaults filled in.', schema: SETTING_VALUES}},
    failures: ['no-plugin', 'invalid-plugin', 'entry-corrupt'],
  },
  'PUT /api/settings/{id}': {
    operationId: 'putSettings',
    summary: 'Change some settings of the user for a plugin',
    description: 'Members are merged; null restores a default.',
    body: ANY_JSON,
    answers: {200: {description: 'All settings after the change.', schema: SETTING_VALUES}},
    failures: ['no-plugin', 'invalid-plugin', 'invalid-body', ...JSON_BODY_FAILURES, ...WRITE],
  },
  'GET /api/settings/{id}/available': {
    operationId: 'getAvailableSettings',
    summary: 'Read which settings a plugin has',
    description: 'Settings as its manifest declares them, in that order, or those of the client (`core`).',
    answers: {
      200: {description: 'Settings of the user and of the airline, without values.', schema: AVAILABLE_SETTINGS},
    },
    failures: ['no-plugin', 'invalid-plugin'],
  },
  'GET /api/config': {
    operationId: 'getClientConfig',
    summary: 'Read the configuration of the client',
    answers: {200: {description: 'The content of --plugin-config, or an empty object.', schema: CLIENT_CONFIG}},
  },
  'POST /api/log': request('log', 'Log a line: `{"message", "level"}`'),
  'POST /api/navigate': request('navigate', 'Ask the client to show a plugin: `{"pluginID", "payloadString"}`'),
  'POST /api/play-sound': request('playSound', 'Ask the client to play a sound: `{"url"}`'),
  'GET /api/play-sound/{sound}': {
    operationId: 'getSound',
    summary: 'Load a sound that a plugin asked to be played',
    description:
      'For the program that plays it, without credentials: in the modes `attributed` and `strict` the event `client-request` has such an address in place of a route of the plugin. The last 20 are valid.',
    answers: {200: {description: 'The answer of the plugin.', schema: 'Value'}},
    anyAnswer: 'Any other answer of the plugin.',
    failures: [...CALL, 'no-resource'],
  },
  'POST /api/stop-sound': request('stopSound', 'Ask the client to stop the sound'),
  'GET /api/flight': {
    operationId: 'getFlight',
    summary: 'Read the flight, and one that can be restored',
    answers: {200: {description: 'The flight, if there is one.', schema: FLIGHT}},
  },
  'POST /api/flight': {
    operationId: 'startFlight',
    summary: 'Start a simulated flight, in place of the present one; give a reported one its plan',
    body: {description: 'The flight to start.', schema: FLIGHT_OPTIONS, example: {from: 'EDDF', to: 'LPMA', speed: 60}},
    answers: {200: {description: 'The flight.', schema: FLIGHT}},
    failures: ['invalid-body', 'flight-reported', ...JSON_BODY_FAILURES],
  },
  'PATCH /api/flight': {
    operationId: 'changeFlight',
    summary: 'Pause, speed up, move or disconnect the simulated flight',
    body: {
      description: 'Members of the flight to change.',
      schema: FLIGHT_CHANGE,
      example: {isPaused: true, speed: 4},
    },
    answers: {200: {description: 'The flight after the change.', schema: FLIGHT}},
    failures: ['invalid-body', 'no-flight', 'flight-reported', ...JSON_BODY_FAILURES],
  },
  'DELETE /api/flight': {
    operationId: 'stopFlight',
    summary: 'End the flight, and forget the one that can be restored',
    answers: {200: {description: 'There is no flight.', schema: FLIGHT}},
  },
  'POST /api/flight/frames': {
    operationId: 'reportFrame',
    summary: 'Report a frame of the flight of a simulator',
    description: 'At most 60 a second. The reporter ends after 10 seconds without one; meanwhile another is refused.',
    body: {
      description: 'The figures of the flight at one moment, as far as the simulator has them.',
      schema: FLIGHT_FRAME,
      example: {timeSeconds: 12.5, simulator: 'FlightGear', latitude: 50.03, longitude: 8.57, onGround: true},
    },
    answers: {200: {description: 'The id of the reporter, and the phase.', schema: FLIGHT_REPORT}},
    failures: ['invalid-body', 'flight-reported', 'no-reporter', 'too-many-frames', ...JSON_BODY_FAILURES],
  },
  'GET /api/faults': {
    operationId: 'listFaults',
    summary: 'List the faults that are on',
    answers: {200: {description: 'The faults.', schema: FAULT_LIST}},
  },
  'PUT /api/faults': {
    operationId: 'setFaults',
    summary: 'Replace all faults, to test how plugins cope with them',
    description:
      'They end with the service. A fault changes answers, never what is kept. Only programs of this machine and the console of the owner may switch faults.',
    body: FAULT_BODY,
    answers: {200: {description: 'The faults that are on.', schema: FAULT_LIST}},
    failures: ['invalid-body', 'owner-required', ...JSON_BODY_FAILURES],
  },
  'POST /api/faults': {
    operationId: 'addFaults',
    summary: 'Switch faults on, beside those that are on',
    description: 'One that is on already is not added twice. Only callers that may replace all faults may add some.',
    body: FAULT_BODY,
    answers: {200: {description: 'All faults that are on.', schema: FAULT_LIST}},
    failures: ['invalid-body', 'owner-required', ...JSON_BODY_FAILURES],
  },
  'DELETE /api/faults': {
    operationId: 'clearFaults',
    summary: 'End all faults, or those of a kind',
    query: END_FAULTS_QUERY,
    answers: {200: {description: 'The faults that are still on.', schema: FAULT_LIST}},
    failures: ['owner-required'],
  },
});

/** Describes a request to the client, which becomes an event or a line of the log. */
function request(operationId: string, summary: string): OperationDescription {
  const answers = {200: {description: 'Accepted.', schema: DONE}};
  return {operationId, summary, body: ANY_JSON, answers, failures: JSON_BODY_FAILURES};
}
