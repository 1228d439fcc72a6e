import type {Failure} from './failure.ts';
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
  /** The end of the session, in milliseconds since the Unix epoch, if it is known. */
  readonly expiresAtMs?: number | undefined;
  /** Whether the served identity is the last known one, not confirmed by the back end since. */
  readonly stale: boolean;
  /** The address of the back end of the airline. */
  readonly scriptURL?: string | undefined;
  readonly kept?: SessionPlace | undefined;
  /** The reason why the session is stale, expired or not resumed; absent if its time ended without a failure. */
  readonly problem?: Failure | undefined;
}

/** The credentials of a sign-in. */
export interface SignIn {
  /** The address of the back end, if no airline is configured. */
  readonly scriptURL?: string | undefined;
  /** An e-mail address if it contains `@`, otherwise the number of the pilot. */
  readonly username: string;
  /** Sent to the back end of the airline once, and never kept. */
  readonly password: string;
  /** Whether the caller may name a back end that is not configured. */
  readonly mayNameBackEnd: boolean;
}

/** The port of sessions: pilots sign in and out. */
export interface Sessions {
  status(): SessionStatus;

  /**
   * Signs in and serves the identity of the pilot from then on. A failure changes nothing.
   *
   * @throws {AppError} `invalid-sign-in`, `sign-in-unavailable`, `sign-in-busy`, and every failure of a back end.
   */
  signIn(signIn: SignIn): Promise<SessionStatus>;

  /**
   * Starts a verification of the session at the back end, for callers that the back end has just refused. Does not wait
   * for the result: the end of the session is announced as `identity-changed`. Verifies at most once a minute; further
   * calls within the minute do nothing.
   *
   * @throws {AppError} `no-identity` if no pilot is signed in at a back end; `sign-in-unavailable` if the identity comes from
   * another source.
   */
  verify(): Promise<SessionStatus>;

  /** Deletes the session, wherever it is kept. Idempotent. @throws {AppError} `sign-in-unavailable`. */
  signOut(): Promise<SessionStatus>;
}
