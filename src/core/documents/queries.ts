import * as v from 'valibot';
import {DEFAULT_EVENT_KINDS, EVENT_KINDS, type EventKind, findKindsProblem} from '../domain/commits/event.ts';
import {type GivenRevision, parseLastEventId, parseRevision} from '../domain/entries/identifiers.ts';
import {KEY_BYTES_MAX, TTL_SECONDS_MAX} from '../domain/fixed-limits.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import {FAULT_KINDS} from '../failures/failure.ts';
import {closed, described, maybe} from './kinds.ts';

// Queries are read from text, so each kind is a pipe from a text to its value. Only limits that no start changes stand in them.
const {listLimit, listLimitMax, waitSecondsMax} = DEFAULT_LIMITS;

const text = v.string();

/** A parameter that is either `true` or `false`, written out; `false` without it. */
const flag = v.optional(
  v.pipe(
    text,
    v.check(given => given === 'true' || given === 'false', 'it has to be "true" or "false"'),
    v.transform(given => given === 'true'),
    v.boolean(),
  ),
  'false',
);

/** A count from 1 on, as digits. */
function countUpTo(max: number, problem: string) {
  const message = `${problem} from 1 to ${max}`;
  const digits = v.pipe(text, v.regex(/^[0-9]{1,9}$/, message), v.transform(Number));
  return v.pipe(digits, v.number(), v.safeInteger(), v.minValue(1, message), v.maxValue(max, message));
}

const pageLimit = v.optional(countUpTo(listLimitMax, 'it has to be a whole number'), String(listLimit));

function prefixOf(what: string) {
  return described(v.optional(text, ''), `Only ${what} it; at most ${KEY_BYTES_MAX} bytes of UTF-8.`);
}

/** Time to live. */
export const TTL_SECONDS = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(TTL_SECONDS_MAX));

/** Parameters of POST and PUT /api/store/{key}, for the documentation: the route parses them itself. */
export const WRITE_QUERY = closed({
  ttlSeconds: maybe(TTL_SECONDS, 'Time to live, in whole seconds; without it the entry stays until it is deleted.'),
});

/** Parameters of GET /api/keys. */
export const LIST_QUERY = closed({
  prefix: prefixOf('keys that begin with'),
  after: maybe(text, 'The `cursor` of the previous page: only keys after it.'),
  limit: described(pageLimit, 'Maximum number of entries.'),
  reverse: described(flag, 'From the last key to the first.'),
  values: described(flag, 'Whether to include the values.'),
});

/** Parameters of GET /api/history. */
export const HISTORY_QUERY = closed({
  key: described(text, 'The key of the entry.'),
  after: maybe(text, 'The `cursor` of the previous page: only changes before it.'),
  limit: described(pageLimit, 'Maximum number of changes.'),
});

/** Parameters of DELETE /api/access/grants/{plugin}. */
export const REVOKE_QUERY = closed({
  permission: maybe(text, 'The permission to take back; without it, all of the plugin.'),
});

/** Parameters of POST /api/snapshots. */
export const SNAPSHOT_QUERY = closed({prefix: prefixOf('keys that begin with')});

/** Parameters of DELETE /api/keys. */
export const DELETE_RANGE_QUERY = v.pipe(
  closed({
    prefix: described(text, 'Deletes every entry whose key begins with it; it may be empty only with `all=true`.'),
    all: described(flag, 'Confirms that an empty prefix deletes every entry.'),
  }),
  v.forward(
    v.check(({prefix, all}) => prefix !== '' || all, 'it may be empty only with all=true'),
    ['prefix'],
  ),
);

const REVISION_PROBLEM =
  'it has to be a revision: a whole number of at most 15 digits, optionally after the id of its store';

/** A revision as clients send it, for the documentation. */
export const GIVEN_REVISION = /^([0-9a-z]{1,32}-)?(0|[1-9][0-9]{0,14})$/;

const revision = v.pipe(
  text,
  v.regex(GIVEN_REVISION, REVISION_PROBLEM),
  v.transform(given => parseRevision(given) as GivenRevision),
);

const kinds = v.pipe(
  text,
  v.check(
    given => findKindsProblem(given) === undefined,
    ({input}) => findKindsProblem(input) ?? '',
  ),
  v.transform(given => given.split(',') as readonly EventKind[]),
);

/** Parameters of GET /api/events. */
export const EVENTS_QUERY = v.pipe(
  closed({
    prefix: prefixOf('entries whose key begins with'),
    kinds: maybe(
      kinds,
      `Kinds of events, separated by commas, of ${[...EVENT_KINDS].join(', ')}. Without it: ${[...DEFAULT_EVENT_KINDS].join(', ')}.`,
    ),
    after: maybe(
      revision,
      'The revision that was seen last, with or without its store; without it, from now on. A `Last-Event-ID` takes precedence.',
    ),
    lastEventId: maybe(
      v.pipe(text, v.transform(parseLastEventId)),
      'The `Last-Event-ID` of a client that cannot send the header, such as a polyfill of `EventSource`; the header takes precedence.',
    ),
    initial: described(flag, 'Whether to send the existing entries first; with `after`, only after a `reset`.'),
    waitSeconds: maybe(
      countUpTo(waitSecondsMax, 'it has to be a whole number of seconds'),
      'Answers once instead of streaming: with the events so far, or the next ones within this many seconds.',
    ),
  }),
  v.forward(
    v.check(
      ({initial, waitSeconds}) => !initial || waitSeconds === undefined,
      'it cannot be combined with waitSeconds; GET /api/keys lists the entries that are present',
    ),
    ['initial'],
  ),
);

/** Parameters of GET /api/requests. */
export const REQUESTS_QUERY = closed({
  after: maybe(
    text,
    'The `cursor` of an earlier answer, or the sequence number of a request: only requests after it. A cursor of an earlier run of the service is before all requests. A `Last-Event-ID` takes precedence.',
  ),
});

/** Parameters of DELETE /api/faults. */
export const END_FAULTS_QUERY = closed({
  kind: maybe(
    v.picklist(FAULT_KINDS, `it has to be one of ${FAULT_KINDS.join(', ')}`),
    'Ends only faults of this kind.',
  ),
});

/** Parameters of GET /api/export. */
export const EXPORT_QUERY = closed({prefix: prefixOf('keys that begin with')});

/** Parameters of POST /api/import. */
export const IMPORT_QUERY = closed({
  mode: described(
    v.optional(v.picklist(['merge', 'replace'], 'it has to be "merge" or "replace"'), 'merge'),
    '`merge` leaves entries that the export does not have; `replace` deletes those whose keys begin with its prefix.',
  ),
  keepAfter: maybe(
    revision,
    'Only with `replace`: deletes no entry that was written after this revision, such as that of a snapshot.',
  ),
  dryRun: described(flag, 'Whether to read and check everything, but store nothing.'),
});
