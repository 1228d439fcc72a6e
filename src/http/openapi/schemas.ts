import {z} from 'zod';
import {ACCESS_MODES} from '../../domain/access.ts';
import type {Limits} from '../../domain/limits.ts';
import {COMMIT_ID} from '../../domain/transaction.ts';
import {GIVEN_REVISION, TTL_SECONDS} from './parameters.ts';

const STORE_ID = z
  .string()
  .regex(/^[0-9a-z]{1,32}$/)
  .meta({description: 'The store that the revisions belong to. Each store has revisions of its own.'});
/** A caller that is known, as `Written-By` and `writtenBy` name it. */
export const PRINCIPAL_PATTERN = '^(owner|(token|plugin):[A-Za-z0-9._-]+)$';

const WRITTEN_BY = z
  .string()
  .regex(new RegExp(PRINCIPAL_PATTERN))
  .optional()
  .meta({description: 'The caller: `owner`, `token:` or `plugin:` and a name; absent if it is not known.'});

/** One event: the data of a server-sent event, a WebSocket frame, or an element of a list. */
export const EVENT = z.union([
  z.strictObject({
    kind: z.literal('entry-written'),
    key: z.string(),
    storeId: STORE_ID,
    revision: z.string().regex(/^[1-9][0-9]*$/),
    sizeBytes: z.int().min(1).meta({description: 'Size of the value, in bytes of JSON text.'}),
    expiresAt: z.iso.datetime().optional().meta({description: 'Time of expiry, UTC; absent for never.'}),
    writtenBy: WRITTEN_BY,
    value: z.unknown().optional().meta({description: 'The value, unless it is larger than 64 KiB.'}),
  }),
  z.strictObject({
    kind: z.enum(['entry-deleted', 'entry-expired']),
    key: z.string(),
    storeId: STORE_ID,
    revision: z.string().regex(/^[1-9][0-9]*$/),
    writtenBy: WRITTEN_BY,
  }),
  z.strictObject({kind: z.literal('identity-changed')}),
  z.strictObject({
    kind: z.literal('plugin-state'),
    plugin: z.string(),
    state: z.string().optional().meta({description: 'The new state; absent if the plugin was removed.'}),
    page: z.string().optional().meta({description: 'Changes with the files of its page, if it is in development.'}),
  }),
  z.strictObject({
    kind: z.literal('plugin-log'),
    plugin: z.string(),
    at: z.iso.datetime(),
    level: z.enum(['error', 'info', 'debug']),
    text: z.string(),
    dropped: z.int().min(1).optional().meta({description: 'Lines before this one that this subscriber missed.'}),
  }),
  z.strictObject({
    kind: z.literal('client-request'),
    action: z.literal('navigate'),
    plugin: z.string(),
    payload: z.string().optional(),
  }),
  z.strictObject({kind: z.literal('client-request'), action: z.literal('play-sound'), url: z.string()}),
  z.strictObject({kind: z.literal('client-request'), action: z.literal('stop-sound')}),
  z.strictObject({kind: z.literal('reset'), storeId: STORE_ID, revision: z.string().regex(/^(0|[1-9][0-9]*)$/)}),
]);

/** Answer of GET /api/events with `wait`. */
export const EVENT_LIST = z.strictObject({
  events: z.array(EVENT),
  storeId: STORE_ID,
  revision: z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/)
    .meta({description: 'The `since` of the next request.'}),
});

/** A count in an answer. */
const count = (description: string) => z.int().min(0).meta({description});

/** Answer of POST /api/import. */
export const IMPORTED = z.strictObject({
  dryRun: z
    .boolean()
    .meta({description: 'True if nothing was stored; the counts are then those of the import without `dry-run`.'}),
  entries: count('Number of entries in the export.'),
  created: count('Number of created entries.'),
  replaced: count('Number of replaced entries.'),
  expired: count('Number of entries that were skipped because they had expired.'),
  deleted: count('Number of other entries that were deleted, with `mode=replace`.'),
  batches: count('Number of commits.'),
  revision: z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/)
    .meta({description: 'The revision of the store afterwards.'}),
});

/** Answer of writes and deletions. */
export const DONE = z.strictObject({}).meta({description: 'An empty object.'});

/** An entry in a listing. */
export const LISTED_ENTRY = z.strictObject({
  key: z.string(),
  revision: z
    .string()
    .regex(/^[1-9][0-9]*$/)
    .meta({description: 'The revision of the last write; an ETag has the id of the store before it.'}),
  sizeBytes: z.int().min(1).meta({description: 'Size of the value, in bytes of JSON text.'}),
  updatedAt: z.iso.datetime().meta({description: 'Time of the last write, UTC.'}),
  expiresAt: z.iso.datetime().optional().meta({description: 'Time of expiry, UTC; absent for never.'}),
  writtenBy: WRITTEN_BY,
  value: z.unknown().optional().meta({description: 'The value as it was stored; only with `values=true`.'}),
});

