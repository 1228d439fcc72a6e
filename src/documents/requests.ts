import * as v from 'valibot';
import {PERMISSION_NAMES, type RequestedToken} from '../domain/access/access.ts';
import type {RequestedGrants} from '../domain/access/access-grants.ts';
import {SAMPLE_PILOT_NAMES} from '../domain/identity/pilots.ts';
import {CREDENTIAL_LENGTH_MAX, type SignIn} from '../domain/identity/session.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {DOCUMENT_MEMBERS_MAX, describeBreadth} from '../json/document-object.ts';
import {JsonIndex} from '../json/json-index.ts';
import {TooBroad} from '../json/json-limits.ts';
import {closed, described, ZONED_TIME_PATTERN} from './kinds.ts';
import {checkValue, formatProblems, type Problem} from './problems.ts';

const text = v.string();

/** Largest body of a sign-in, in bytes: an address, a name and a password of the largest usual sizes. */
export const SIGN_IN_BYTES_MAX = 16 * 1024;

// Only described: what reads a sign-in checks them, with messages that contain no secret.
const CREDENTIAL_LENGTHS = {minLength: 1, maxLength: CREDENTIAL_LENGTH_MAX};

/** Body of POST /api/session. */
export const SIGN_IN = closed({
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
});

/**
 * Reads a sign-in.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-sign-in` with the path of each problem.
 */
export function readSignIn(body: Uint8Array): SignIn {
  return readSmallDocument(body, SIGN_IN, problems => ({code: 'invalid-sign-in', problems}));
}

/** Maximum size of the body of a choice of a pilot, in bytes: one name. */
export const PILOT_CHOICE_BYTES_MAX = 16 * 1024;

/** Body of PUT /api/pilots/current. The names are only described: an unknown one has a failure of its own. */
export const PILOT_CHOICE = closed({name: v.pipe(text, v.metadata({enum: SAMPLE_PILOT_NAMES}))});

/**
 * Reads the choice of a pilot.
 *
 * @returns The name of the pilot.
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-pilot-choice` with the path of each problem.
 */
export function readPilotChoice(body: Uint8Array): string {
  return readSmallDocument(body, PILOT_CHOICE, problems => ({code: 'invalid-pilot-choice', problems})).name;
}

/** Maximum size of the body that allows an origin, in bytes: one origin. */
export const ALLOWED_ORIGIN_BYTES_MAX = 4 * 1024;

/** Body of POST /api/allowed-origins. */
export const ALLOWED_ORIGIN = closed({origin: text});

/**
 * Reads an origin to allow.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-origin` with the path of each problem.
 */
export function readAllowedOrigin(body: Uint8Array): string {
  return readSmallDocument(body, ALLOWED_ORIGIN, problems => ({code: 'invalid-origin', problems})).origin;
}

/** Maximum size of the body with a code, in bytes: the code has 43 characters. */
export const CODE_BYTES_MAX = 1024;

/** Body of POST /api/access/page-tokens. */
export const CODE_EXCHANGE = closed({code: text});

/**
 * Reads the body that exchanges a code.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-code` if it has no code.
 */
export function readCodeExchange(body: Uint8Array): string {
  return readSmallDocument(body, CODE_EXCHANGE, () => ({code: 'invalid-code'})).code;
}

/** Maximum size of the body that creates a token, in bytes: as many and as long permissions as it may have. */
export const TOKEN_REQUEST_BYTES_MAX = 64 * 1024;

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const END = v.pipe(
  v.custom<string>(
    given => typeof given === 'string' && RFC_3339.test(given) && !Number.isNaN(Date.parse(given)),
    'has to be a time such as "2027-01-31T12:00:00Z"',
  ),
  v.metadata({type: 'string', format: 'date-time', pattern: ZONED_TIME_PATTERN}),
);

/** Body of POST /api/access/tokens. */
export const TOKEN_REQUEST = closed({
  name: described(text, 'Unique; letters, digits, dots, dashes and underscores.'),
  permissions: described(
    v.array(text),
    `Of ${PERMISSION_NAMES.join(', ')}, entries:read:PREFIX and entries:write:PREFIX; a prefix is empty or ends in a slash.`,
  ),
  expiresAt: described(v.optional(END), 'End of its validity; without it, it does not expire.'),
});

/**
 * Reads the body that creates a token.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-token-request` with the path of each problem of the form.
 */
export function readTokenRequest(body: Uint8Array): RequestedToken {
  const {expiresAt, ...requested} = readSmallDocument(body, TOKEN_REQUEST, problems => ({
    code: 'invalid-token-request',
    problems,
  }));
  return {...requested, ...(expiresAt !== undefined && {expiresAtMs: Date.parse(expiresAt)})};
}

/** Maximum size of the body that gives permissions, in bytes: as many and as long ones as a plugin may have. */
export const GRANT_REQUEST_BYTES_MAX = 64 * 1024;

/** Body of POST /api/access/grants. */
export const GRANT_REQUEST = closed({
  plugin: described(text, 'Id of a plugin, which need not be installed.'),
  permissions: described(v.array(text), 'To add to those that it has.'),
});

/**
 * Reads the body that gives a plugin permissions.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-grant-request` with the path of each problem of the form.
 */
export function readGrantRequest(body: Uint8Array): RequestedGrants {
  return readSmallDocument(body, GRANT_REQUEST, problems => ({code: 'invalid-grant-request', problems}));
}

/** Maximum nesting depth of a small document, which contains only strings. */
const DEPTH_MAX = 8;

/**
 * Reads an object of a few strings, such as a sign-in.
 *
 * @param fail Returns the failure for the problems.
 * @throws {AppError} `invalid-json`, `value-too-deep`; the failure with the path of each problem.
 */
function readSmallDocument<T>(
  body: Uint8Array,
  schema: v.GenericSchema<unknown, T>,
  fail: (problems: readonly DocumentProblem[]) => Failure,
): T {
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

function indexDocument(body: Uint8Array, fail: (problems: readonly DocumentProblem[]) => Failure): JsonIndex {
  try {
    return new JsonIndex(body, {depthMax: DEPTH_MAX, breadthMax: [DOCUMENT_MEMBERS_MAX]});
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error;
    throw new AppError(fail([describeBreadth(error)]), {cause: error});
  }
}
