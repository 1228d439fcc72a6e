import * as v from 'valibot';
import {PERMISSION_NAMES} from '../domain/access/access.ts';
import {CREDENTIAL_LENGTH_MAX} from '../domain/identity/identity.ts';
import {SAMPLE_PILOT_NAMES} from '../domain/identity/pilots.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import {DOCUMENT_MEMBERS_MAX, describeBreadth} from '../json/document-object.ts';
import {JsonIndex} from '../json/json-index.ts';
import {TooBroad} from '../json/json-limits.ts';
import {FAULT_LIST} from './faults.ts';
import {closed, described, maybe, ZONED_TIME_PATTERN} from './kinds.ts';
import {checkValue, formatProblems, type Problem} from './problems.ts';

const text = v.string();

/** A request whose body is a small object. */
export interface SmallRequest<T> {
  readonly schema: v.GenericSchema<unknown, T>;
  /** Largest body, in bytes. */
  readonly bytesMax: number;
  /** Reads a body. @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-body` with each problem's path. */
  readonly read: (body: Uint8Array) => T;
}

/** The body, as `invalid-body` names it. */
type BodyName = Extract<Failure, {code: 'invalid-body'}>['what'];

function smallRequest<T>(what: BodyName, schema: v.GenericSchema<unknown, T>, bytesMax: number): SmallRequest<T> {
  return {schema, bytesMax, read: body => readSmallDocument(body, schema, what)};
}

// Only described: what reads a sign-in checks them, with messages that contain no secret.
const CREDENTIAL_LENGTHS = {minLength: 1, maxLength: CREDENTIAL_LENGTH_MAX};

/** Body of POST /api/session: an address, a name and a password of the largest usual sizes. */
export const SIGN_IN = smallRequest(
  'sign-in',
  closed({
    scriptURL: maybe(text, 'The address of the back end, if no airline is configured; web pages may not send it.'),
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
  16 * 1024,
);

/** Body of PUT /api/pilots/current. The names are only described: an unknown one has a failure of its own. */
export const PILOT_CHOICE = smallRequest(
  'pilot',
  closed({name: v.pipe(text, v.metadata({enum: SAMPLE_PILOT_NAMES}))}),
  16 * 1024,
);

/** Body of POST /api/allowed-origins. */
export const ALLOWED_ORIGIN = smallRequest('origin', closed({origin: text}), 4 * 1024);

/** Body of POST /api/access/page-tokens. The code has 43 characters. */
export const CODE_EXCHANGE = smallRequest('console-code', closed({code: text}), 1024);

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
  'token',
  closed({
    name: described(text, 'Unique; letters, digits, dots, dashes and underscores.'),
    permissions: described(
      v.array(text),
      `Of ${PERMISSION_NAMES.join(', ')}, entries:read:PREFIX and entries:write:PREFIX; a prefix is empty or ends in a slash.`,
    ),
    expiresAt: maybe(END, 'End of its validity; without it, it does not expire.'),
  }),
  64 * 1024,
);

/** Body of POST /api/access/grants, with as many and as long permissions as a plugin may have. */
export const GRANT_REQUEST = smallRequest(
  'grant',
  closed({
    plugin: described(text, 'Id of a plugin, which need not be installed.'),
    permissions: described(v.array(text), 'To add to those that it has.'),
  }),
  64 * 1024,
);

/** Body of PUT and POST /api/faults: the largest number of faults with the longest paths. */
export const FAULTS = smallRequest('faults', FAULT_LIST, 256 * 1024);

/** Maximum nesting depth of a small document. */
const DEPTH_MAX = 8;

/** Maximum number of members of a small document, and of elements of a list in it: far more than any may have. */
const BREADTH_MAX = [DOCUMENT_MEMBERS_MAX, 1000];

function readSmallDocument<T>(body: Uint8Array, schema: v.GenericSchema<unknown, T>, what: BodyName): T {
  const duplicates = findDuplicates(indexDocument(body, what));
  const checked = checkValue(schema, JSON.parse(new TextDecoder().decode(body)));
  if ('value' in checked && duplicates.length === 0) return checked.value;
  const found = 'found' in checked ? checked.found : [];
  throw new AppError({code: 'invalid-body', what, problems: formatProblems([...duplicates, ...found])});
}

/** Finds members that a parsed object has lost. */
function findDuplicates(index: JsonIndex): readonly Problem[] {
  const names = index.isObject(index.root) ? index.members(index.root).map(({name}) => name) : [];
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  return repeated.map(name => ({keys: [name], problem: 'occurs more than once'}));
}

function indexDocument(body: Uint8Array, what: BodyName): JsonIndex {
  try {
    return new JsonIndex(body, {depthMax: DEPTH_MAX, breadthMax: BREADTH_MAX});
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error;
    throw new AppError({code: 'invalid-body', what, problems: [describeBreadth(error)]}, {cause: error});
  }
}