/** Answer of GET /api/keys. */
export const PAGE = z.strictObject({
  storeId: STORE_ID,
  entries: z.array(LISTED_ENTRY),
  next: z.string().optional().meta({description: 'The cursor for the page that follows; absent on the last one.'}),
});

/** Answer of DELETE /api/keys. */
export const DELETED = z.strictObject({deleted: z.int().min(0).meta({description: 'Number of deleted entries.'})});

/** Any JSON value; required. */
const JSON_VALUE = z.unknown().meta({description: 'Any JSON; its text is kept byte for byte.'});

const KEY = z.string().min(1);

const CHECK = z.union([
  z.strictObject({
    key: KEY,
    revision: z.string().regex(GIVEN_REVISION).meta({
      description: 'The revision that the entry must have; if it includes a store id, the store must match too.',
    }),
  }),
  z.strictObject({key: KEY, absent: z.literal(true).meta({description: 'The entry must not exist.'})}),
]);

const OPERATION = z.union([
  z.strictObject({
    kind: z.literal('put'),
    key: KEY,
    value: JSON_VALUE,
    ttlSeconds: TTL_SECONDS.optional().meta({
      description: 'Time to live, in seconds; without it the entry stays until it is deleted.',
    }),
  }),
  z.strictObject({kind: z.literal('patch'), key: KEY, patch: JSON_VALUE}),
  z.strictObject({
    kind: z.literal('touch'),
    key: KEY,
    ttlSeconds: TTL_SECONDS.nullable().meta({
      description:
        'Time to live from now on, in seconds; null: the entry stays until it is deleted. The entry must exist.',
    }),
  }),
  z.strictObject({kind: z.literal('delete'), key: KEY}),
]);

/**
 * Creates the schema of the body of POST /api/transactions, for the documentation. `readTransaction` parses it, since
 * `JSON.parse` would lose the exact text of values; a test compares the two.
 */
export function createTransactionSchema({transactionChecksMax, transactionOperationsMax}: Limits): z.ZodType {
  return z.strictObject({
    id: z.string().regex(COMMIT_ID).optional().meta({
      description:
        'Chosen by the client, different for every other transaction. In a shared store a transaction that is sent again with it is applied once; after `outcome-unknown` of any write its `commitId` is the id.',
    }),
    checks: z
      .array(CHECK)
      .max(transactionChecksMax)
      .optional()
      .meta({description: 'Conditions for the whole transaction. Each key at most once.'}),
    operations: z
      .array(OPERATION)
      .max(transactionOperationsMax)
      .meta({description: 'Changes, all or nothing. Each key at most once.'}),
  });
}

/** Answer of POST /api/transactions. */
export const TRANSACTED = z.strictObject({
  storeId: STORE_ID,
  revision: z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/)
    .meta({description: 'The revision of all written entries; if nothing changed, that of the last commit.'}),
});

/** Answer of GET /api. */
export const SERVICE = z.strictObject({
  name: z.literal('crewroom'),
  version: z.string(),
  apiVersion: z.string(),
  storeId: STORE_ID,
  access: z.enum(ACCESS_MODES).meta({description: 'What plugins may do, and programs without a token.'}),
  dataDir: z.string().optional().meta({description: 'The data directory; absent if the store is in memory.'}),
  links: z.record(z.string(), z.string()),
});

/** Answer of GET /api/limits. */
export const LIMITS = z
  .record(z.string(), z.int())
  .meta({description: 'Every limit, by name. A name ends with its unit; without a unit it is a count.'});

/** Answer of GET /livez. */
export const LIVENESS = z.strictObject({live: z.literal(true)});

/** Answer of every failure (RFC 9457); a code may have further members. */
export const PROBLEM = z.looseObject({
  type: z
    .string()
    .regex(/^\/docs\/errors\/[a-z-]+$/)
    .meta({description: 'The address of a page that describes the failure, relative to the service.'}),
  title: z.string().meta({description: 'The name of the HTTP status.'}),
  status: z.int(),
  detail: z.string().meta({description: 'What went wrong, for people.'}),
  instance: z.string().meta({description: 'The id of the request, as in the log of the service.'}),
  advice: z.string().meta({description: 'What to do, for people.'}),
  code: z.string().meta({description: 'What went wrong, for programs. Codes are stable.'}),
});
