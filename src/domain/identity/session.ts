import type {AppError} from '../../failures/app-error.ts';
import type {IdentityOrigin} from './identity.ts';

/** The state of the session. It is `expired` if the back end of the airline refuses it, or its time is over. */
export type SessionState = 'signed-out' | 'signed-in' | 'expired';

/** The place that keeps a session for the next start; a session in memory ends with the process. */
export type SessionPlace = 'keychain' | 'file' | 'memory';

/** The status of the session. Contains no secret. */
export interface SessionStatus {
  readonly state: SessionState;
  readonly source: IdentityOrigin['kind'];
  /** The time of the last change of the state, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** The pilot and the airline in one line, for people; absent if no pilot is signed in. */
  readonly summary?: string | undefined;
  /** The end of the session, in milliseconds since the Unix epoch, if it is known. */
  readonly expiresAtMs?: number | undefined;
  /** True if the served identity is the last known one, and the back end has not confirmed it since. */
  readonly stale: boolean;
  /**
   * The time at which the back end confirmed the session last, in milliseconds since the Unix epoch. Absent if it has not since the
   * sign-in, or since the service started.
   */
  readonly verifiedAtMs?: number | undefined;
  /** True if the back end does not offer to verify sessions (`pilot/verify`): the session is kept to its end. */
  readonly unverifiable?: boolean | undefined;
  /** The address of the back end of the airline. */
  readonly scriptURL?: string | undefined;
  readonly kept?: SessionPlace | undefined;
  /** The reason why the session is stale, expired or not resumed; absent if its time ended without a failure. */
  readonly problem?: AppError | undefined;
}

/** The credentials of a sign-in. */
export interface SignIn {
  /** The address of the back end, if no airline is configured. */
  readonly scriptURL?: string | undefined;
  /** An e-mail address if it contains `@`, otherwise the number of the pilot. */
  readonly username: string;
  /** Sent to the back end of the airline once, and never kept. */
  readonly password: string;
}

/** Longest user name and password, in UTF-16 units: longer than any back end takes. */
export const CREDENTIAL_LENGTH_MAX = 1024;

/** Options of a sign-in. */
export interface SignInOptions {
  /** Ends the call, which throws the reason of the signal. The sign-in may still succeed; a sign-out ends it, too. */
  readonly signal?: AbortSignal | undefined;
}

/** The port of sessions: pilots sign in and out. */
export interface Sessions {
  status(): Promise<SessionStatus>;

  /**
   * Signs in and serves the identity of the pilot from then on. A failure changes nothing.
   *
   * @throws {AppError} `invalid-sign-in`, `sign-in-unavailable`, `sign-in-busy`, and every failure of a back end.
   */
  signIn(signIn: SignIn, options?: SignInOptions): Promise<SessionStatus>;

  /**
   * Starts a verification of the session at the back end, for callers that the back end has just refused. Does not wait
   * for the result: the end of the session is announced as `identity-changed`. Verifies at most once a minute; further
   * calls within the minute do nothing.
   *
   * @throws {AppError} `no-identity` if no pilot is signed in at a back end; `sign-in-unavailable` if the identity comes from
   * another source.
   */
  verify(): Promise<SessionStatus>;

  /**
   * Deletes the session, wherever it is kept, and ends a sign-in that is in progress. Idempotent.
   *
   * @throws {AppError} `sign-in-unavailable`.
   */
  signOut(): Promise<SessionStatus>;
}

/** The port of sessions for a server, which signs in on behalf of callers with fewer rights than this program. */
export interface ServedSessions extends Sessions {
  signIn(signIn: SignIn, options?: ServedSignInOptions): Promise<SessionStatus>;
}

/** Options of a sign-in that a server carries out for a caller. */
export interface ServedSignInOptions extends SignInOptions {
  /** True if the caller may name a back end that is not configured. @default {true} */
  readonly mayNameBackEnd?: boolean | undefined;
}
