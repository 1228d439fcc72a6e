import type {SessionStatus, SignIn} from '../domain/identity/session.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {isSentFailure} from '../failures/failure.ts';
import {problemMembers, readProblemMembers} from './failure/failure-document.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument, readExpiryMember, readTime} from './text/read-document.ts';

/** Writes the body of a sign-in: `SIGN_IN` reads it. */
export function formatSignIn({scriptURL, username, password}: SignIn): string {
  return JSON.stringify({scriptURL, username, password});
}

/** Status of the session, as it travels. */
export interface SessionDocument {
  readonly state: SessionStatus['state'];
  readonly source: SessionStatus['source'];
  /** Beginning of the state (RFC 3339, UTC). */
  readonly since: string;
  readonly summary?: string | undefined;
  /** End of the session, if known (RFC 3339, UTC). */
  readonly expiresAt?: string | undefined;
  /** Absent if the session is not stale. */
  readonly stale?: boolean | undefined;
  /** Time of the last verification (RFC 3339, UTC). */
  readonly verifiedAt?: string | undefined;
  /** Absent if the back end offers to verify sessions, or if that is unknown. */
  readonly unverifiable?: boolean | undefined;
  readonly scriptURL?: string | undefined;
  readonly kept?: SessionStatus['kept'];
  /** The result of {@link problemMembers}; {@link readProblemMembers} checks it. */
  readonly problem?: object | undefined;
}

/** Writes the status of the session. */
export function formatSession(status: SessionStatus): string {
  return JSON.stringify(sessionDocument(status));
}

/** Returns the status of the session as it travels. */
export function sessionDocument(status: SessionStatus): SessionDocument {
  const {state, source, sinceMs, summary, expiresAtMs, stale, verifiedAtMs, unverifiable, scriptURL, kept, problem} =
    status;
  return {
    state,
    source,
    since: formatTime(sinceMs),
    summary,
    expiresAt: expiresAtMs === undefined ? undefined : formatTime(expiresAtMs),
    stale: stale || undefined,
    verifiedAt: verifiedAtMs === undefined ? undefined : formatTime(verifiedAtMs),
    unverifiable,
    scriptURL,
    kept,
    problem: problem && problemMembers(problem),
  };
}

/** Reads what {@link formatSession} writes. @throws {UnexpectedDocument} */
export function readSession(json: string): SessionStatus {
  const {
    since,
    expiresAt,
    stale = false,
    verifiedAt,
    problem,
    ...others
  } = readDocument<SessionDocument>(json, SESSION);
  return {
    ...others,
    sinceMs: readTime(since),
    ...readExpiryMember(expiresAt),
    stale,
    ...(verifiedAt === undefined ? {} : {verifiedAtMs: readTime(verifiedAt)}),
    problem: problem && readProblemMembers({...problem}, {httpStatus: 200, isKnown: isSentFailure}),
  };
}

const SESSION: ShapeOf<SessionDocument> = {
  state: 'string',
  source: 'string',
  since: 'string',
  'summary?': 'string',
  'expiresAt?': 'string',
  'stale?': 'boolean',
  'verifiedAt?': 'string',
  'unverifiable?': 'boolean',
  'scriptURL?': 'string',
  'kept?': 'string',
  'problem?': {},
};
