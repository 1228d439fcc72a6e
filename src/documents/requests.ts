import * as v from 'valibot';
import {PERMISSION_NAMES} from '../domain/access/access.ts';
import {SAMPLE_PILOT_NAMES} from '../domain/identity/pilots.ts';
import {CREDENTIAL_LENGTH_MAX} from '../domain/identity/session.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {DOCUMENT_MEMBERS_MAX, describeBreadth} from '../json/document-object.ts';
import {JsonIndex} from '../json/json-index.ts';
import {TooBroad} from '../json/json-limits.ts';
import {closed, described, ZONED_TIME_PATTERN} from './kinds.ts';
import {checkValue, formatProblems, type Problem} from './problems.ts';

const text = v.string();

/** A request whose body is an object of a few strings. */
export interface SmallRequest<T> {
  readonly schema: v.GenericSchema<unknown, T>;
  /** Largest body, in bytes. */
  readonly bytesMax: number;
  /** Reads a body. @throws {AppError} `invalid-json`, `value-too-deep`; the failure of the request with the path of each problem. */
  readonly read: (body: Uint8Array) => T;
}

interface RequestRules {
  readonly bytesMax: number;
  /** Returns the failure for the problems. */
  readonly fail: (problems: readonly DocumentProblem[]) => Failure;
}

function smallRequest<T>(schema: v.GenericSchema<unknown, T>, {bytesMax, fail}: RequestRules): SmallRequest<T> {
  return {schema, bytesMax, read: body => readSmallDocument(body, schema, fail)};
}

// Only described: what reads a sign-in checks them, with messages that contain no secret.
const CREDENTIAL_LENGTHS = {minLength: 1, maxLength: CREDENTIAL_LENGTH_MAX};

/** Body of POST /api/session: an address, a name and a password of the largest usual sizes. */
export const SIGN_IN = smallRequest(
  closed({
    scriptURL: described(
      v.optional(text),
      'The address of the back end, if no airline is configured; web pages may not send it.',
    ),
    username: v.pipe(text, v.metadata({...CREDENTIAL_LENGTHS, description: 'Pilot number or e-mail address.'})),
    password: v.pipe(
      text,
      v.metadata({
        ...CREDENTIAL_LENGTHS,
        description: 'Sent to the back end once, and not stored.',
        format: 'password',
        writeOnly: true,
      }),
    ),
  }),
  {bytesMax: 16 * 1024, fail: problems => ({code: 'invalid-sign-in', problems})},
);

/** Body of PUT /api/pilots/current. The names are only described: an unknown one has a failure of its own. */
export const PILOT_CHOICE = smallRequest(closed({name: v.pipe(text, v.metadata({enum: SAMPLE_PILOT_NAMES}))}), {
  bytesMax: 16 * 1024,
  fail: problems => ({code: 'invalid-pilot-choice', problems}),
});

/** Body of POST /api/allowed-origins. */
export const ALLOWED_ORIGIN = smallRequest(closed({origin: text}), {
  bytesMax: 4 * 1024,
  fail: problems => ({code: 'invalid-origin', problems}),
});

/** Body of POST /api/access/page-tokens. The code has 43 characters. */
export const CODE_EXCHANGE = smallRequest(closed({code: text}), {bytesMax: 1024, fail: () => ({code: 'invalid-code'})});

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const END = v.pipe(
  v.custom<string>(
    given => typeof given === 'string' && RFC_3339.test(given) && !Number.isNaN(Date.parse(given)),
    'has to be a time such as "2027-01-31T12:00:00Z"',
  ),
  v.metadata({type: 'string', format: 'date-time', pattern: ZONED_TIME_PATTERN}),
);

/** Body of POST /api/access/tokens, with as many and as long permissions as a token may have. */
export const TOKEN_REQUEST = smallRequest(
  closed({
    name: described(text, 'Unique; letters, digits, dots, dashes and underscores.'),
    permissions: described(
      v.array(text),
      `Of ${PERMISSION_NAMES.join(', ')}, entries:read:PREFIX and entries:write:PREFIX; a prefix is empty or ends in a slash.`,
    ),
    expiresAt: described(v.optional(END), 'End of its validity; without it, it does not expire.'),
  }),
  {bytesMax: 64 * 1024, fail: problems => ({code: 'invalid-token-request', problems})},
);

/** Body of POST /api/access/grants, with as many and as long permissions as a plugin may have. */
export const GRANT_REQUEST = smallRequest(
  closed({
    plugin: described(text, 'Id of a plugin, which need not be installed.'),
    permissions: described(v.array(text), 'To add to those that it has.'),
  }),
  {bytesMax: 64 * 1024, fail: problems => ({code: 'invalid-grant-request', problems})},
);

/** Maximum nesting depth of a small document, which contains only strings. */
const DEPTH_MAX = 8;

function readSmallDocument<T>(body: Uint8Array, schema: v.GenericSchema<unknown, T>, fail: RequestRules['fail']): T {
  const duplicates = findDuplicates(indexDocument(body, fail));
  const checked = checkValue(schema, JSON.parse(new TextDecoder().decode(body)));
  if ('value' in checked && duplicates.length === 0) return checked.value;
  const found = 'found' in checked ? checked.found : [];
  throw new AppError(fail(formatProblems([...duplicates, ...found])));
}

/** Finds members that a parsed object has lost. */
function findDuplicates(index: JsonIndex): readonly Problem[] {
  const names = index.isObject(index.root) ? index.members(index.root).map(({name}) => name) : [];
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  return repeated.map(name => ({keys: [name], problem: 'occurs more than once'}));
}

function indexDocument(body: Uint8Array, fail: RequestRules['fail']): JsonIndex {
  try {
    return new JsonIndex(body, {depthMax: DEPTH_MAX, breadthMax: [DOCUMENT_MEMBERS_MAX]});
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error;
    throw new AppError(fail([describeBreadth(error)]), {cause: error});
  }
}
