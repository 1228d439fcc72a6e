import * as v from 'valibot';
import {ACCESS_MODES} from '../../domain/access/access.ts';
import {closed, described, maybe, open, TIME} from '../kinds.ts';
import {anyText, count, matching, storeId, whole} from './answer-kinds.ts';

/** Answer of GET /api. */
export const SERVICE = closed({
  name: v.literal('crewroom'),
  version: anyText,
  apiVersion: anyText,
  features: described(v.array(anyText), 'Names of what this service offers; later versions add some.'),
  storeId,
  access: described(v.picklist(ACCESS_MODES), 'What plugins may do, and programs without a token.'),
  user: maybe(anyText, 'Name of the user who runs the service; absent for pages, and if the system has none.'),
  dataDir: maybe(anyText, 'The data directory; absent if the store is in memory.'),
  storeKind: described(
    v.picklist(['lmdb', 'memory', 'etcd']),
    'Where the entries are: on disk, in memory, which ends with the service, or in etcd.',
  ),
  developments: maybe(
    v.array(closed({plugin: anyText, port: count})),
    'Plugins that "crewroom dev" runs in other services of this user; absent without any.',
  ),
  links: v.record(v.string(), anyText),
});

/** Answer of GET /api/limits. */
export const LIMITS = described(
  v.record(v.string(), whole),
  'Every limit, by name. A name ends with its unit; without a unit it is a count.',
);

/** Answer of POST /api/stop. */
export const STOPPING = closed({processId: described(whole, 'Process that ends.')});

/** Answer of GET /livez. */
export const LIVENESS = closed({live: v.literal(true)});

const source = described(
  v.picklist(['back-end', 'profile', 'sample', 'none']),
  'Where the identity comes from; "back-end" is the back end of the airline.',
);

const state = v.picklist(['signed-out', 'signed-in', 'expired']);

const stale = described(
  v.boolean(),
  'True if the back end of the airline could not confirm the session: the last known identity is served.',
);

const summary = maybe(anyText, 'The pilot and the airline, for people; absent if no pilot is signed in.');

/** Answer of /api/session. */
export const SESSION = closed({
  state,
  source,
  changedAt: described(TIME, 'Time of the last change of the state, UTC.'),
  summary,
  expiresAt: maybe(TIME, 'End of the session, if known, UTC.'),
  stale,
  verifiedAt: maybe(
    TIME,
    'When the back end confirmed the session last, at first by the sign-in, UTC; absent if it has not since the start.',
  ),
  unverifiable: described(
    v.boolean(),
    'True if the back end does not offer to verify sessions: the session is kept to its end.',
  ),
  scriptURL: maybe(anyText, 'The address of the back end.'),
  kept: maybe(v.picklist(['keychain', 'file', 'memory']), 'Where the session is stored.'),
  problem: maybe(
    open({code: anyText, detail: anyText, advice: anyText}),
    'Why the session is stale, expired, or could not be restored; a code may have further members.',
  ),
});

/** Answer of /api/pilots. */
export const PILOTS = closed({
  pilots: v.array(closed({name: anyText, description: described(anyText, 'The purpose of this sample.'), summary})),
  current: maybe(anyText, 'Name of the sample that is served; absent if the identity has another source.'),
});

/** Answer of GET /readyz. */
export const READINESS = closed({
  ready: v.boolean(),
  storeState: v.picklist(['read-write', 'read-only']),
  identity: closed({
    source,
    signedIn: v.boolean(),
    state,
    pilot: maybe(anyText, 'Name of the sample pilot, if the identity is a sample.'),
    filled: maybe(
      v.array(anyText),
      'Members of the profile that come from the sample, as JSONPaths; absent for a whole profile.',
    ),
    stale,
    summary,
  }),
  faults: maybe(v.array(anyText), 'Faults that are switched on, as "crewroom fault" has them; absent without any.'),
});

/** Answer of every failure (RFC 9457); a code may have further members. */
export const PROBLEM = open({
  type: described(
    matching(/^\/docs\/errors\/[a-z-]+$/),
    'The address of a page that describes the failure, relative to the service.',
  ),
  title: described(anyText, 'The name of the HTTP status.'),
  status: whole,
  detail: described(anyText, 'What went wrong, for people.'),
  instance: described(anyText, 'The id of the request, as in the log of the service.'),
  advice: described(anyText, 'What to do, for people.'),
  code: described(anyText, 'What went wrong, for programs. Codes are stable.'),
});

/** A request that was answered. */
export const RECORDED_REQUEST = closed({
  sequence: described(v.pipe(whole, v.minValue(1)), 'Number of the request since the service started.'),
  requestedAt: described(TIME, 'Time at which it arrived, UTC.'),
  method: anyText,
  path: described(anyText, 'Path as it was sent, with … for the values of parameters that may be secrets.'),
  status: v.pipe(whole, v.minValue(100), v.maxValue(599)),
  durationMs: described(
    v.pipe(v.number(), v.minValue(0)),
    'Time until the answer, for a stream or a WebSocket until it began.',
  ),
  sizeBytes: maybe(count, 'Size of the body of the answer; absent for a stream.'),
  origin: maybe(anyText, 'Origin of the web page that sent it; absent for local programs.'),
  plugin: maybe(anyText, 'Id of the plugin whose background or page sent it.'),
  own: described(
    v.boolean(),
    'True if a page of the service itself, such as the console, sent it, or if it loaded a file of a page.',
  ),
  headers: described(v.record(v.string(), anyText), 'Some of its headers, with names in lower case.'),
  failure: maybe(
    closed({
      code: anyText,
      detail: described(anyText, 'The message of the failure.'),
      advice: described(anyText, 'One line of advice.'),
      instance: described(anyText, 'The `instance` of the answer; the log has it too.'),
      what: maybe(anyText, 'The case, for a code that has several.'),
      why: maybe(anyText, 'The same.'),
      stage: maybe(anyText, 'The same.'),
    }),
    'Absent if it did not fail.',
  ),
});

/** Answer of GET /api/requests. */
export const REQUEST_LIST = closed({
  requests: v.array(RECORDED_REQUEST),
  cursor: described(matching(/^[0-9a-f]{8}-[0-9]+$/), 'The `after` of the next request.'),
  missed: described(count, 'Number of requests after `after` that are no longer kept.'),
});
