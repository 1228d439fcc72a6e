import type {z} from 'zod';
import type {FailureCode} from '../../domain/failure.ts';
import type {Method} from '../core/route.ts';
import {
  DELETE_RANGE_QUERY,
  DELETED,
  DONE,
  EVENT_LIST,
  EVENTS_QUERY,
  EXPORT_QUERY,
  IMPORT_QUERY,
  IMPORTED,
  LIMITS,
  LIST_QUERY,
  LIVENESS,
  READINESS,
  SERVICE,
  SESSION,
  TRANSACTED,
  WRITE_QUERY,
} from './schemas.ts';

/** What the OpenAPI document says of an operation. */
export interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'Identity' | 'Store' | 'Events' | 'Service';
  readonly summary: string;
  readonly description?: string;
  /** The schema that reads the query string. */
  readonly query?: z.ZodType;
  /** Request headers that matter. */
  readonly headers?: readonly (keyof typeof REQUEST_HEADERS)[];
  /** What the body is; without it there is none. */
  readonly body?: 'value' | 'merge-patch' | 'transaction' | 'export' | 'sign-in';
  /** By status; a text instead of a schema names a component, none means no body. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Failures besides {@link COMMON_FAILURES}. */
  readonly failures: readonly FailureCode[];
}

/** What the OpenAPI document says of an answer. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: z.ZodType | 'Identity' | 'Value' | 'Page';
  readonly contentType?: string;
  /** Another content type that it may have, for a text that is sent while it is made. */
  readonly streamType?: string;
  readonly headers?: readonly (keyof typeof ANSWER_HEADERS)[];
}

/** Request headers that operations name. */
export const REQUEST_HEADERS = {
  'If-Match': 'Only if the entry has one of these ETags, or with `*` if there is one. A revision alone is no ETag.',
  'Last-Event-ID':
    'The last id of a stream before: it goes on from there, whatever `since` says; one of another store is answered with `reset`.',
  'If-None-Match': 'On writes only `*`: only if there is no entry. On reads ETags: 304 if the entry has one of them.',
} as const;

/** What the OpenAPI document says of a header of an answer. */
export interface AnswerHeader {
  readonly description: string;
  /** Whether it is always there. */
  readonly required: boolean;
  /** A regular expression that every value of it matches. */
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
    description: 'When the entry expires (RFC 3339, UTC); absent for never.',
    required: false,
    pattern: TIME_PATTERN,
  },
  'Content-Disposition': {
    description: 'A name for the file, with the revision.',
    required: true,
    pattern: '^attachment; filename="[^"]+"$',
  },
  Location: {description: 'Where it is.', required: true, pattern: '^/docs$'},
  Upgrade: {description: 'The protocol that follows.', required: true, pattern: '^websocket$'},
  'Sec-WebSocket-Accept': {
    description: 'Shows that the handshake was understood (RFC 6455).',
    required: true,
    pattern: '^[A-Za-z0-9+/]{27}=$',
  },
} as const satisfies Record<string, AnswerHeader>;

/** What may happen to any request, whatever it asks for. */
export const COMMON_FAILURES: readonly FailureCode[] = [
  'malformed-request',
  'invalid-header',
  'invalid-parameter',
  'foreign-origin',
  'cross-site',
  'not-a-page',
  'foreign-host',
  'request-timeout',
  'headers-too-large',
  'too-many-connections',
  'too-many-bodies',
  'internal',
];

const READ_FAILURES: readonly FailureCode[] = ['store-closed', 'entry-corrupt'];
const LIST_FAILURES: readonly FailureCode[] = [...READ_FAILURES, 'store-corrupt'];
const WRITE_FAILURES: readonly FailureCode[] = ['store-closed', 'store-read-only', 'store-busy', 'disk-full'];

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

const ENTRY_HEADERS = ['ETag', 'Updated-At', 'Expires-At'] as const;

const STORED: AnswerDescription = {description: 'Stored: the value is on disk.', schema: DONE, headers: ['ETag']};

