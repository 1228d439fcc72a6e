import type {Failure} from './failure.ts';
import type {IdentityOrigin} from './identity.ts';

/** Whether somebody is signed in. An expired session is one that the back end of the airline refuses, or whose time is over. */
export type SessionState = 'signed-out' | 'signed-in' | 'expired';

/** Where a session is kept, so that the next start takes it up again; in memory it is gone with the process. */
export type SessionPlace = 'keychain' | 'file' | 'memory';

/** How it stands with the session. Holds no secret. */
export interface SessionStatus {
  readonly state: SessionState;
  readonly source: IdentityOrigin['kind'];
  /** Since when the state is what it is, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** When the session ends, in milliseconds since the Unix epoch, where that is known. */
  readonly expiresAtMs?: number | undefined;
  /** Whether what is served is the last known identity, which the back end did not confirm since. */
  readonly stale: boolean;
  /** The address of the back end of the airline. */
  readonly scriptURL?: string | undefined;
  readonly kept?: SessionPlace | undefined;
  /** Why it is stale, expired or not taken up; absent if the time of the session was over and nothing had failed. */
  readonly problem?: Failure | undefined;
}

/** What somebody signs in with. */
export interface SignIn {
  /** Where, if no airline is configured. */
  readonly scriptURL?: string | undefined;
  /** With an `@` an e-mail address, otherwise the number of the pilot. */
  readonly username: string;
  /** Sent to the back end of the airline once, and kept nowhere. */
  readonly password: string;
  /** Whether the caller may name a back end that nobody configured. */
  readonly mayNameBackEnd: boolean;
}

/** The port of whatever pilots sign in to. */
export interface Sessions {
  status(): SessionStatus;

  /**
   * Signs in and serves the pilot from then on. A failure leaves everything as it was.
   *
   * @throws {AppError} `invalid-sign-in`, `sign-in-unavailable`, `sign-in-busy`, and every failure of a back end.
   */
  signIn(signIn: SignIn): Promise<SessionStatus>;

  /**
   * Has the back end asked now whether the session holds, for callers that it has just refused. Does not wait for the
   * answer: if the session is over, that is announced as `identity-changed`. The back end is asked at most once a minute;
   * within it a call is taken and asks nothing.
   *
   * @throws {AppError} `no-identity` if nobody is signed in at a back end; `sign-in-unavailable` if the identity comes from
   * another source.
   */
  verify(): Promise<SessionStatus>;

  /** Forgets the session, wherever it is kept; nobody to sign out is fine. @throws {AppError} `sign-in-unavailable`. */
  signOut(): Promise<SessionStatus>;
}
