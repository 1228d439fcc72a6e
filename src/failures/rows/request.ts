import type {FailureIn} from '../members/members.ts';
import type {REQUEST_MEMBERS} from '../members/request.ts';
import {describePart} from './parts.ts';
import type {Rows} from './row.ts';
import {quote} from './words.ts';

/** Failures of requests besides those in `data.ts`. */
export const REQUEST_ROWS: Rows<FailureIn<typeof REQUEST_MEMBERS>> = {
  'invalid-import': {
    status: 400,
    text: ({line, problem, ...part}) => `Cannot import line ${line}: ${problem}${describePart(part)}`,
    advice: 'Correct the line, or export again; importing an entry twice is safe',
    when: 'A line of an import is not valid, or the last one is missing: `line` and `problem` name the line and the reason, `imported` and `batches` the entries stored before. See [Export and import](http-api.md#export-and-import).',
    example: {line: 1, problem: '$.key is missing', imported: 0, batches: 0},
  },
  'snapshot-failed': {
    status: 500,
    text: ({directory, problem}) => `Cannot save a snapshot in ${quote(directory)}: ${problem}`,
    advice: 'Nothing was deleted, since it could not be undone; free space there, or go on with --no-snapshot',
    when: 'The snapshot that comes before the deletion of many entries cannot be written. Nothing is deleted then. See [Back up and restore](guides/tour.md#back-up-and-restore).',
    example: {directory: '/a', problem: 'the disk is full'},
  },
  'unsupported-body': {
    status: 415,
    text: ({problem}) => `Cannot accept the body: ${problem}`,
    advice:
      'Send the JSON text itself, not compressed and not as multipart; application/json is the usual content type',
    when: 'The body of a write is `multipart/*`, has a `Content-Encoding`, or is a JSON Patch (`application/json-patch+json`) instead of a merge patch. See [The HTTP API](http-api.md).',
    example: {problem: 'it is multipart'},
  },
  'invalid-header': {
    status: 400,
    text: ({header, problem}) => `Cannot use the header ${quote(header)}: ${problem}`,
    advice: 'Send the header once, in the form of RFC 9110; send an ETag exactly as it was received, with its quotes',
    when: 'A precondition is not supported or not valid (`If-Match`, `If-None-Match`, `If-Unmodified-Since`), `Expect` has an unknown value, or `Last-Event-ID` is not an id of this service. See [The HTTP API](http-api.md).',
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
  'unmarked-request': {
    status: 403,
    text: ({host}) =>
      `Cannot serve a browser at ${quote(host)}: it does not mark requests to this name, so any page may have sent this one`,
    advice:
      'Open http://localhost with the port of the service in the browser; a program that calls itself Mozilla sends X-Crewroom-Client: 1 or a token',
    when: 'A browser called the service at a name of `--allow-host`, where it does not show which page sent a request: see [the guard](guard.md#web-pages).',
    example: {host: 'example'},
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
  'subscriber-too-slow': {
    status: 503,
    text: ({cursor}) => `Cannot keep more events for the subscriber: it reads too slowly since revision ${cursor}`,
    advice: 'Subscribe again with this cursor as since; nothing is lost',
    when: 'More than 1,024 events, or 1 MiB of them, waited for a subscriber. An event stream ends without a failure; a WebSocket is closed with 1013. `cursor` is the last revision sent. See [Events](http-api.md#events).',
    example: {cursor: '1'},
  },
  'reader-too-slow': {
    status: 503,
    text: ({idleMs, ageMs}) =>
      `Cannot keep the snapshot any longer: ${ageMs === undefined ? `nothing of it was read for ${idleMs} ms` : `it is ${ageMs} ms old`}`,
    advice: 'Start again and read without pausing; if processing is slow, export to a file first',
    when: 'The client of an export has read nothing for 15 seconds, or, if the engine of the store is on other machines, an export takes longer than 10 minutes: the export ends without its trailer. See [Export and import](http-api.md#export-and-import).',
    example: {idleMs: 15_000},
  },
};
