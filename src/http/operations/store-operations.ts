import {
  COMMITTED,
  DELETED,
  DONE,
  ENTRY_PAGE,
  EVENT_LIST,
  HISTORY,
  IMPORTED,
  SNAPSHOT_BEFORE,
  TRANSACTION,
} from '../../core/documents/answers/store-answers.ts';
import {
  DELETE_RANGE_QUERY,
  EVENTS_QUERY,
  EXPORT_QUERY,
  HISTORY_QUERY,
  IMPORT_QUERY,
  LIST_QUERY,
  SNAPSHOT_QUERY,
  WRITE_QUERY,
} from '../../core/documents/queries.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {MERGE_PATCH_TYPE} from '../core/body.ts';
import {
  ANY_JSON,
  type AnswerDescription,
  type DescribedFailure,
  type OperationDescription,
  tagged,
} from './operation.ts';

const READ_FAILURES: readonly FailureCode[] = ['store-closed', 'entry-corrupt'];
const LIST_FAILURES: readonly FailureCode[] = [...READ_FAILURES, 'store-corrupt'];
const WRITE_FAILURES: readonly FailureCode[] = ['store-closed', 'store-read-only', 'disk-full', 'outcome-unknown'];

const WRITE = {
  headers: ['If-Match', 'If-None-Match'],
  body: ANY_JSON,
  failures: writeFailures('too-large value'),
} as const satisfies Partial<OperationDescription>;

const ENTRY_HEADERS = ['ETag', 'Updated-At', 'Expires-At', 'Written-By'] as const;

const STORED: AnswerDescription = {description: 'Stored: the value is on disk.', schema: COMMITTED, headers: ['ETag']};

