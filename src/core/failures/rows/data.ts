import type {DataFailure} from '../members/data.ts';
import {describeConflict, describePart} from './parts.ts';
import type {Rows, WithCases} from './row.ts';
import {OWN_WORDS, quote} from './words.ts';

/** Failures of calls for entries, events and the identity. */
export const DATA_ROWS: Rows<Exclude<DataFailure, WithCases>> = {
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
  'value-too-deep': {
    status: 422,
    text: ({depthMax, position}) =>
      `Cannot store the value: at byte ${position} it nests deeper than ${depthMax} levels`,
    advice: 'Nest arrays and objects less deeply, or raise the limit with --value-depth-max',
    when: 'A value, or the result of a patch, nests arrays and objects deeper than the limit. See [Values](http-api.md#values).',
    example: {depthMax: 256, position: 0},
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
    text: ({conflicts, sent}) => conflicts.map(each => describeConflict(each, sent)).join('; '),
    advice: 'Read the entry again, apply the change to its current value, and write with its new ETag',
    when: 'A precondition does not hold. `conflicts` has the expected and the found revision of each key, and its ETag; `sent` the `If-Match`, if no entry can have it. See [Revisions](http-api.md#revisions-and-preconditions).',
    example: {conflicts: [{key: 'example', expected: '1', actual: '2', etag: '"3f9c2a7b01d4e856-2"'}]},
  },
  'foreign-host': {
    status: 421,
    text: ({host}) => `Cannot serve the host ${quote(host)}: it is not one of the names of this service`,
    advice:
      'Call http://127.0.0.1, http://localhost or http://[::1] with the port of the service (a proxy: changeOrigin), or start it with --allow-host NAME',
    when: 'The `Host` header, or the host of an absolute target, is not one of the names of the service: see [the guard](guard.md) and [A page on another port](guides/page-on-another-port.md).',
    example: {host: 'example'},
  },
  'headers-too-large': {
    status: 431,
    text: () => 'Cannot read the request: its headers are larger than 16 KiB',
    advice:
      'Send fewer or shorter headers; if they are cookies of other programs at localhost, open http://crewroom.localhost with the port of the service, which has its own',
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
      'The owner of the service creates a token with this permission: "crewroom token create NAME --permission PERMISSION"; for a plugin: "crewroom access grant ID PERMISSION"',
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
      'The owner of the service creates a token: "crewroom token create NAME --permission PERMISSION"; send it as "Authorization: Bearer TOKEN"',
    when: 'The request has no credentials, and the service does not do this for unknown callers; `permission` is the smallest permission that suffices. In the mode `strict` also a page of the plugin `plugin` that the console of the owner did not open: its advice is to open it there. See [Modes](access.md#modes).',
    example: {permission: 'admin'},
  },
  'entry-corrupt': {
    status: 500,
    text: ({key, before}) =>
      before === undefined
        ? `Cannot read ${quote(key)}: its record does not match its checksum`
        : `Cannot read values of ${quote(key)} before revision ${before}: the change log is damaged there`,
    advice: 'Write or delete the key to continue; run "crewroom doctor --deep" to check all others, and check the disk',
    when: 'A record on disk fails its checksum. It is not served; other entries are not affected. With `before`, a revision, only the change log is damaged, before that. See [Reliability](reliability.md).',
    example: {key: 'a'},
  },
  'store-read-only': {
    status: 503,
    retryAfterSeconds: 60,
    text: ({problem, ...part}) =>
      `Cannot write: the store has been read-only since a write failed (${problem})${describePart(part)}`,
    advice: 'Check the disk, or etcd, then restart the service; acknowledged entries can still be read',
    when: 'A write or a sync to the disk failed, or etcd refuses writes. From then on no write is acknowledged; reads still work. See [Reliability](reliability.md).',
    example: {problem: 'Input/output error'},
  },
  'disk-full': {
    status: 507,
    text: ({problem, ...part}) =>
      `Cannot write: ${problem === undefined ? 'the disk is full' : `the engine is full (${problem})`}` +
      (describePart(part) || '; stored values are unchanged'),
    advice: 'Free space on the disk of the data directory; writes then work again without a restart',
    when: 'There is no free space on the disk of the data directory, a quota is used up, or a limit for the size of files is reached (`ulimit -f`). Or an engine on other machines is full, as `problem` says. See [Reliability](reliability.md).',
    example: {},
  },
  'store-closed': {
    status: 503,
    retryAfterSeconds: 5,
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
    text: () => 'Cannot answer: an internal error happened',
    advice: 'Find the request id in the log of the service, and please report the logged error',
    when: 'A defect. The log has all details under the request id, the `instance` of the answer; the answer has none. See [Keep it running](guides/keep-it-running.md#a-log-file).',
    example: {},
  },
};
