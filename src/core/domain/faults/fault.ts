import type {Failure, FailureCode, FaultKind} from '../../failures/failure.ts';
import type {Commit} from '../commits/commit.ts';
import type {Identity, SessionStatus} from '../identity/identity.ts';

/** A fault that is switched on to test a plugin. It changes what callers see, never what is kept. */
export type Fault =
  | RequestFault
  /** Writes fail as on a full disk; deletions and reads work. */
  | {readonly kind: 'disk-full'}
  /** Writes and deletions fail as after the disk failed; reads work. */
  | {readonly kind: 'store-read-only'}
  /** No pilot is signed in. The kept session is not changed, and is served again afterwards. */
  | {readonly kind: 'session-expired'}
  /** The back end of the airline is unreachable: the identity is stale, and no pilot can sign in. */
  | {readonly kind: 'airline-away'}
  /** The clock of a store in memory is this number of seconds ahead. */
  | {readonly kind: 'clock'; readonly offsetSeconds: number};

/** A fault of some of the requests. */
export type RequestFault =
  /** Requests wait this number of milliseconds before they are handled. */
  | ({readonly kind: 'delay'; readonly delayMs: number} & FaultSelection)
  /** Requests fail with this code and are not carried out. */
  | ({readonly kind: 'error'; readonly code: FailureCode} & FaultSelection)
  /** Connections are closed in place of an answer; requests are not carried out. Open event streams end, too. */
  | ({readonly kind: 'cut'} & FaultSelection);

/** The requests that a fault is about; without members all below `/api/` and `/plugins/`. */
export interface FaultSelection {
  /** Path without query; `*` stands for any characters, also slashes. Compared with the path as sent, and decoded. */
  readonly path?: string | undefined;
  /** Id of the plugin whose background or page sends the request. */
  readonly plugin?: string | undefined;
}

/** The faults that are on. */
export interface FaultList {
  readonly faults: readonly Fault[];
}

/** The port of faults. Faults end with the service. */
export interface Faults {
  list(): FaultList;

  /**
   * Replaces all faults. Requests that wait for a delay continue.
   *
   * @returns The faults that are on.
   * @throws {AppError} `invalid-body`, also for a clock offset without `ephemeral`, which would delete entries for good.
   */
  set(faults: readonly Fault[]): FaultList;

  /**
   * Adds faults to those that are on. One that is on already is not added twice, but moved to the end.
   *
   * @returns The faults that are on.
   * @throws {AppError} `invalid-body`, as {@link set}.
   */
  add(faults: readonly Fault[]): FaultList;

  /**
   * Ends the faults of a kind.
   *
   * @returns The faults that are still on.
   */
  end(kind: FaultKind): FaultList;
}

/** Maximum number of faults: each request is compared with all of them. */
export const FAULTS_MAX = 32;

/** Longest delay, in milliseconds: longer than any client waits by default, and short enough to end a forgotten one. */
export const FAULT_DELAY_MS_MAX = 60_000;

/** Largest offset of the clock, in seconds: a year, the longest time to live. */
export const FAULT_OFFSET_SECONDS_MAX = 366 * 24 * 60 * 60;

/** Maximum length of a path in a fault, in UTF-16 units: enough for the longest key, percent-encoded. */
export const FAULT_PATH_LENGTH_MAX = 2000;

/** A request that faults may be about. */
export interface FaultedRequest {
  readonly method: string;
  /** Path without query, as it was sent. */
  readonly path: string;
  /** The plugin that sends it, if it is known. */
  readonly plugin: string | undefined;
}

/** The faults of one request. */
export interface RequestFaults {
  /** Time to wait before the request is handled, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** Replaces the handling of the request. */
  readonly ending?: {readonly kind: 'cut'} | {readonly kind: 'error'; readonly failure: Failure} | undefined;
}

/** The faults that are on, for a server. Never changes. */
export interface ActiveFaults {
  /** Kinds of all faults. */
  readonly kinds: ReadonlySet<FaultKind>;
  /** Finds the faults of a request: of several that fit, the first delay, and the first error or cut. */
  find(request: FaultedRequest): RequestFaults;
  /** Resolves after the time, or before if the faults change. Rejects with the reason of the signal. */
  wait(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** The port through which a server asks for faults. */
export interface ServedFaults {
  /** Undefined if no fault is on: the only cost of faults then is to read it. */
  readonly active: ActiveFaults | undefined;
  /** Calls the listener after each change. @returns A function that removes it. */
  onChange(listener: () => void): () => void;
}

/** The port through which those who write to the store ask for faults. */
export interface StoreFaults {
  /** The reason why the store shall be read-only; undefined without such a fault. */
  readonly readOnlyBecause: string | undefined;
  /**
   * Refuses a commit before it reaches the store, so that nothing is written.
   *
   * @throws {AppError} `store-read-only`, `disk-full`, with the mark of their fault.
   */
  assertMayCommit(commit: Commit): void;
}

/** A session, as it is or as it is served. */
export interface ShownSession {
  readonly identity: Identity | undefined;
  /** Returns the status, without secrets. */
  status(): SessionStatus;
}

/** A call that faults may be about. */
export type SessionCall = 'sign-in' | 'sign-out' | 'verify';

/** The port through which an identity source asks for faults, which never change its session. */
export interface SessionFaults {
  /** Returns what is served in place of a session: the session itself without such a fault. */
  show(session: ShownSession): ShownSession;
  /**
   * Decides about a call before it has any effect.
   *
   * @returns False if the call shall have none, since the back end is away.
   * @throws {AppError} `not-offered`, `no-identity`, `back-end-failed`, with the mark of their fault.
   */
  admit(call: SessionCall, session: ShownSession): boolean;
  /** Calls the listener after each change. @returns A function that removes it. */
  onChange(listener: () => void): () => void;
}

/** No faults, for ever. */
export const NO_FAULTS: ServedFaults & StoreFaults & SessionFaults = {
  active: undefined,
  onChange: () => () => {},
  readOnlyBecause: undefined,
  assertMayCommit: () => {},
  show: session => session,
  admit: () => true,
};
