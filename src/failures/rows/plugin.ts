import type {FailureIn} from '../members/members.ts';
import type {PLUGIN_MEMBERS} from '../members/plugin.ts';
import type {Rows} from './row.ts';
import {quote} from './words.ts';

/** Failures of plugins, and of what tests them. */
export const PLUGIN_ROWS: Rows<FailureIn<typeof PLUGIN_MEMBERS>> = {
  'no-plugin': {
    status: 404,
    exit: 'notFound',
    expected: true,
    text: ({plugin}) => `Cannot find the plugin ${quote(plugin)}: no plugin has this id`,
    advice: '"crewroom plugin list" and GET /api/plugins name all plugins; ids are exact',
    when: 'A path under `/api/plugins/` or a command names a plugin that does not exist. See [Installed plugins](plugins-for-owners.md).',
    example: {plugin: 'com.example.plugin'},
  },
  'invalid-plugin': {
    status: 422,
    heading: ({plugin}) => `Cannot use the plugin ${quote(plugin)}`,
    advice: 'Correct the named problems; "crewroom plugin check DIR" checks the folder of a plugin',
    when: 'The folder or the manifest of a plugin is wrong, so nothing of it runs; `problems` has the path of each in `plugin.json`, or `$` for the folder. See [Installed plugins](plugins-for-owners.md).',
    example: {plugin: 'com.example.plugin', problems: [{path: '$.name', problem: 'is missing'}]},
  },
  'invalid-plugin-settings': {
    status: 422,
    exit: 'usage',
    heading: ({plugin}) => `Cannot change the settings of ${quote(plugin)}`,
    advice: 'See availableSettings in the plugin.json of the plugin for its settings; nothing was changed',
    when: 'A change of settings has an unknown setting, or a value that does not fit; `problems` has the path of each. See [Installed plugins](plugins-for-owners.md).',
    example: {plugin: 'com.example.plugin', problems: [{path: '$.volume', problem: 'is not a number'}]},
  },
  'no-plugin-route': {
    status: 404,
    exit: 'notFound',
    text: ({plugin, route, problem}) => `Cannot call ${quote(route)} of ${quote(plugin)}: ${problem}`,
    advice: '"crewroom plugin list" shows the state and the routes of each plugin',
    when: 'No plugin has this id, it has not started, or it has no such route for this method; `problem` names the case. See [Routes](plugins.md#routes).',
    example: {plugin: 'com.example.plugin', route: 'GET example', problem: 'the plugin has not started'},
  },
  'plugin-request-too-large': {
    status: 413,
    text: ({sizeBytesMax}) => `Cannot call the plugin: the body is larger than ${sizeBytesMax} bytes`,
    advice: 'Send it to the plugin in parts',
    when: 'The body of a request to a route of a plugin is larger than 16 MiB. See [Routes](plugins.md#routes).',
    example: {sizeBytesMax: 1_048_576},
  },
  'plugin-busy': {
    status: 503,
    text: ({plugin, requestsMax}) =>
      `Cannot call the plugin ${quote(plugin)}: ${requestsMax} requests to it are in progress`,
    advice: 'Wait for answers before sending more requests to this plugin',
    when: 'The maximum number of requests to one plugin (64) is in progress. See [Routes](plugins.md#routes).',
    example: {plugin: 'com.example.plugin', requestsMax: 64},
  },
  'plugin-failed': {
    status: 500,
    text: ({plugin, route, problem, place}) =>
      `Cannot call ${quote(route)} of ${quote(plugin)}: ${problem}${place === undefined ? '' : ` (${place})`}`,
    advice: 'Look at "crewroom plugin logs ID"; the author of the plugin can fix it',
    when: 'The route of a plugin threw an error or gave an answer that cannot be sent; `place` is the first place in its own code, if it is known. See [Routes](plugins.md#routes).',
    example: {plugin: 'com.example.plugin', route: 'GET example', problem: 'TypeError: no wind'},
  },
  'plugin-timeout': {
    status: 504,
    text: ({plugin, route, timeoutMs}) =>
      `Cannot wait longer for ${quote(route)} of ${quote(plugin)}: no answer within ${timeoutMs} ms`,
    advice: 'Look at "crewroom plugin logs ID"; the request may still have had an effect',
    when: 'The route of a plugin did not answer within 30 seconds. See [Routes](plugins.md#routes).',
    example: {plugin: 'com.example.plugin', route: 'GET example', timeoutMs: 30_000},
  },
  'plugin-ended': {
    status: 503,
    text: ({plugin, route}) => `Cannot call ${quote(route)} of ${quote(plugin)}: its process ended before it answered`,
    advice: 'Try again in a moment: the plugin is being restarted; "crewroom plugin logs ID" shows its last lines',
    when: 'The process of a plugin ended before its route answered. See [Routes](plugins.md#routes).',
    example: {plugin: 'com.example.plugin', route: 'GET example'},
  },
  'dev-server-failed': {
    status: 502,
    text: ({url, problem}) => `Cannot get the page from the dev server at ${url}: ${problem}`,
    advice: 'Start the dev server of the page, or name its address with "crewroom dev --ui URL"',
    when: 'The dev server of a page, which `crewroom dev --ui URL` names, did not answer, or opened no WebSocket; `problem` names the case. See [Develop a plugin](develop-plugins.md#develop).',
    example: {url: 'http://localhost:5173', problem: 'nothing listens there'},
  },
  'invalid-flight': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot simulate the flight',
    advice: 'Correct the named problems; "crewroom flight start" without options flies from EDDF to LPMA',
    when: 'A simulated flight cannot be started or moved as asked; `problems` has the path of each problem. See [The simulated flight](develop-plugins.md#the-simulated-flight).',
    example: {problems: [{path: '$.to', problem: 'is not one of EDDF, LPMA'}]},
  },
  'no-flight': {
    status: 404,
    exit: 'notFound',
    text: () => 'Cannot find the flight: none was started',
    advice: 'Start one with "crewroom flight start" or POST /api/flight',
    when: 'No simulated flight was started, or it was stopped, so it cannot be changed. See [The simulated flight](develop-plugins.md#the-simulated-flight).',
    example: {},
  },
  'flight-of-another': {
    status: 409,
    exit: 'conflict',
    text: () => 'Cannot start the flight: another caller started the one that runs',
    advice:
      'Wait until it has arrived, or let the user end it in the console; a plugin with "plugins:manage" replaces any flight: "crewroom access grant ID plugins:manage"',
    when: 'A plugin starts a flight by `startflight` or `restoreflight` while that of another caller runs, and has no `plugins:manage`. See [The simulated flight](develop-plugins.md#the-simulated-flight).',
    example: {},
  },
  'invalid-faults': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot switch faults on',
    advice:
      'See PUT /api/faults in /openapi.json for the form, and "crewroom fault --help" for the command line; nothing was changed',
    when: 'The body of PUT `/api/faults` has missing or unknown members, or a fault that this service cannot have, such as a clock offset without `--ephemeral`; `problems` has the path of each. See [Faults for testing](faults.md).',
    example: {problems: [{path: '$.faults[0].kind', problem: 'is missing'}]},
  },
};