/** Every operation by path and method; a test compares it with the routes. */
export const OPERATIONS: Readonly<Record<string, {readonly [M in Method]?: OperationDescription}>> = {
  '/api/identity': {
    GET: {
      operationId: 'getIdentity',
      tag: 'Identity',
      summary: 'Who the pilot is',
      answers: {200: {description: 'The identity document.', schema: 'Identity'}},
      failures: ['no-identity'],
    },
  },
  '/api/session': {
    GET: {
      operationId: 'getSession',
      tag: 'Identity',
      summary: 'How it stands with the session',
      description: 'Whether somebody is signed in, where and since when. Holds no secret.',
      answers: {200: {description: 'The state of the session.', schema: SESSION}},
      failures: [],
    },
    POST: {
      operationId: 'signIn',
      tag: 'Identity',
      summary: 'Sign in to the back end of the airline',
      description:
        'Sends the password to the back end of the airline that is configured, once and without following redirects. A failure leaves everything as it was.',
      body: 'sign-in',
      answers: {200: {description: 'Signed in: this pilot is served from now on.', schema: SESSION}},
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
      description: 'Forgets the session, wherever it is kept. Nobody to sign out is fine.',
      answers: {200: {description: 'Forgotten.', schema: SESSION}},
      failures: ['sign-in-unavailable'],
    },
  },
  '/api/session/verify': {
    POST: {
      operationId: 'verifySession',
      tag: 'Identity',
      summary: 'Have the back end asked whether the session holds',
      description:
        'For callers that the back end of the airline has just refused (401). Answers at once; if the session is over, "identity-changed" is announced and GET /api/session says why. The back end is asked at most once a minute: a call within it is accepted and asks nothing.',
      answers: {202: {description: 'Accepted. The state of the session as it was known before.', schema: SESSION}},
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
        'Stores the JSON body under the key, whether or not there was an entry. Without a time to live the entry stays until it is deleted, whatever it had before.',
      query: WRITE_QUERY,
      answers: {200: STORED},
    },
    PUT: {
      ...WRITE,
      operationId: 'putEntry',
      summary: 'Store a value, and learn whether it is new',
      query: WRITE_QUERY,
      answers: {200: STORED, 201: {...STORED, description: 'Stored, and there was no entry before.'}},
    },
    PATCH: {
      ...WRITE,
      body: 'merge-patch',
      operationId: 'patchEntry',
      summary: 'Change members of a value',
      description:
        'Applies a JSON Merge Patch (RFC 7396), together with reading the value: of many patches at once each is applied once. Members that it does not name keep their exact text, and the entry its time to live. Where there is no entry it makes one.',
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
        'A page of entries in the order of their keys’ UTF-8 bytes. With values a page may end early, after 4 MiB of them.',
      query: LIST_QUERY,
      answers: {200: {description: 'A page.', schema: 'Page'}},
      failures: [...LIST_FAILURES],
    },
    DELETE: {
      operationId: 'deleteEntries',
      tag: 'Store',
      summary: 'Delete all entries under a prefix',
      description: 'In batches of 1,000; each is all or nothing, and a failure leaves the batches after it.',
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
        'Applies all operations under one revision if every check holds, and nothing otherwise. Values keep their exact text. A touch changes only the time to live, and is a failure where there is no entry.',
      body: 'transaction',
      answers: {200: {description: 'All of it is on disk.', schema: TRANSACTED}},
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
      summary: 'What changes, as it happens',
      description:
        'A stream of Server-Sent Events, from now on or from `since` on; with `wait` one list. A WebSocket on this path brings the same objects as text frames. The data of an event is as one of `events` in the list; `id` stands on the last event of a commit.',
      query: EVENTS_QUERY,
      headers: ['Last-Event-ID'],
      answers: {
        101: {
          description: 'A WebSocket that brings the events as text frames, where the request asks to upgrade to it.',
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
      summary: 'All entries as lines, at one revision',
      description:
        'Streams NDJSON: a header, one line for each entry in the order of their keys, and a trailer with their number, without which it was cut off. Values stand there byte for byte. Writes that happen meanwhile are not in it.',
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
        'Reads the lines while they arrive. Up to 1,000 entries and 8 MiB of values are one commit: all or nothing. More are stored in batches of that size, and a failure tells how many were. Importing again is always safe.',
      query: IMPORT_QUERY,
      body: 'export',
      answers: {200: {description: 'All of it is on disk.', schema: IMPORTED}},
      failures: ['invalid-import', 'unsupported-body', 'entry-corrupt', 'store-corrupt', ...WRITE_FAILURES],
    },
  },
  '/api': {
    GET: {
      operationId: 'getService',
      tag: 'Service',
      summary: 'What the service is',
      answers: {200: {description: 'Name, versions and links.', schema: SERVICE}},
      failures: [],
    },
  },
  '/api/limits': {
    GET: {
      operationId: 'getLimits',
      tag: 'Service',
      summary: 'The limits in force',
      answers: {200: {description: 'Every limit.', schema: LIMITS}},
      failures: [],
    },
  },
  '/livez': {
    GET: {
      operationId: 'getLiveness',
      tag: 'Service',
      summary: 'Whether the process answers',
      answers: {200: {description: 'It does.', schema: LIVENESS}},
      failures: [],
    },
  },
  '/readyz': {
    GET: {
      operationId: 'getReadiness',
      tag: 'Service',
      summary: 'Whether the service can do its work',
      answers: {
        200: {description: 'It can.', schema: READINESS},
        503: {description: 'It can only read: the disk failed.', schema: READINESS},
      },
      failures: [],
    },
  },
  '/': {
    GET: {
      operationId: 'getStart',
      tag: 'Service',
      summary: 'Where people who open the service in a browser are led',
      answers: {302: {description: 'To the page of this document.', headers: ['Location']}},
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
      answers: {200: {description: 'A page that needs no network.', contentType: 'text/html; charset=utf-8'}},
      failures: [],
    },
  },
};
