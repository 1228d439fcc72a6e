// biome-ignore lint/style/noExcessiveLinesPerFile: one table of all operations.
import type {z} from 'zod';
import type {Limits} from '../../domain/limits.ts';
import type {FailureCode} from '../../failures/failure.ts';
import type {Method} from '../core/route.ts';
import {PILOTS, READINESS, SESSION} from './identity-schemas.ts';
import {
  createEventsQuery,
  createListQuery,
  DELETE_RANGE_QUERY,
  EXPORT_QUERY,
  IMPORT_QUERY,
  REQUESTS_QUERY,
  WRITE_QUERY,
} from './parameters.ts';
import {REQUEST_LIST} from './request-schemas.ts';
import {
  DELETED,
  DONE,
  EVENT_LIST,
  IMPORTED,
  LIMITS,
  LIVENESS,
  PRINCIPAL_PATTERN,
  SERVICE,
  TRANSACTED,
} from './schemas.ts';

/** An operation in the OpenAPI document. */
export interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'Identity' | 'Store' | 'Events' | 'Plugins' | 'Service';
  readonly summary: string;
  readonly description?: string;
  /** The schema that reads the query string. */
  readonly query?: z.ZodType | ((limits: Limits) => z.ZodType);
  /** Request headers that the operation reads. */
  readonly headers?: readonly (keyof typeof REQUEST_HEADERS)[];
  /** Kind of the body; absent if there is none. */
  readonly body?:
    | 'value'
    | 'merge-patch'
    | 'transaction'
    | 'export'
    | 'sign-in'
    | 'flight'
    | 'pilot'
    | 'faults'
    | 'owner-code'
    | 'token'
    | 'grant'
    | 'origin';
  /** Answers by status. A string in place of a schema names a component; without a schema there is no body. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Failures besides {@link COMMON_FAILURES}. */
  readonly failures: readonly FailureCode[];
  /** Description of answers with any status and any content besides these; absent if there are none. */
  readonly anyAnswer?: string;
}

/** An answer in the OpenAPI document. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: z.ZodType | 'Identity' | 'Value' | 'Page';
  readonly contentType?: string;
  /** Content type of the streamed form, if there is one. */
  readonly streamType?: string;
  readonly headers?: readonly (keyof typeof ANSWER_HEADERS)[];
}

/** Request headers that operations name. */
export const REQUEST_HEADERS = {
  'If-Match':
    'Writes only if the entry has one of these ETags, or with `*` if it exists. A revision without store id is not an ETag.',
  'Last-Event-ID':
    'The last id that was received: the stream resumes there and ignores `since`. An id of another store causes a `reset`.',
  'If-None-Match':
    'On writes only `*`, which writes only if the entry does not exist. On reads ETags: 304 if the entry has one of them.',
} as const;

/** An answer header in the OpenAPI document. */
export interface AnswerHeader {
  readonly description: string;
  /** True if every such answer has it. */
  readonly required: boolean;
  /** Regular expression that all its values match. */
  readonly pattern: string;
}

const TIME_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$';

/** Answer headers that operations name. */
export const ANSWER_HEADERS = {
  ETag: {
    description: 'The id of the store and the revision of the entry, in quotes.',
    required: true,
    pattern: '^"[0-9a-z]{1,32}-[1-9][0-9]*"$',
  },
  'Updated-At': {description: 'Time of the last write (RFC 3339, UTC).', required: true, pattern: TIME_PATTERN},
  'Expires-At': {
    description: 'Time of expiry (RFC 3339, UTC); absent for never.',
    required: false,
    pattern: TIME_PATTERN,
  },
  'Written-By': {
    description: 'The caller that wrote it; absent if it is not known, as of programs without a token.',
    required: false,
    pattern: PRINCIPAL_PATTERN,
  },
  'Content-Disposition': {
    description: 'A file name, with the revision.',
    required: true,
    pattern: '^attachment; filename="[^"]+"$',
  },
  Upgrade: {description: 'The new protocol.', required: true, pattern: '^websocket$'},
  'Sec-WebSocket-Accept': {
    description: 'Completes the handshake (RFC 6455).',
    required: true,
    pattern: '^[A-Za-z0-9+/]{27}=$',
  },
} as const satisfies Record<string, AnswerHeader>;

/** Failures of any request, regardless of the operation. */
export const COMMON_FAILURES: readonly FailureCode[] = [
  'malformed-request',
  'invalid-header',
  'invalid-parameter',
  'foreign-origin',
  'cross-site',
  'not-a-page',
  'unmarked-request',
  'invalid-token',
  'permission-required',
  'token-required',
  'foreign-host',
  'other-user',
  'request-timeout',
  'headers-too-large',
  'too-many-connections',
  'too-many-bodies',
  'user-lookup-failed',
  'internal',
];

