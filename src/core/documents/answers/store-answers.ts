import * as v from 'valibot';
import {COMMIT_ID} from '../../domain/commits/transaction.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {closed, described, maybe, TIME} from '../kinds.ts';
import {GIVEN_REVISION, TTL_SECONDS} from '../queries.ts';
import {
  anyText,
  count,
  entryRevision,
  etag,
  logLevel,
  matching,
  pluginState,
  revision,
  storeId,
  whole,
  writtenBy,
} from './answer-kinds.ts';

const sizeBytes = described(v.pipe(whole, v.minValue(1)), 'Size of the value, in bytes of JSON text.');
const expiresAt = maybe(TIME, 'Time of expiry, UTC; absent for never.');

const cursor = described(matching(GIVEN_REVISION), 'The `after` with which a request continues.');

/** One event: the data of a server-sent event, a WebSocket frame, or an element of a list. */
export const EVENT = v.union([
  closed({
    kind: v.literal('entry-written'),
    key: anyText,
    storeId,
    revision: entryRevision,
    etag,
    cursor,
    sizeBytes,
    expiresAt,
    writtenBy,
    value: maybe(v.unknown(), 'The value, unless it is larger than 56 KiB.'),
  }),
  closed({
    kind: v.picklist(['entry-deleted', 'entry-expired']),
    key: anyText,
    storeId,
    revision: entryRevision,
    etag,
    cursor,
    writtenBy,
  }),
  closed({kind: v.literal('identity-changed'), cursor}),
  closed({
    kind: v.literal('plugin-state'),
    plugin: anyText,
    state: maybe(pluginState, 'The new state; absent if the plugin was removed.'),
    page: maybe(anyText, 'Changes with the files of its page, if it is in development.'),
    cursor,
  }),
  closed({
    kind: v.literal('plugin-log'),
    plugin: anyText,
    loggedAt: TIME,
    level: logLevel,
    text: anyText,
    dropped: maybe(v.pipe(whole, v.minValue(1)), 'Lines before this one that this subscriber missed.'),
    cursor,
  }),
  closed({
    kind: v.literal('client-request'),
    action: v.literal('navigate'),
    plugin: anyText,
    payload: v.optional(anyText),
    cursor,
  }),
  closed({kind: v.literal('client-request'), action: v.literal('play-sound'), url: anyText, cursor}),
  closed({kind: v.literal('client-request'), action: v.literal('stop-sound'), cursor}),
  closed({kind: v.picklist(['reset', 'initial-ended']), storeId, revision, cursor}),
]);

/** Answer of GET /api/events with `waitSeconds`. */
export const EVENT_LIST = closed({
  events: v.array(EVENT),
  cursor,
});

/** Answer of POST /api/import. */
export const IMPORTED = closed({
  dryRun: described(
    v.boolean(),
    'True if nothing was stored; the counts are then those of the import without `dryRun`.',
  ),
  entries: described(count, 'Number of entries in the export.'),
  created: described(count, 'Number of created entries.'),
  replaced: described(count, 'Number of replaced entries.'),
  expired: described(count, 'Number of entries that were skipped because they had expired.'),
  deleted: described(count, 'Number of other entries that were deleted, with `mode=replace`.'),
  batches: described(count, 'Number of commits.'),
  revision: described(revision, 'The revision of the store afterwards.'),
});

/** Answer of POST /api/snapshots. */
export const SNAPSHOT_BEFORE = closed({
  name: maybe(anyText, 'Name of the snapshot.'),
  storeId: v.optional(storeId),
  revision: maybe(anyText, 'The revision of the store that its entries are of.'),
  undo: maybe(anyText, 'Command line that restores it; absent if none passes on the paths of the service as they are.'),
});

/** Answer of what published plugins call. */
export const DONE = described(closed({}), 'An empty object.');

/** Answer of other commits. */
export const COMMITTED = closed({
  revision: described(
    revision,
    'The revision of all written entries; if nothing changed, that of the last commit, or with an id a new one.',
  ),
  etag,
});

/** An entry in a listing. */
export const LISTED_ENTRY = closed({
  key: anyText,
  revision: described(entryRevision, 'The revision of the last write.'),
  etag,
  sizeBytes,
  updatedAt: described(TIME, 'Time of the last write, UTC.'),
  expiresAt,
  writtenBy,
  value: maybe(v.unknown(), 'The value as it was stored; only with `values=true`.'),
});

/** Answer of GET /api/keys. */
export const ENTRY_PAGE = closed({
  storeId,
  entries: v.array(LISTED_ENTRY),
  cursor: maybe(anyText, 'The cursor for the page that follows; absent on the last one.'),
});

const committedAt = maybe(TIME, 'Time of the commit, UTC; absent in what an earlier version wrote.');

/** Answer of GET /api/history. */
export const HISTORY = closed({
  storeId,
  key: anyText,
  changes: v.array(
    v.union([
      closed({
        kind: v.literal('written'),
        revision: entryRevision,
        etag,
        committedAt,
        sizeBytes,
        expiresAt,
        writtenBy,
        value: maybe(v.unknown(), 'The value as it was stored, unless it is larger than 64 KiB.'),
      }),
      closed({
        kind: v.picklist(['deleted', 'expired']),
        revision: entryRevision,
        etag,
        committedAt,
        writtenBy,
      }),
      closed({
        kind: v.literal('log-begins'),
        revision: described(revision, 'The log has no changes up to it. The last element of the last page.'),
      }),
    ]),
  ),
  cursor: maybe(cursor, 'Absent on the last page.'),
});

/** Answer of DELETE /api/keys. */
export const DELETED = closed({deleted: described(count, 'Number of deleted entries.')});

/** Any JSON value; required. */
const jsonValue = described(v.unknown(), 'Any JSON; its text is kept byte for byte.');

const key = v.pipe(anyText, v.minLength(1));

const CHECK = v.union([
  closed({
    key,
    revision: described(
      matching(GIVEN_REVISION),
      'The revision that the entry must have; if it includes a store id, the store must match too.',
    ),
  }),
  closed({key, absent: described(v.literal(true), 'The entry must not exist.')}),
]);

const OPERATION = v.union([
  closed({
    kind: v.literal('put'),
    key,
    value: jsonValue,
    ttlSeconds: maybe(TTL_SECONDS, 'Time to live, in seconds; without it the entry stays until it is deleted.'),
  }),
  closed({kind: v.literal('patch'), key, patch: jsonValue}),
  closed({
    kind: v.literal('touch'),
    key,
    ttlSeconds: described(
      v.nullable(TTL_SECONDS),
      'Time to live from now on, in seconds; null: the entry stays until it is deleted. The entry must exist.',
    ),
  }),
  closed({kind: v.literal('delete'), key}),
]);

/**
 * Body of POST /api/transactions. `readTransaction` reads it, since `JSON.parse` would lose the exact text of values; a test
 * compares the two.
 */
export const TRANSACTION = closed({
  id: maybe(
    matching(COMMIT_ID),
    'Chosen by the client, different for every other transaction of this caller. One that was applied is answered as before if it is sent again with its id; after `outcome-unknown` of any write its `commitId` is the id.',
  ),
  checks: maybe(
    v.pipe(v.array(CHECK), v.maxLength(DEFAULT_LIMITS.transactionChecksMax)),
    'Conditions for the whole transaction. Each key at most once.',
  ),
  operations: described(
    v.pipe(v.array(OPERATION), v.maxLength(DEFAULT_LIMITS.transactionOperationsMax)),
    'Changes, all or nothing. Each key at most once.',
  ),
});
