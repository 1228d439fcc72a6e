import {DOCUMENT_MEMBERS_MAX, DocumentObject, describeBreadth} from '../domain/document-object.ts';
import {AppError, type DocumentProblem, describeFailure} from '../domain/failure.ts';
import {adviseOn} from '../domain/failure-advice.ts';
import {JsonIndex} from '../domain/json-index.ts';
import {TooBroad} from '../domain/json-text.ts';
import type {SessionStatus, SignIn} from '../domain/session.ts';

/** Largest body of a sign-in, in bytes: an address, a name and a password, each as long as anybody has them. */
export const SIGN_IN_BYTES_MAX = 16 * 1024;

/** Longest user name and password, in UTF-16 units: longer than any back end takes. */
export const CREDENTIAL_LENGTH_MAX = 1024;

/** Deepest nesting of a sign-in: it holds nothing but texts. */
const DEPTH_MAX = 8;

/**
 * Reads the body of a sign-in.
 *
 * @throws {AppError} `invalid-json`; `invalid-sign-in` with the path of each problem.
 */
export function readSignIn(body: Uint8Array): Omit<SignIn, 'mayNameBackEnd'> {
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
  // The text itself is never repeated.
  if (text.trim() === '') report({path: `$.${name}`, problem: 'is empty'});
  else if (text.length > CREDENTIAL_LENGTH_MAX)
    report({path: `$.${name}`, problem: `is longer than ${CREDENTIAL_LENGTH_MAX} characters`});
  return text;
}

/** How it stands with the session, as HTTP shows it. */
export function formatSession(status: SessionStatus): Readonly<Record<string, unknown>> {
  const {state, source, sinceMs, expiresAtMs, stale, scriptURL, kept, problem} = status;
  return {
    state,
    source,
    since: new Date(sinceMs).toISOString(),
    ...(expiresAtMs === undefined ? {} : {expiresAt: new Date(expiresAtMs).toISOString()}),
    ...(stale ? {stale} : {}),
    ...(scriptURL === undefined ? {} : {scriptURL}),
    ...(kept === undefined ? {} : {kept}),
    ...(problem === undefined
      ? {}
      : {problem: {code: problem.code, detail: describeFailure(problem), advice: adviseOn(problem)}}),
  };
}