/** Operations of entries and events. */
export const STORE_OPERATIONS = tagged('Store', {
  'GET /api/store/{key}': {
    operationId: 'getEntry',
    summary: 'Read a value',
    headers: ['If-None-Match'],
    answers: {
      200: {description: 'The stored JSON text, byte for byte.', schema: 'Value', headers: ENTRY_HEADERS},
      304: {description: 'The entry has one of the ETags of If-None-Match.', headers: ENTRY_HEADERS},
    },
    failures: ['invalid-key', 'no-entry', ...READ_FAILURES],
  },
  'POST /api/store/{key}': {
    ...WRITE,
    operationId: 'storeEntry',
    summary: 'Store a value',
    description:
      'Creates or replaces the entry. Without `ttlSeconds` it stays until it is deleted, even if it had a time to live before.',
    query: WRITE_QUERY,
    answers: {200: {...STORED, schema: DONE}},
  },
  'PUT /api/store/{key}': {
    ...WRITE,
    operationId: 'putEntry',
    summary: 'Store a value; the status shows whether the entry is new',
    query: WRITE_QUERY,
    answers: {200: STORED, 201: {...STORED, description: 'Stored: the entry is new.'}},
  },
  'PATCH /api/store/{key}': {
    ...WRITE,
    body: {
      description:
        'A JSON Merge Patch. It is read as one whatever the content type says, except multipart and application/json-patch+json.',
      contentType: MERGE_PATCH_TYPE,
      schema: 'MergePatch',
      example: {volume: 0.75},
    },
    operationId: 'patchEntry',
    summary: 'Change members of a value',
    description:
      'Applies a JSON Merge Patch (RFC 7396) atomically: of concurrent patches each is applied once. Other members keep their exact text, and the entry keeps its time to live. Creates the entry if it does not exist.',
    answers: {200: {...STORED, description: 'Patched: the value is on disk.'}},
    failures: [...writeFailures('too-large value patch'), 'entry-corrupt'],
  },
  'DELETE /api/store/{key}': {
    operationId: 'deleteEntry',
    summary: 'Delete an entry',
    headers: ['If-Match'],
    answers: {200: {description: 'Deleted.', schema: COMMITTED}},
    failures: ['invalid-key', 'no-entry', 'revision-conflict', ...WRITE_FAILURES],
  },
  'GET /api/keys': {
    operationId: 'listEntries',
    summary: 'List entries',
    description:
      'A page of entries, sorted by the UTF-8 bytes of their keys. A page with values ends early once they reach 4 MiB.',
    query: LIST_QUERY,
    answers: {200: {description: 'A page.', schema: ENTRY_PAGE}},
    failures: [...LIST_FAILURES],
  },
  'DELETE /api/keys': {
    operationId: 'deleteEntries',
    summary: 'Delete all entries under a prefix',
    description:
      'Deletes in batches of 1,000, each all or nothing. After a failure the remaining batches are not deleted.',
    query: DELETE_RANGE_QUERY,
    answers: {200: {description: 'Deleted.', schema: DELETED}},
    failures: [...LIST_FAILURES, ...WRITE_FAILURES],
  },
  'GET /api/history': {
    operationId: 'getHistory',
    summary: 'Read the earlier values of an entry',
    description:
      'The changes of one entry, newest first, as far as the change log has them: the last 100,000 changes of all entries, or 64 MiB. A page may have no changes and a cursor, since it looks at 20,000 changes of the log; it ends early once its values reach 4 MiB.',
    query: HISTORY_QUERY,
    answers: {
      200: {description: 'A page; the last element of the last one is where the log begins.', schema: HISTORY},
    },
    failures: ['invalid-key', ...READ_FAILURES],
  },
  'POST /api/transactions': {
    operationId: 'transact',
    summary: 'Change many entries, all or nothing',
    description:
      'Applies all operations under one revision if every check holds, and nothing otherwise. Values keep their exact text. A touch changes only the time to live, and fails if the entry does not exist.',
    body: {
      description: 'Checks and operations.',
      schema: TRANSACTION,
      example: {
        checks: [{key: 'com.example.hello/lock', absent: true}],
        operations: [{kind: 'put', key: 'com.example.hello/settings', value: {volume: 0.5}}],
      },
    },
    answers: {200: {description: 'All changes are on disk.', schema: COMMITTED}},
    failures: [
      'invalid-body',
      'invalid-key',
      'invalid-json',
      'value-too-deep',
      'too-large transaction',
      'unsupported-body',
      'no-entry',
      'revision-conflict',
      'entry-corrupt',
      ...WRITE_FAILURES,
    ],
  },
  'GET /api/events': {
    operationId: 'getEvents',
    tag: 'Events',
    summary: 'Receive changes, as they happen',
    description:
      'A stream of Server-Sent Events, from now on or after `after`; with `waitSeconds` a single list. A WebSocket on this path sends the same objects as text frames. The data of an event is one element of `events` in the list; the last event of a commit has an `id`.',
    query: EVENTS_QUERY,
    headers: ['Last-Event-ID'],
    answers: {
      101: {
        description: 'A WebSocket that sends the events as text frames, if the request asks for an upgrade.',
        headers: ['Upgrade', 'Sec-WebSocket-Accept'],
      },
      200: {description: 'Events.', schema: EVENT_LIST, streamType: 'text/event-stream'},
    },
    failures: LIST_FAILURES,
  },
  'GET /api/export': {
    operationId: 'exportEntries',
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
  'POST /api/import': {
    operationId: 'importEntries',
    summary: 'Store the entries of an export',
    description:
      'Reads the lines as they arrive. Up to 1,000 entries and 8 MiB of values are one commit: all or nothing. Larger imports are stored in batches of that size, and a failure has the number of stored entries. Idempotent: an import can be retried.',
    query: IMPORT_QUERY,
    body: {
      description:
        'The lines of an export. They are read as such whatever the content type says, except multipart and patches.',
      contentType: 'application/x-ndjson',
    },
    answers: {200: {description: 'All changes are on disk.', schema: IMPORTED}},
    failures: ['invalid-import', 'unsupported-body', 'entry-corrupt', 'store-corrupt', ...WRITE_FAILURES],
  },
  'POST /api/snapshots': {
    operationId: 'saveSnapshot',
    summary: 'Save the entries that an import is about to replace',
    description:
      'With the token of the owner. The console does this before it replaces entries. The snapshot is a file beside the data directory, for its owner only; of these automatic ones the last 5 stay, up to 200 MB.',
    query: SNAPSHOT_QUERY,
    answers: {
      200: {description: 'The store is in memory: nothing is saved.', schema: SNAPSHOT_BEFORE},
      201: {description: 'It is on disk; `undo` is the command that restores it.', schema: SNAPSHOT_BEFORE},
    },
    failures: ['owner-required', 'snapshot-failed', ...READ_FAILURES],
  },
});

function writeFailures(tooLarge: DescribedFailure): readonly DescribedFailure[] {
  return [
    'invalid-key',
    'invalid-json',
    'value-too-deep',
    tooLarge,
    'unsupported-body',
    'revision-conflict',
    ...WRITE_FAILURES,
  ];
}
