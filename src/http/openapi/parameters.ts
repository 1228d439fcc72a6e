import {z} from 'zod';
import {DEFAULT_EVENT_KINDS, EVENT_KINDS, type EventKind} from '../../domain/event.ts';
import {KEY_BYTES_MAX, TTL_SECONDS_MAX} from '../../domain/fixed-limits.ts';
import type {Limits} from '../../domain/limits.ts';
import type {GivenRevision} from '../../domain/revision.ts';
import {parseRevision} from '../../domain/revision.ts';
import {FAULT_KINDS} from '../../failures/fault-mark.ts';
import {invalidParameter, parseQuery} from '../core/route.ts';

/** A parameter that is either `true` or `false`, written out. */
const flag = z.stringbool({
  truthy: ['true'],
  falsy: ['false'],
  case: 'sensitive',
  error: 'it has to be "true" or "false"',
});

/** A count from 1 on, as digits. */
function countUpTo(max: number, problem: string) {
  const error = `${problem} from 1 to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, {error})
    .transform(Number)
    .pipe(z.int().min(1, {error}).max(max, {error}));
}

function prefixOf(what: string) {
  return z
    .string()
    .default('')
    .meta({description: `Only ${what} it; at most ${KEY_BYTES_MAX} bytes of UTF-8.`});
}

/** Time to live. */
export const TTL_SECONDS = z.int().min(1).max(TTL_SECONDS_MAX);

/** Parameters of POST and PUT /api/store/{key}, for the documentation: the route parses them itself. */
export const WRITE_QUERY = z.strictObject({
  ttl: TTL_SECONDS.optional().meta({
    description: 'Time to live, in whole seconds; without it the entry stays until it is deleted.',
  }),
});

/** Creates the parameters of GET /api/keys. */
export function createListQuery({listLimit, listLimitMax}: Limits) {
  return z.strictObject({
    prefix: prefixOf('keys that begin with'),
    after: z.string().optional().meta({description: 'The cursor `next` of the previous page: only keys after it.'}),
    limit: countUpTo(listLimitMax, 'it has to be a whole number')
      .default(listLimit)
      .meta({description: 'Maximum number of entries.'}),
    reverse: flag.default(false).meta({description: 'From the last key to the first.'}),
    values: flag.default(false).meta({description: 'Whether to include the values.'}),
  });
}

/** Parameters of DELETE /api/access/grants/{plugin}. */
export const REVOKE_QUERY = z.strictObject({
  permission: z.string().optional().meta({description: 'The permission to take back; without it, all of the plugin.'}),
});

/** Parameters of DELETE /api/keys. */
export const DELETE_RANGE_QUERY = z
  .strictObject({
    prefix: z.string().meta({
      description: 'Deletes every entry whose key begins with it; it may be empty only with `all=true`.',
    }),
    all: flag.default(false).meta({description: 'Confirms that an empty prefix deletes every entry.'}),
  })
  .refine(({prefix, all}) => prefix !== '' || all, {path: ['prefix'], error: 'it may be empty only with all=true'});

const REVISION_PROBLEM =
  'it has to be a revision: a whole number of at most 15 digits, optionally after the id of its store';

/** A revision as clients send it, for the documentation. */
export const GIVEN_REVISION = /^([0-9a-z]{1,32}-)?(0|[1-9][0-9]{0,14})$/;

/** Creates the parameters of GET /api/events. */
export function createEventsQuery({waitSecondsMax}: Limits) {
  return z
    .strictObject({
      prefix: prefixOf('entries whose key begins with'),
      kinds: z
        .string()
        .transform((text, context) => readKinds(text, context))
        .optional()
        .meta({
          type: 'string',
          description: `Kinds of events, separated by commas, of ${[...EVENT_KINDS].join(', ')}. Without it: ${[...DEFAULT_EVENT_KINDS].join(', ')}.`,
        }),
      since: z
        .string()
        .regex(GIVEN_REVISION, {error: REVISION_PROBLEM})
        .transform(text => parseRevision(text) as GivenRevision)
        .optional()
        .meta({
          type: 'string',
          pattern: GIVEN_REVISION.source,
          description:
            'The revision that was seen last, with or without its store; without it, from now on. A `Last-Event-ID` takes precedence.',
        }),
      lastEventId: z
        .string()
        .regex(GIVEN_REVISION, {error: REVISION_PROBLEM})
        .transform(text => parseRevision(text) as GivenRevision)
        .optional()
        .meta({
          type: 'string',
          pattern: GIVEN_REVISION.source,
          description:
            'The `Last-Event-ID` of a client that cannot send the header, such as a polyfill of `EventSource`; the header takes precedence.',
        }),
      initial: flag
        .default(false)
        .meta({description: 'Whether to send the existing entries first; with `since`, only after a `reset`.'}),
      wait: countUpTo(waitSecondsMax, 'it has to be a whole number of seconds').optional().meta({
        description:
          'Answers once instead of streaming: with the events so far, or the next ones within this many seconds.',
      }),
    })
    .refine(({initial, wait}) => !initial || wait === undefined, {
      path: ['initial'],
      error: 'it cannot be combined with wait; GET /api/keys lists the entries that are present',
    });
}

function readKinds(text: string, context: z.RefinementCtx): ReadonlySet<EventKind> {
  const kinds = text.split(',');
  const unknown = kinds.find(kind => !isEventKind(kind));
  if (unknown === undefined) return new Set(kinds.filter(isEventKind));
  const message = `${JSON.stringify(unknown.slice(0, 40))} is not a kind of event; there are ${[...EVENT_KINDS].join(', ')}`;
  context.addIssue({code: 'custom', message});
  return z.NEVER;
}

function isEventKind(text: string): text is EventKind {
  const names: ReadonlySet<string> = EVENT_KINDS;
  return names.has(text);
}

/** Parameters of GET /api/requests. */
export const REQUESTS_QUERY = z.strictObject({
  since: z.string().optional().meta({
    description:
      'The `cursor` of an earlier answer, or the sequence number of a request: only requests after it. A cursor of an earlier run of the service is before all requests. A `Last-Event-ID` takes precedence.',
  }),
});

/** Parameters of DELETE /api/faults. */
export const END_FAULTS_QUERY = z.strictObject({
  kind: z
    .enum(FAULT_KINDS, {error: `it has to be one of ${FAULT_KINDS.join(', ')}`})
    .optional()
    .meta({description: 'Ends only faults of this kind.'}),
});

/** Parameters of GET /api/export. */
export const EXPORT_QUERY = z.strictObject({
  prefix: prefixOf('keys that begin with'),
});

/** Parameters of POST /api/import. */
export const IMPORT_QUERY = z.strictObject({
  mode: z.enum(['merge', 'replace'], {error: 'it has to be "merge" or "replace"'}).default('merge').meta({
    description:
      '`merge` leaves entries that the export does not have; `replace` deletes those whose keys begin with its prefix.',
  }),
  'dry-run': flag.default(false).meta({description: 'Whether to read and check everything, but store nothing.'}),
});

/**
 * Reads a query by its schema.
 *
 * @throws {AppError} `invalid-parameter` with the first problem; also for a parameter that the schema lacks.
 */
export function readParameters<T>(query: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(parseQuery(query), {reportInput: true});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    throw invalidParameter(issue.keys[0] ?? '', 'the operation has no such parameter');
  }
  const missing = issue?.code === 'invalid_type' && issue.input === undefined;
  throw invalidParameter(
    String(issue?.path[0] ?? ''),
    missing ? 'it is required' : (issue?.message ?? 'it is invalid'),
  );
}
