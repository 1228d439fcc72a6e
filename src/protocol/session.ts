import {AppError, describeFailure} from '../domain/app-error.ts';
import {DOCUMENT_MEMBERS_MAX, DocumentObject, describeBreadth} from '../domain/document-object.ts';
import type {DocumentProblem} from '../domain/failure.ts';
import {adviseOn} from '../domain/failure-advice.ts';
import {JsonIndex} from '../domain/json-index.ts';
import {TooBroad} from '../domain/json-limits.ts';
import type {SessionStatus} from '../domain/session.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument} from './text/read-document.ts';

/** Largest body of a sign-in, in bytes: an address, a name and a password of the largest usual sizes. */
export const SIGN_IN_BYTES_MAX = 16 * 1024;

/** Longest user name and password, in UTF-16 units: longer than any back end takes. */
export const CREDENTIAL_LENGTH_MAX = 1024;

/** Deepest nesting of a sign-in, which holds only strings. */
const DEPTH_MAX = 8;

/** Writes the body of a sign-in. */
export function formatSignIn({scriptURL, username, password}: SignInRequest): string {
  return JSON.stringify({scriptURL, username, password});
}

/** Credentials to sign in with. */
export interface SignInRequest {
  /** Address of the back end, if the service has no airline configured. The service refuses it from a web page. */
  readonly scriptURL?: string | undefined;
  /** Number of the pilot, or the e-mail address. */
  readonly username: string;
  readonly password: string;
}

/**
 * Reads what {@link formatSignIn} writes.
 *
 * @throws {AppError} `invalid-json`; `invalid-sign-in` with the path of each problem.
 */
export function readSignIn(body: Uint8Array): SignInRequest {
  const index = indexDocument(body);
  const problems: DocumentProblem[] = [];
  const report = (problem: DocumentProblem): void => void problems.push(problem);
  const root = new DocumentObject({index, span: index.root, path: '$', report});
  const scriptURL = root.has('scriptURL') ? root.string('scriptURL') : undefined;
  const username = readCredential(root, 'username', report)?.trim();
  const password = readCredential(root, 'password', report);
  root.end();
  if (username === undefined || password === undefined || problems.length > 0)
    throw new AppError({code: 'invalid-sign-in', problems});
  return {scriptURL, username, password};
}

function indexDocument(body: Uint8Array): JsonIndex {
  try {
    return new JsonIndex(body, {depthMax: DEPTH_MAX, breadthMax: [DOCUMENT_MEMBERS_MAX]});
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error;
    throw new AppError({code: 'invalid-sign-in', problems: [describeBreadth(error)]}, {cause: error});
  }
}

function readCredential(
  root: DocumentObject,
  name: string,
  report: (problem: DocumentProblem) => void,
): string | undefined {
  const text = root.string(name);
  if (text === undefined) return undefined;
  // Never repeat the text itself.
  if (text.trim() === '') report({path: `$.${name}`, problem: 'is empty'});
  else if (text.length > CREDENTIAL_LENGTH_MAX)
    report({path: `$.${name}`, problem: `is longer than ${CREDENTIAL_LENGTH_MAX} characters`});
  return text;
}

/** State of the session at the back end of the airline, as it travels. */
export interface SessionDocument {
  readonly state: 'signed-out' | 'signed-in' | 'expired';
  readonly source: 'back-end' | 'profile' | 'sample' | 'none';
  /** When the state began (RFC 3339, UTC). */
  readonly since: string;
  /** When the session ends, if known (RFC 3339, UTC). */
  readonly expiresAt?: string;
  /** Present if the served identity is the last known one, which the back end has not confirmed since. */
  readonly stale?: true;
  readonly scriptURL?: string;
  readonly kept?: 'keychain' | 'file' | 'memory';
  /** Why the session is stale, expired or was not resumed. */
  readonly problem?: {readonly code: string; readonly detail: string; readonly advice: string};
}

/** Writes the state of the session. */
export function formatSession(status: SessionStatus): string {
  const {state, source, sinceMs, expiresAtMs, stale, scriptURL, kept, problem} = status;
  return JSON.stringify({
    state,
    source,
    since: formatTime(sinceMs),
    expiresAt: expiresAtMs === undefined ? undefined : formatTime(expiresAtMs),
    stale: stale || undefined,
    scriptURL,
    kept,
    problem: problem && {code: problem.code, detail: describeFailure(problem), advice: adviseOn(problem)},
  });
}

/** Reads what {@link formatSession} writes. @throws {UnexpectedDocument} */
export function readSession(json: string): SessionDocument {
  return readDocument<SessionDocument>(json, SESSION);
}

const SESSION: ShapeOf<SessionDocument> = {
  state: 'string',
  source: 'string',
  since: 'string',
  'expiresAt?': 'string',
  'stale?': 'boolean',
  'scriptURL?': 'string',
  'kept?': 'string',
  'problem?': {code: 'string', detail: 'string', advice: 'string'},
};
