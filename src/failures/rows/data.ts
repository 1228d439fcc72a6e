import type {DataFailure} from '../members/data.ts';
import {describeConflict, describePart} from './parts.ts';
import type {Rows} from './row.ts';
import {OWN_WORDS, quote} from './words.ts';

/** Failures of calls for entries, events and the identity. */
export const DATA_ROWS: Rows<DataFailure> = {
  'invalid-key': {
    status: 400,
    exit: 'usage',
    text: OWN_WORDS['invalid-key'],
    advice: 'Use 1 to 512 bytes of UTF-8 without control characters, percent-encoded as one path segment',
    when: 'A key is empty, longer than 512 bytes, `.` or `..`, contains a control character or a lone surrogate, or is not percent-encoded UTF-8 in a path. See [Keys](http-api.md#keys).',
    example: {key: 'a\nb', problem: 'it contains a control character'},
  },
  'invalid-json': {
    status: 400,
    exit: 'usage',
    text: OWN_WORDS['invalid-json'],
    advice: 'Send one JSON text (RFC 8259) in UTF-8 without a byte order mark',
    when: 'The body of a write is not one JSON text in UTF-8; `position` is the first wrong byte. See [Values](http-api.md#values).',
    example: {problem: 'expected a value, found "x"', position: 0},
  },
  'invalid-transaction': {
    status: 422,
    heading: () => 'Cannot apply the transaction',
    text: ({problems}) =>
      `Cannot apply the transaction: ${problems.map(({path, problem}) => `${path} ${problem}`).join('; ')}`,
    advice: 'See POST /api/transactions in /openapi.json for its form; nothing was applied',
    when: 'A transaction has missing or unknown members, has more than 1,000 operations or checks, or names a key twice; `problems` has the path of each. See [Transactions](http-api.md#transactions).',
    example: {problems: [{path: '$.operations[0].key', problem: 'is missing'}]},
  },
  'value-too-deep': {
    status: 422,
    text: ({depthMax, position}) =>
      `Cannot store the value: at byte ${position} it nests deeper than ${depthMax} levels`,
    advice: 'Nest arrays and objects less deeply, or raise the limit with --value-depth-max',
    when: 'A value, or the result of a patch, nests arrays and objects deeper than the limit. See [Values](http-api.md#values).',
    example: {depthMax: 256, position: 0},
  },
  'value-too-large': {
    status: 413,
    text: ({sizeBytesMax}) => `Cannot store the value: it is larger than ${sizeBytesMax} bytes`,
    advice: 'Split the value over several keys, or raise the limit with --value-bytes-max',
    when: 'The body of a write is larger than the limit, by its `Content-Length` or while it arrives, or the result of a patch is. See [Values](http-api.md#values).',
    example: {sizeBytesMax: 1_048_576},
  },
  'transaction-too-large': {
    status: 413,
    text: ({sizeBytesMax}) =>
      `Cannot apply the transaction: with the values that it patches it is larger than ${sizeBytesMax} bytes`,
    advice: 'Split it into several transactions; nothing was applied',
    when: 'A transaction is larger than 2 MiB and than twice `--value-bytes-max`, or its patches and the values that they patch are. See [Limits](http-api.md#limits).',
    example: {sizeBytesMax: 2_097_152},
  },
  'patch-too-large': {
    status: 413,
    text: ({membersMax}) =>
      `Cannot apply the merge patches: they have more than ${membersMax} members, those of nested objects included`,
    advice: 'Store the whole value with PUT, or change it with several patches; nothing was applied',
    when: 'A merge patch has more than 1,000 members, those of nested objects included, or those of a transaction have more than 10,000 together. See [Limits](http-api.md#limits).',
    example: {membersMax: 1000},
  },
  'invalid-parameter': {
    status: 400,
    exit: 'usage',
    text: OWN_WORDS['invalid-parameter'],
    advice: 'See /openapi.json for the parameters of each operation',
    when: 'A query parameter is unknown, repeated, missing or out of its range. See [The HTTP API](http-api.md).',
    example: {parameter: 'example', problem: 'it is too high'},
  },
  'no-entry': {
    status: 404,
    exit: 'notFound',
    expected: true,
    text: ({key}) => `Cannot find ${quote(key)}: no entry has this key`,
    advice: 'Keys are exact, down to case and accents; GET /api/keys lists them',
    when: 'A read, a deletion or a touch names a key without an entry, or with an expired one. See [Listing](http-api.md#listing).',
    example: {key: 'a'},
  },
  'no-identity': {
    status: 404,
    exit: 'notFound',
    expected: true,
    text: () => 'Cannot tell who the pilot is: no pilot is signed in',
    advice:
      'Sign in ("crewroom sign-in", or POST /api/session), start the service with --profile FILE, or start it without --profile to serve the sample identity',
    when: 'No pilot is signed in, the session has expired, or the service was started with `--profile none`. See [Sign in at your airline](guides/sign-in.md).',
    example: {},
  },
  'revision-conflict': {
    status: 412,
    exit: 'conflict',
    expected: true,
    text: ({conflicts}) => conflicts.map(describeConflict).join('; '),
    advice: 'Read the entry again, apply the change to its current value, and write with its new ETag',
    when: 'A precondition does not hold. `conflicts` has the expected and the found revision of each key. See [Revisions](http-api.md#revisions-and-preconditions).',
    example: {conflicts: [{key: 'example', expected: '1', actual: '2'}]},
  },
  'foreign-host': {
    status: 421,
    text: ({host}) => `Cannot serve the host ${quote(host)}: it is not one of the names of this service`,
    advice:
      'Call http://127.0.0.1, http://localhost or http://[::1] with the port of the service (a proxy: changeOrigin), or start it with --allow-host NAME',
    when: 'The `Host` header, or the host of an absolute target, is not one of the names of the service: see [the guard](guard.md) and [A page on another port](guides/page-on-another-port.md).',
    example: {host: 'example'},
  },
  'foreign-origin': {
    status: 403,
    text: ({origin}) => `Cannot serve pages of ${quote(origin)}: the origin is not allowed`,
    advice: 'If the page is yours, start the service with --allow-origin and exactly this origin',
    when: 'A web page of another origin calls: the `Origin` header, or without one the `Referer`, is not on the list. See [A page on another port](guides/page-on-another-port.md).',
    example: {origin: 'http://page.example'},
  },
  'cross-site': {
    status: 403,
    text: ({site}) => `Cannot serve a ${site} request of a web page: it does not come from an allowed origin`,
    advice: 'Call with fetch() in its default mode (cors), from an origin that the service allows (--allow-origin)',
    when: 'The browser marks the request as one of a page of another site (`Sec-Fetch-Site`) or as a prefetch (`Sec-Purpose`), and there is no allowed `Origin`. See [A page on another port](guides/page-on-another-port.md).',
    example: {site: 'cross-site'},
  },
  'headers-too-large': {
    status: 431,
    text: () => 'Cannot read the request: its headers are larger than 16 KiB',
    advice: 'Send fewer or shorter headers',
    when: 'The headers of a request are larger than 16 KiB. See [Limits](http-api.md#limits).',
    example: {},
  },
  'invalid-token': {
    status: 401,
    text: ({problem}) => `Cannot accept the token: ${problem}`,
    advice:
      'Ask the owner of the service for another one ("crewroom token create"), or send no Authorization header to call as any local program',
    when: 'The request has a token of this service (`crewroom_…`) that it does not know, that has expired or was revoked, that is not whole, or more than one `Authorization`; or nothing follows `Bearer`. `problem` has the reason. Other credentials are ignored. See [Tokens](access.md#tokens-of-programs).',
    example: {problem: 'it has expired'},
  },
  'permission-required': {
    status: 403,
    text: ({permission, principal}) =>
      `Cannot do this as ${quote(principal)}: it lacks the permission ${quote(permission)}`,
    advice:
      'The owner of the service creates a token with this permission: "crewroom token create --name NAME --permission PERMISSION"; for a plugin: "crewroom access grant ID PERMISSION"',
    when: 'The caller `principal`, such as `token:backup` or `plugin:com.example.hello`, may not do what the request asks for; `permission` is the smallest permission that includes it. See [Permissions](access.md#permissions).',
    example: {permission: 'admin', principal: 'token:example'},
  },
  'token-required': {
    status: 401,
    text: ({permission, plugin}) =>
      plugin === undefined
        ? `Cannot do this without a token: the request needs one with the permission ${quote(permission)}`
        : `Cannot do this for a page that does not prove itself: any program can send the origin of ${quote(plugin)}`,
    advice:
      'The owner of the service creates a token: "crewroom token create --name NAME --permission PERMISSION"; send it as "Authorization: Bearer TOKEN"',
    when: 'The request has no credentials, and the service does not do this for unknown callers; `permission` is the smallest permission that suffices. In the mode `strict` also a page of the plugin `plugin` that the console of the owner did not open: its advice is to open it there. See [Modes](access.md#modes).',
    example: {permission: 'admin'},
  },
  'request-timeout': {
    status: 408,
    text: () => 'Cannot wait longer for the request: it did not arrive in time',
    advice: 'Send headers within 5 seconds and the whole request within 15',
    when: 'The headers of a request took longer than 5 seconds, or all of it longer than 15. See [Limits](http-api.md#limits).',
    example: {},
  },
  'user-lookup-failed': {
    status: 503,
    text: () =>
      'Cannot serve this program for the moment: the user at the other end of its connection could not be looked up',
    advice: 'Try again in a moment; if it persists, let the service open more files (ulimit -n) or close connections',
    when: 'On Linux: the user of the program at the other end of the connection could not be looked up for the moment, such as without a free file descriptor. The request had no effect. See [Other users](guard.md#other-users).',
    example: {},
  },
  'too-many-connections': {
    status: 503,
    text: ({connectionsMax}) => `Cannot accept another connection: ${connectionsMax} are busy`,
    advice: 'Reuse connections (keep-alive), or raise the limit with --connections-max',
    when: 'All allowed connections are waiting for answers. Connections that wait for their clients are closed to admit new ones. See [Limits](http-api.md#limits).',
    example: {connectionsMax: 2048},
  },
  'too-many-bodies': {
    status: 503,
    text: () => 'Cannot hold another body or answer in memory: other requests use all of the memory for bodies',
    advice: 'Try again in a moment, and send or read fewer large values at once',
    when: 'The bodies of all unanswered requests and all unread answers need more than 256 MiB together. See [Limits](http-api.md#limits).',
    example: {},
  },
  'too-many-subscribers': {
    status: 503,
    text: ({subscribersMax}) => `Cannot accept another subscriber: there are ${subscribersMax} already`,
    advice: 'Share one subscription within a program, and close unused ones',
    when: 'The maximum number of subscribers (1,024) is reached. See [Events](http-api.md#events).',
    example: {subscribersMax: 1024},
  },
  'entry-corrupt': {
    status: 500,
    text: ({key}) => `Cannot read ${quote(key)}: its record does not match its checksum`,
    advice: 'Write or delete the key to continue; run "crewroom doctor --deep" to check all others, and check the disk',
    when: 'A record on disk fails its checksum. It is not served; other entries are not affected. See [Reliability](reliability.md).',
    example: {key: 'a'},
  },
  'store-corrupt': {
    status: 500,
    text: ({after}) =>
      `Cannot read all entries: a part of the store${after === undefined ? '' : ` after ${quote(after)}`} is damaged`,
    advice:
      'Read entries by their keys; run "crewroom doctor --deep" to see what is lost, restore a backup, and check the disk',
    when: 'A part of the file of the store is damaged, so a list cannot continue after the key `after`, the last one that was read, if any. Entries elsewhere can be read by their keys. See [Reliability](reliability.md).',
    example: {},
  },
  'store-read-only': {
    status: 503,
    text: ({problem, ...part}) =>
      `Cannot write: the store has been read-only since the disk failed (${problem})${describePart(part)}`,
    advice: 'Check the disk, then restart the service; acknowledged entries can still be read',
    when: 'A write or a sync to the disk failed. From then on no write is acknowledged; reads still work. See [Reliability](reliability.md).',
    example: {problem: 'Input/output error'},
  },
  'store-unavailable': {
    status: 503,
    text: ({problem, ...part}) => `Cannot reach the store: ${problem}${describePart(part)}`,
    advice: 'Try again in a moment; if it persists, tell the operator of the store',
    when: 'The engine of the store cannot be reached; nothing was changed. The header `Retry-After` is 2 seconds. Stores whose engine is on other machines fail like this. Of the built-in ones only lists and exports do, if the disk fails while they are being read, and writes, if no file can be opened for the moment (`ulimit -n`). See [Several machines](guides/several-machines.md).',
    example: {problem: 'no quorum'},
  },
  'disk-full': {
    status: 507,
    text: part => `Cannot write: the disk is full${describePart(part) || '; stored values are unchanged'}`,
    advice: 'Free space on the disk of the data directory; writes then work again without a restart',
    when: 'There is no free space on the disk of the data directory, a quota is used up, or a limit for the size of files is reached (`ulimit -f`). See [Reliability](reliability.md).',
    example: {},
  },
  'store-busy': {
    status: 503,
    text: ({waitingMax, ...part}) =>
      `Cannot queue another write: ${waitingMax} are waiting for the disk${describePart(part)}`,
    advice: 'Wait for answers before sending more writes',
    when: 'The queue of writes that wait for the disk is full. See [Reliability](reliability.md).',
    example: {waitingMax: 4096},
  },
  'store-closed': {
    status: 503,
    text: part => `Cannot use the store: it is closed${describePart(part)}`,
    advice: 'The service is stopping; start it again',
    when: 'The store is closed: the service is stopping, or a program that embeds it has disposed of it. See [Reliability](reliability.md).',
    example: {},
  },
  'outcome-unknown': {
    status: 504,
    text: ({commitId, ...part}) =>
      // Of an import without other batches it is not known that nothing was stored.
      `Cannot tell whether the write was stored: commit ${quote(commitId)} was not confirmed in time${part.batches ? describePart(part) : ''}`,
    advice:
      'Send it again as a transaction with the commit id as its "id", or read the entry to see whether it was stored; a write with If-Match or If-None-Match is stored at most once',
    when: 'The engine of the store did not confirm a write in time: it was stored as a whole, will be in a moment, or never is. `commitId` names it. Never by the built-in stores. See [Several machines](guides/several-machines.md).',
    example: {commitId: 'example'},
  },
  internal: {
    status: 500,
    text: ({requestId}) => `Cannot answer: an internal error happened (request ${quote(requestId)})`,
    advice: 'Find the request id in the log of the service, and please report the logged error',
    when: 'A defect. The log has all details under the request id; the answer has none. See [Keep it running](guides/keep-it-running.md#a-log-file).',
    example: {requestId: 'ab-1'},
  },
};
