import * as v from 'valibot';
import {COMMIT_ID} from '../../domain/commits/transaction.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {closed, described, TIME} from '../kinds.ts';
import {GIVEN_REVISION, TTL_SECONDS} from '../queries.ts';
import {anyText, count, entryRevision, matching, maybe, revision, storeId, whole, writtenBy} from './answer-kinds.ts';

const sizeBytes = described(v.pipe(whole, v.minValue(1)), 'Size of the value, in bytes of JSON text.');
const expiresAt = maybe(TIME, 'Time of expiry, UTC; absent for never.');

/** One event: the data of a server-sent event, a WebSocket frame, or an element of a list. */
const EVENT = v.union([
  closed({
    kind: v.literal('entry-written'),
    key: anyText,
    storeId,
    revision: entryRevision,
    sizeBytes,
    expiresAt,
    writtenBy,
    value: maybe(v.unknown(), 'The value, unless it is larger than 64 KiB.'),
  }),
  closed({
    kind: v.picklist(['entry-deleted', 'entry-expired']),
    key: anyText,
    storeId,
    revision: entryRevision,
    writtenBy,
  }),
  closed({kind: v.literal('identity-changed')}),
  closed({
    kind: v.literal('plugin-state'),
    plugin: anyText,
    state: maybe(anyText, 'The new state; absent if the plugin was removed.'),
    page: maybe(anyText, 'Changes with the files of its page, if it is in development.'),
  }),
  closed({
    kind: v.literal('plugin-log'),
    plugin: anyText,
    at: TIME,
    level: v.picklist(['error', 'info', 'debug']),
    text: anyText,
    dropped: maybe(v.pipe(whole, v.minValue(1)), 'Lines before this one that this subscriber missed.'),
  }),
  closed({
    kind: v.literal('client-request'),
    action: v.literal('navigate'),
    plugin: anyText,
    payload: v.optional(anyText),
  }),
  closed({kind: v.literal('client-request'), action: v.literal('play-sound'), url: anyText}),
  closed({kind: v.literal('client-request'), action: v.literal('stop-sound')}),
  closed({kind: v.literal('reset'), storeId, revision}),
]);

/** Answer of GET /api/events with `wait`. */
export const EVENT_LIST = closed({
  events: v.array(EVENT),
  storeId,
  revision: described(revision, 'The `since` of the next request.'),
});

/** Answer of POST /api/import. */
export const IMPORTED = closed({
  dryRun: described(
    v.boolean(),
    'True if nothing was stored; the counts are then those of the import without `dry-run`.',
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
  undo: maybe(anyText, 'Command line that restores it.'),
});

/** Answer of writes and deletions. */
export const DONE = described(closed({}), 'An empty object.');

/** An entry in a listing. */
const LISTED_ENTRY = closed({
  key: anyText,
  revision: described(entryRevision, 'The revision of the last write; an ETag has the id of the store before it.'),
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
  next: maybe(anyText, 'The cursor for the page that follows; absent on the last one.'),
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
    'Chosen by the client, different for every other transaction. In a shared store a transaction that is sent again with it is applied once; after `outcome-unknown` of any write its `commitId` is the id.',
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

/** Answer of POST /api/transactions. */
export const TRANSACTED = closed({
  storeId,
  revision: described(revision, 'The revision of all written entries; if nothing changed, that of the last commit.'),
});
