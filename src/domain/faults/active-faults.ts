import type {Failure} from '../../failures/failure.ts';
import type {FaultKind} from '../../failures/fault-mark.ts';
import type {Commit} from '../commits/commit.ts';
import type {Identity} from '../identity/identity.ts';
import type {SessionStatus} from '../identity/session.ts';

/** A request that faults may be about. */
export interface FaultedRequest {
  readonly method: string;
  /** Path without query, as it was sent. */
  readonly path: string;
  /** The plugin that sends it, if it is known. */
  readonly plugin: string | undefined;
}

/** The faults of one request. */
export interface DrawnFaults {
  /** Time to wait before the request is handled, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** Replaces the handling of the request. */
  readonly ending?: {readonly kind: 'cut'} | {readonly kind: 'error'; readonly failure: Failure} | undefined;
}

/** The faults that are on, for a server. Never changes. */
export interface ActiveFaults {
  /** Kinds of all faults. */
  readonly kinds: ReadonlySet<FaultKind>;
  /** Draws the faults of a request: of several that fit the first delay, and the first error or cut. */
  draw(request: FaultedRequest): DrawnFaults;
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
   * @throws {AppError} `sign-in-unavailable`, `no-identity`, `back-end-unreachable`, with the mark of their fault.
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
