import type {DataFailure} from '../members/data.ts';
import type {SentFailure} from '../members/sent.ts';
import {describePart, quoteMessage} from './parts.ts';
import type {Rows, WithCases} from './row.ts';
import {quote} from './words.ts';

/** Failures that the service sends, besides those of calls for entries, events and the identity. */
export const SENT_ROWS: Rows<Exclude<SentFailure, DataFailure | WithCases>> = {
  'invalid-import': {
    status: 422,
    text: ({line, problem, ...part}) => `Cannot import line ${line}: ${problem}${describePart(part)}`,
    advice: 'Correct the line, or export again; importing an entry twice is safe',
    when: 'A line of an import is not valid, or the last one is missing: `line` and `problem` name the line and the reason, `imported` and `batches` the entries stored before. See [Export and import](http-api.md#export-and-import).',
    example: {line: 1, problem: '$.key is missing', imported: 0, batches: 0},
  },
  'snapshot-failed': {
    status: 500,
    text: ({directory, problem}) => `Cannot save a snapshot in ${quote(directory)}: ${problem}`,
    advice: 'Nothing was deleted, since it could not be undone; free space there, or go on with --no-snapshot',
    when: 'The snapshot that comes before the deletion of many entries, or the conversion of a data directory, cannot be written. Nothing is deleted or converted then. See [Back up and restore](guides/tour.md#back-up-and-restore).',
    example: {directory: '/a', problem: 'the disk is full'},
  },
  'unsupported-body': {
    status: 415,
    text: ({problem}) => `Cannot accept the body: ${problem}`,
    advice:
      'Send the JSON text itself, not compressed and not as multipart; application/json is the usual content type',
    when: 'The body of a write is `multipart/*`, has a `Content-Encoding`, or is a patch: PATCH takes `application/merge-patch+json`, and no other method takes one. See [The HTTP API](http-api.md).',
    example: {problem: 'it is multipart'},
  },
  'invalid-header': {
    status: 400,
    text: ({header, problem}) => `Cannot use the header ${quote(header)}: ${problem}`,
    advice: 'Send the header once, in the form of RFC 9110; send an ETag exactly as it was received, with its quotes',
    when: 'A precondition is not supported or not valid (`If-Match`, `If-None-Match`, `If-Unmodified-Since`), `Expect` has an unknown value, or a write is [something else than it says](http-api.md#values): a part of a document (`Content-Range`), or another method (`X-HTTP-Method-Override`). See [The HTTP API](http-api.md).',
    example: {header: 'Example', problem: 'it is empty'},
  },
  'malformed-request': {
    status: 400,
    text: ({problem}) => `Cannot read the request: ${problem}`,
    advice: 'Send a well-formed HTTP/1.1 request (RFC 9112), and JSON as the body if its Content-Type says so',
    when: 'The request is not valid HTTP/1.1 (RFC 9112): no or two `Host` headers, two lengths, a bare line feed, a body that ends early. Or it calls a plugin with a body that claims to be JSON and is not. See [The HTTP API](http-api.md).',
    example: {problem: 'it ends early'},
  },
  'no-resource': {
    status: 404,
    text: ({path}) => `Cannot find ${quote(path)}: the service has no such resource`,
    advice: 'GET /api lists all resources, and /docs describes them; a slash inside a key is written %2F',
    when: 'No resource has this path. See [The HTTP API](http-api.md).',
    example: {path: '/x'},
  },
  'method-not-allowed': {
    status: 405,
    text: ({method, allowed}) =>
      `Cannot use the method ${quote(method)} here: the resource allows ${allowed.join(', ')}`,
    advice: 'Use one of the methods in the Allow header',
    when: 'The resource exists and does not have this method. See [The HTTP API](http-api.md).',
    example: {method: 'PUT', allowed: ['OPTIONS']},
  },
  'not-a-page': {
    status: 403,
    text: ({path}) => `Cannot open ${quote(path)} in a browser window: it is not a page but a resource for programs`,
    advice:
      'Open /docs/api in the browser, where each operation can be tried out, or send the request with curl or the command "crewroom"',
    when: 'A browser opens an address in a window or a frame that is not a page (`Sec-Fetch-Mode: navigate`): typed, linked, or after a redirect. See [The guard](guard.md#web-pages).',
    example: {path: '/api/identity'},
  },
  'other-user': {
    status: 403,
    text: ({owner}) =>
      `Cannot serve this program: ${owner === undefined ? 'the user at the other end of its connection is unknown' : `it is one of user ${owner}`}`,
    advice:
      'Call as the user who runs the service, and read the answer before you close the connection; or start the service with --allow-user NAME',
    when: 'On Linux: the program at the other end of the connection belongs to another user, `owner`, or to none that is known, since it has closed the connection. It gets no answer to any request, and none has an effect: see [other users](guard.md#other-users).',
    example: {owner: 1001},
  },
  'wrong-credentials': {
    status: 403,
    text: ({url, message}) =>
      `Cannot sign in at ${url}: the user name or the password is wrong${quoteMessage(message)}`,
    advice:
      'Check the user name and the password; pilots sign in with their number or e-mail address and the password of the airline’s site, or, if they signed up through Discord or VATSIM, with the API key on their profile page as the password',
    when: 'The back end of the airline refuses the user name or the password. The advice names the number if the name looks like a displayed pilot id such as `VMS0001`. See [Sign in at your airline](guides/sign-in.md).',
    example: {url: 'https://air.example/back-end/'},
  },
  'pilot-not-confirmed': {
    status: 409,
    text: ({url, message}) => `Cannot sign in at ${url}: the pilot is not confirmed yet${quoteMessage(message)}`,
    advice: 'Wait until the airline has accepted the pilot, or ask its staff; the password was not wrong',
    when: 'The back end knows the pilot, but the airline has not accepted them yet. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/'},
  },
  'account-broken': {
    status: 502,
    text: ({url, backEndStatus, problem = 'it returned an empty response for this pilot', message}) =>
      `Cannot ${/\/pilot\/(?:resume|verify)$/.test(url) ? 'continue the session' : 'sign in'} at ${url}: ${problem} (status ${backEndStatus})${quoteMessage(message)}`,
    advice: 'The account may be retired or lack a rank or an airline: ask the staff of the airline to look at it',
    when: 'The back end fails for this account: with an empty body, as the common ones do for pilots who are retired or whose data is incomplete, with an error of PHP about `null` (phpVMS 7: a pilot without a rank), or returns `null` as session (phpVMS 7: a pilot without an API key). `problem` names the case. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', backEndStatus: 500},
  },
  'session-unknown': {
    status: 409,
    text: ({url, message}) => `Cannot continue the session at ${url}: it is unknown there${quoteMessage(message)}`,
    advice: 'Sign in again with "crewroom sign-in"',
    when: 'The back end refuses the session: it has expired, or the password or the key of the pilot was changed. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/'},
  },
  'unprotected-back-end': {
    status: 403,
    text: ({url}) =>
      `Cannot send a password or a session to ${url}: it is plain http, so others on the network could read it`,
    advice:
      'Configure the https:// address as scriptURL of the airline; if it has none and you trust the network, start the service with --allow-plain-http',
    when: 'The address of the back end is plain `http` on another machine, and the service was not started with `--allow-plain-http`. Neither the password nor the session was sent. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/'},
  },
  'invalid-pilot': {
    status: 502,
    heading: ({url}) => `Cannot use the pilot of ${url}`,
    advice: 'The airline has to fix its back end: "crewroom doctor --script-url URL" shows what is missing',
    when: 'The pilot that the back end sends has missing members or members of a wrong type; `problems` has the path of each. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', problems: [{path: '$.dbID', problem: 'is missing'}]},
  },
  'owner-required': {
    status: 401,
    text: () => 'Cannot do this: only the owner may, and the request has no valid token of the owner',
    advice:
      'Press o in the terminal, or run "crewroom console", for a console of the owner; or use a program of this machine such as "crewroom" or curl',
    when: 'A page asks for what only the owner may do, such as switching faults, without a valid token of the owner; a program asks for a code of the console without one; or a program with a token of its own asks for changes of access, which no permission includes. The token may be of a service that has ended. See [The owner](guard.md#the-owner).',
    example: {},
  },
  'no-token': {
    status: 404,
    exit: 'notFound',
    text: ({name}) => `Cannot find the token ${quote(name)}: no token has this name`,
    advice: '"crewroom token list" shows all tokens; names are exact',
    when: 'No token of the service has the name `name`. See [Tokens](access.md#tokens-of-programs).',
    example: {name: 'example'},
  },
  'no-grant': {
    status: 404,
    exit: 'notFound',
    text: ({plugin, permission}) =>
      `Cannot revoke this: the plugin ${quote(plugin)} was not given ${permission === undefined ? 'any permission' : quote(permission)}`,
    advice: '"crewroom access list" shows the permissions of all plugins; ids and permissions are exact',
    when: 'The plugin `plugin` was not given the permission `permission`, or any if it is absent, so that it cannot be taken back. See [Permissions](access.md#permissions-of-plugins).',
    example: {plugin: 'com.example.plugin'},
  },
  'invalid-code': {
    status: 403,
    text: () => 'Cannot open the console as the owner: the code is unknown, was used, or is too old',
    advice: 'Press o in the terminal, or run "crewroom console" again',
    when: 'The code with which the console was opened is unknown, was used before, or is older than a minute. See [The owner](guard.md#the-owner).',
    example: {},
  },
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
  'no-plugin-route': {
    status: 404,
    exit: 'notFound',
    text: ({plugin, route, problem}) => `Cannot call ${quote(route)} of ${quote(plugin)}: ${problem}`,
    advice: '"crewroom plugin list" shows the state and the routes of each plugin',
    when: 'No plugin has this id, it has not started, or it has no such route for this method; `problem` names the case. See [Routes](plugins.md#routes).',
    example: {plugin: 'com.example.plugin', route: 'GET example', problem: 'the plugin has not started'},
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
    retryAfterSeconds: 5,
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
  'no-flight': {
    status: 404,
    exit: 'notFound',
    text: () => 'Cannot find the flight: none was started',
    advice: 'Start one with "crewroom flight start" or POST /api/flight',
    when: 'No flight was started, or it was stopped, so it cannot be changed. See [The simulated flight](develop-plugins.md#the-simulated-flight).',
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
  'flight-reported': {
    status: 409,
    exit: 'conflict',
    text: ({simulator}) => `Cannot do this to the flight: ${quote(simulator)} reports it`,
    advice: 'Wait 10 seconds after its last frame, or end the flight with "crewroom flight stop" or DELETE /api/flight',
    when: 'A second simulator reports frames while `simulator` does, a simulated flight is to start or to change meanwhile, or frames arrive while one is simulated (`Crewroom`). See [Fly a simulator](develop-plugins.md#fly-a-simulator).',
    example: {simulator: 'FlightGear'},
  },
  'no-reporter': {
    status: 404,
    text: () => 'Cannot take the frame: its reporter has ended',
    advice: 'Send the next frame without reporterId: the answer has a new one, and the flight continues',
    when: 'The reporter of a frame sent none for 10 seconds, the flight was stopped, or the service was started again. See [Fly a simulator](develop-plugins.md#fly-a-simulator).',
    example: {},
  },
  'too-many-frames': {
    status: 429,
    retryAfterSeconds: 1,
    text: ({max}) => `Cannot take the frame: more than ${max} came within a second`,
    advice: 'Send 10 frames a second: phases and landings need no more',
    when: 'A simulator reports more than 60 frames a second; `Retry-After` is one second. See [Fly a simulator](develop-plugins.md#fly-a-simulator).',
    example: {max: 60},
  },
};
