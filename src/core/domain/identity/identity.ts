import type {AppError} from '../../failures/app-error.ts';

/** The identity document, which describes the pilot, exactly as its source has it. */
export interface Identity {
  /** The document as JSON text in UTF-8, serialised once per change. The bytes never change. */
  readonly json: Uint8Array;
  /** A line for people: the pilot and the airline, such as `Ada Quill (CRW0042), Crewroom Air`. */
  readonly summary: string;
  /** Members that come from the sample, since the profile lacks them, as JSONPaths; absent for a whole document. */
  readonly filled?: readonly string[];
}

/** The origin of an identity. */
export type IdentityOrigin =
  /** The back end of an airline, where a pilot signs in. */
  | {readonly kind: 'back-end'; readonly scriptURL: string}
  | {readonly kind: 'profile'; readonly file: string}
  /** `pilot` is the name of the sample, if the source has several. */
  | {readonly kind: 'sample'; readonly pilot?: string}
  | {readonly kind: 'none'};

/**
 * The members of an identity document, as the specification names them. A document may have other members, which are passed
 * on unchanged.
 */
export interface IdentityDocument {
  /** The account on the platform; absent without one. Another brand may stand in place of `vendor`. */
  readonly vendor_design_user?: PlatformAccount | undefined;
  readonly va_user: AirlineAccount;
  readonly airline: Airline;
}

/** The account of the pilot on the platform. */
export interface PlatformAccount {
  readonly id: number;
  readonly hasPremium: boolean;
  readonly token: string;
  readonly firstName: string;
  readonly lastNameInitial: string;
  readonly authority: number;
  readonly developer: boolean;
  readonly tester: boolean;
  readonly showHost: boolean;
  /** End of the session, in seconds since the Unix epoch. */
  readonly expiry?: number | null | undefined;
}

/** The account of the pilot at the airline. */
export interface AirlineAccount {
  readonly dbID: number;
  readonly pilotID: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly rank: string;
  readonly rankImage: string | null;
  readonly rankLevel: number;
  readonly avatar: string | null;
  readonly session: string;
  /** End of the session, in seconds since the Unix epoch. */
  readonly expiry?: number | null | undefined;
}

/** The airline. */
export interface Airline {
  readonly id: number;
  readonly isPartner: boolean;
  readonly settings: AirlineSettings;
  readonly plugins: readonly AirlinePlugin[];
}

/** The name, the appearance and the addresses of the airline. */
export interface AirlineSettings {
  readonly airlineName: string;
  readonly airlineICAO: string;
  readonly accentBackgroundColor: string;
  readonly accentForegroundColor: string;
  readonly welcomeMessage: string | null;
  readonly maintenanceMode: boolean;
  readonly maintenanceModeMessage: string | null;
  readonly logo: string | null;
  readonly logoDark: string | null;
  readonly icon: string | null;
  /** Address of the back end; ends in `/`, since plugins append paths to it. */
  readonly scriptURL: string;
  readonly vaURL: string;
  readonly ico: string | null;
}

/** A plugin that the airline uses, with its settings. */
export interface AirlinePlugin {
  readonly id: string;
  readonly name: string;
  readonly verified: boolean;
  readonly downloads: number;
  readonly rating: number;
  readonly totalReviews: number;
  readonly author: string;
  readonly description: string;
  readonly lastUpdated: string;
  readonly version: string;
  readonly type: string;
  /** By name. Back ends in PHP write an object without members as an empty array, and plugins get it as it is. */
  readonly availableSettings: Readonly<Record<string, unknown>> | readonly never[];
  readonly appliedSettings: AirlinePlugin['availableSettings'];
}

/** The port of a source of the identity. */
export interface IdentitySource extends AsyncDisposable {
  readonly origin: IdentityOrigin;

  /** Returns the current identity, or undefined if no pilot is signed in. */
  current(): Identity | undefined;

  /** Calls the listener after each change of {@link current}. @returns A function that removes it. */
  onChange(listener: () => void): () => void;

  /** Releases the resources of the source. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The place that keeps a session. */
export type SessionPlace = 'keychain' | 'file' | 'memory';

/** The status of the session. Contains no secret. */
export interface SessionStatus {
  /** It is `expired` if the back end of the airline refuses it, or its time is over. */
  readonly state: 'signed-out' | 'signed-in' | 'expired' | (string & {});
  readonly source: IdentityOrigin['kind'] | (string & {});
  /** The time of the last change of the state, in milliseconds since the Unix epoch. */
  readonly changedAtMs: number;
  /** The pilot and the airline in one line, for people; absent if no pilot is signed in. */
  readonly summary?: string | undefined;
  /** The end of the session, in milliseconds since the Unix epoch, if it is known. */
  readonly expiresAtMs?: number | undefined;
  /** True if the served identity is the last known one, and the back end has not confirmed it since. */
  readonly stale: boolean;
  /**
   * The time at which the back end confirmed the session last, in milliseconds since the Unix epoch: at first by the sign-in. Absent if
   * it has not since the service started.
   */
  readonly verifiedAtMs?: number | undefined;
  /** True if the back end does not offer to verify sessions (`pilot/verify`): the session is kept to its end. */
  readonly unverifiable: boolean;
  /** The address of the back end of the airline. */
  readonly scriptURL?: string | undefined;
  /** The place that keeps it for the next start; a session in memory ends with the process. */
  readonly kept?: 'keychain' | 'file' | 'memory' | (string & {}) | undefined;
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

/** The port of sessions: pilots sign in and out. */
export interface Sessions {
  status(): Promise<SessionStatus>;

  /**
   * Signs in and serves the identity of the pilot from then on. A failure changes nothing.
   *
   * @param options `signal` ends the call, which throws the reason of the signal. The sign-in may still succeed; a sign-out ends it, too.
   * @throws {AppError} `invalid-body`, `not-offered`, `busy`, and every failure of a back end.
   */
  signIn(signIn: SignIn, options?: {readonly signal?: AbortSignal | undefined}): Promise<SessionStatus>;

  /**
   * Starts a verification of the session at the back end, for callers that the back end has just refused. Does not wait
   * for the result: the end of the session is announced as `identity-changed`. Verifies at most once a minute; further
   * calls within the minute do nothing.
   *
   * @throws {AppError} `no-identity` if no pilot is signed in at a back end; `not-offered` if the identity comes from
   * another source.
   */
  verify(): Promise<SessionStatus>;

  /**
   * Deletes the session, wherever it is kept, and ends a sign-in that is in progress. Idempotent.
   *
   * @throws {AppError} `not-offered`.
   */
  signOut(): Promise<SessionStatus>;
}

/** The port of sessions for a server, which signs in on behalf of callers with fewer rights than this program. */
export interface ServedSessions extends Sessions {
  signIn(signIn: SignIn, options?: ServedSignInOptions): Promise<SessionStatus>;
}

/** Options of a sign-in that a server carries out for a caller. */
export interface ServedSignInOptions {
  readonly signal?: AbortSignal | undefined;
  /** True if the caller may name a back end that is not configured. @default {true} */
  readonly mayNameBackEnd?: boolean | undefined;
}