const READ_FAILURES: readonly FailureCode[] = ['store-closed', 'store-unavailable', 'entry-corrupt'];
const LIST_FAILURES: readonly FailureCode[] = [...READ_FAILURES, 'store-corrupt'];
const WRITE_FAILURES: readonly FailureCode[] = [
  'store-closed',
  'store-unavailable',
  'store-read-only',
  'store-busy',
  'disk-full',
  'outcome-unknown',
];

const WRITE = {
  tag: 'Store',
  headers: ['If-Match', 'If-None-Match'],
  body: 'value',
  failures: [
    'invalid-key',
    'invalid-json',
    'value-too-deep',
    'value-too-large',
    'unsupported-body',
    'revision-conflict',
    ...WRITE_FAILURES,
  ],
} as const satisfies Partial<OperationDescription>;

const ENTRY_HEADERS = ['ETag', 'Updated-At', 'Expires-At', 'Written-By'] as const;

const STORED: AnswerDescription = {description: 'Stored: the value is on disk.', schema: DONE, headers: ['ETag']};

/** Every operation by path and method; a test compares it with the routes. */
export const OPERATIONS: Readonly<Record<string, {readonly [M in Method]?: OperationDescription}>> = {
  '/api/identity': {
    GET: {
      operationId: 'getIdentity',
      tag: 'Identity',
      summary: 'Read the identity of the pilot',
      answers: {200: {description: 'The identity document.', schema: 'Identity'}},
      failures: ['no-identity'],
    },
  },
  '/api/pilots': {
    GET: {
      operationId: 'listPilots',
      tag: 'Identity',
      summary: 'List the sample pilots, and which of them is served',
      answers: {200: {description: 'The sample pilots.', schema: PILOTS}},
      failures: [],
    },
  },
  '/api/pilots/current': {
    PUT: {
      operationId: 'usePilot',
      tag: 'Identity',
      summary: 'Serve another sample pilot',
      description:
        'Until the service ends. Refused unless the identity is a sample: a profile or a signed-in pilot is never replaced. Backgrounds of plugins are restarted for the new pilot.',
      body: 'pilot',
      answers: {200: {description: 'The sample pilots.', schema: PILOTS}},
      failures: [
        'invalid-json',
        'value-too-deep',
        'value-too-large',
        'unsupported-body',
        'invalid-pilot-choice',
        'pilot-choice-unavailable',
      ],
    },
  },
  '/api/session': {
    GET: {
      operationId: 'getSession',
      tag: 'Identity',
      summary: 'Read the state of the session',
      description: 'Whether a pilot is signed in, to which back end and since when. Contains no secret.',
      answers: {200: {description: 'The state of the session.', schema: SESSION}},
      failures: [],
    },
    POST: {
      operationId: 'signIn',
      tag: 'Identity',
      summary: 'Sign in to the back end of the airline',
      description:
        'Sends the password to the configured back end once, without following redirects. A failure changes nothing.',
      body: 'sign-in',
      answers: {200: {description: 'Signed in: the service now has the identity of this pilot.', schema: SESSION}},
      failures: [
        'invalid-json',
        'value-too-deep',
        'unsupported-body',
        'invalid-sign-in',
        'sign-in-unavailable',
        'sign-in-busy',
        'wrong-credentials',
        'pilot-not-confirmed',
        'account-broken',
        'unprotected-back-end',
        'back-end-unreachable',
        'back-end-timeout',
        'back-end-redirect',
        'not-a-back-end',
        'back-end-failed',
        'back-end-busy',
        'invalid-pilot',
        'store-closed',
      ],
    },
    DELETE: {
      operationId: 'signOut',
      tag: 'Identity',
      summary: 'Sign out',
      description: 'Deletes the session, wherever it is stored. Idempotent.',
      answers: {200: {description: 'Signed out.', schema: SESSION}},
      failures: ['sign-in-unavailable'],
    },
  },
  '/api/session/verify': {
    POST: {
      operationId: 'verifySession',
      tag: 'Identity',
      summary: 'Verify the session with the back end',
      description:
        'For callers that the back end of the airline has just refused (401). Answers at once; if the session is over, the event "identity-changed" follows and GET /api/session has the reason. Verifies at most once a minute; further calls are accepted without effect.',
      answers: {202: {description: 'Accepted. The state of the session before the verification.', schema: SESSION}},
      failures: ['no-identity', 'sign-in-unavailable'],
    },
  },
  '/api/store/{key}': {
    GET: {
      operationId: 'getEntry',
      tag: 'Store',
      summary: 'Read a value',
      headers: ['If-None-Match'],
      answers: {
        200: {description: 'The stored JSON text, byte for byte.', schema: 'Value', headers: ENTRY_HEADERS},
        304: {description: 'The entry has one of the ETags of If-None-Match.', headers: ENTRY_HEADERS},
      },
      failures: ['invalid-key', 'no-entry', ...READ_FAILURES],
    },
    POST: {
      ...WRITE,
      operationId: 'storeEntry',
      summary: 'Store a value',
      description:
        'Creates or replaces the entry. Without `ttl` it stays until it is deleted, even if it had a time to live before.',
      query: WRITE_QUERY,
      answers: {200: STORED},
    },
    PUT: {
      ...WRITE,
      operationId: 'putEntry',
      summary: 'Store a value; the status shows whether the entry is new',
      query: WRITE_QUERY,
      answers: {200: STORED, 201: {...STORED, description: 'Stored: the entry is new.'}},
    },
    PATCH: {
      ...WRITE,
      body: 'merge-patch',
      operationId: 'patchEntry',
      summary: 'Change members of a value',
      description:
        'Applies a JSON Merge Patch (RFC 7396) atomically: of concurrent patches each is applied once. Other members keep their exact text, and the entry keeps its time to live. Creates the entry if it does not exist.',
      answers: {200: {...STORED, description: 'Patched: the value is on disk.'}},
      failures: [...WRITE.failures, 'patch-too-large', 'entry-corrupt'],
    },
    DELETE: {
      operationId: 'deleteEntry',
      tag: 'Store',
      summary: 'Delete an entry',
      headers: ['If-Match'],
      answers: {200: {description: 'Deleted.', schema: DONE}},
      failures: ['invalid-key', 'no-entry', 'revision-conflict', ...WRITE_FAILURES],
    },
  },
  '/api/keys': {
    GET: {
      operationId: 'listEntries',
      tag: 'Store',
      summary: 'List entries',
      description:
        'A page of entries, sorted by the UTF-8 bytes of their keys. A page with values ends early once they reach 4 MiB.',
      query: createListQuery,
      answers: {200: {description: 'A page.', schema: 'Page'}},
      failures: [...LIST_FAILURES],
    },
    DELETE: {
      operationId: 'deleteEntries',
      tag: 'Store',
      summary: 'Delete all entries under a prefix',
      description:
        'Deletes in batches of 1,000, each all or nothing. After a failure the remaining batches are not deleted.',
      query: DELETE_RANGE_QUERY,
      answers: {200: {description: 'Deleted.', schema: DELETED}},
      failures: [...LIST_FAILURES, ...WRITE_FAILURES],
    },
  },
  '/api/transactions': {
    POST: {
      operationId: 'transact',
      tag: 'Store',
      summary: 'Change many entries, all or nothing',
      description:
        'Applies all operations under one revision if every check holds, and nothing otherwise. Values keep their exact text. A touch changes only the time to live, and fails if the entry does not exist.',
      body: 'transaction',
      answers: {200: {description: 'All changes are on disk.', schema: TRANSACTED}},
      failures: [
        'invalid-transaction',
        'invalid-key',
        'invalid-json',
        'value-too-deep',
        'value-too-large',
        'transaction-too-large',
        'patch-too-large',
        'unsupported-body',
        'no-entry',
        'revision-conflict',
        'entry-corrupt',
        ...WRITE_FAILURES,
      ],
    },
  },
  '/api/events': {
    GET: {
      operationId: 'getEvents',
      tag: 'Events',
      summary: 'Receive changes, as they happen',
      description:
        'A stream of Server-Sent Events, from now on or after `since`; with `wait` a single list. A WebSocket on this path sends the same objects as text frames. The data of an event is one element of `events` in the list; the last event of a commit has an `id`.',
      query: createEventsQuery,
      headers: ['Last-Event-ID'],
      answers: {
        101: {
          description: 'A WebSocket that sends the events as text frames, if the request asks for an upgrade.',
          headers: ['Upgrade', 'Sec-WebSocket-Accept'],
        },
        200: {description: 'Events.', schema: EVENT_LIST, streamType: 'text/event-stream'},
      },
      failures: ['too-many-subscribers', 'subscriber-too-slow', ...LIST_FAILURES],
    },
  },
  '/api/export': {
    GET: {
      operationId: 'exportEntries',
      tag: 'Store',
      summary: 'Export all entries at one revision',
      description:
        'Streams NDJSON: a header, one line for each entry sorted by key, and a trailer with their number. Without a trailer the export is truncated. Values are included byte for byte; concurrent writes are not included.',
      query: EXPORT_QUERY,
      answers: {
        200: {
          description: 'The lines.',
          contentType: 'application/x-ndjson',
          headers: ['Content-Disposition'],
        },
      },
      failures: [...LIST_FAILURES],
    },
  },
  '/api/import': {
    POST: {
      operationId: 'importEntries',
      tag: 'Store',
      summary: 'Store the entries of an export',
      description:
        'Reads the lines as they arrive. Up to 1,000 entries and 8 MiB of values are one commit: all or nothing. Larger imports are stored in batches of that size, and a failure has the number of stored entries. Idempotent: an import can be retried.',
      query: IMPORT_QUERY,
      body: 'export',
      answers: {200: {description: 'All changes are on disk.', schema: IMPORTED}},
      failures: ['invalid-import', 'unsupported-body', 'entry-corrupt', 'store-corrupt', ...WRITE_FAILURES],
    },
  },
  '/api': {
    GET: {
      operationId: 'getService',
      tag: 'Service',
      summary: 'Read name, versions and data directory of the service',
      answers: {200: {description: 'Name, versions, data directory and links.', schema: SERVICE}},
      failures: [],
    },
  },
  '/api/limits': {
    GET: {
      operationId: 'getLimits',
      tag: 'Service',
      summary: 'Read all limits',
      answers: {200: {description: 'Every limit.', schema: LIMITS}},
      failures: [],
    },
  },
  '/livez': {
    GET: {
      operationId: 'getLiveness',
      tag: 'Service',
      summary: 'Check that the process answers',
      answers: {200: {description: 'It answers.', schema: LIVENESS}},
      failures: [],
    },
  },
  '/readyz': {
    GET: {
      operationId: 'getReadiness',
      tag: 'Service',
      summary: 'Check that the service can read and write',
      answers: {
        200: {description: 'It can read and write.', schema: READINESS},
        503: {description: 'It can only read: the disk failed.', schema: READINESS},
      },
      failures: [],
    },
  },
  '/api/requests': {
    GET: {
      operationId: 'getRequests',
      tag: 'Service',
      summary: 'Read the last requests',
      description:
        'The last 1,000 requests that were answered, refused ones too, the oldest first; without those for this path and for `/metrics`. With `Accept: text/event-stream` a stream that continues with new ones: each event `requests` has the same document as data, and its `cursor` as `id`. Bodies are never kept. Not for pages of other origins, allowed ones included.',
      query: REQUESTS_QUERY,
      headers: ['Last-Event-ID'],
      answers: {200: {description: 'Requests.', schema: REQUEST_LIST, streamType: 'text/event-stream'}},
      failures: ['own-callers-only', 'too-many-subscribers'],
    },
  },
  '/metrics': {
    GET: {
      operationId: 'getMetrics',
      tag: 'Service',
      summary: 'Read figures of the service, for monitoring',
      answers: {
        200: {
          description: 'Prometheus text format.',
          contentType: 'text/plain; version=0.0.4; charset=utf-8',
        },
      },
      failures: [],
    },
  },
  '/': {
    GET: {
      operationId: 'getConsole',
      tag: 'Service',
      summary: 'The console as a page',
      answers: {200: {description: 'A page that works offline.', contentType: 'text/html; charset=utf-8'}},
      failures: [],
    },
  },
  '/openapi.json': {
    GET: {
      operationId: 'getOpenApi',
      tag: 'Service',
      summary: 'This document',
      answers: {200: {description: 'OpenAPI 3.1.', schema: 'Value'}},
      failures: [],
    },
  },
  '/docs': {
    GET: {
      operationId: 'getDocs',
      tag: 'Service',
      summary: 'This document as a page',
      answers: {200: {description: 'A page that works offline.', contentType: 'text/html; charset=utf-8'}},
      failures: [],
    },
  },
  '/docs/{name}': {
    GET: {
      operationId: 'getDocsPage',
      tag: 'Service',
      summary: 'A reference as a page; `guides` and `errors` list all guides and all failures',
      answers: {200: {description: 'A page that works offline.', contentType: 'text/html; charset=utf-8'}},
      failures: ['no-resource'],
    },
  },
  '/docs/guides/{name}': {
    GET: {
      operationId: 'getGuide',
      tag: 'Service',
      summary: 'A guide as a page',
      answers: {200: {description: 'A page that works offline.', contentType: 'text/html; charset=utf-8'}},
      failures: ['no-resource'],
    },
  },
  '/docs/errors/{code}': {
    GET: {
      operationId: 'getFailurePage',
      tag: 'Service',
      summary: 'The page of a failure: when it happens, and what to do',
      answers: {200: {description: 'A page that works offline.', contentType: 'text/html; charset=utf-8'}},
      failures: ['no-resource'],
    },
  },
};
