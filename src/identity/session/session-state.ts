import type {Identity} from '../../domain/identity/identity.ts';
import type {SessionPlace, SessionStatus} from '../../domain/identity/session.ts';
import {AppError} from '../../failures/app-error.ts';
import type {Failure} from '../../failures/failure.ts';
import type {SessionRecord} from './storage/session-record.ts';

/** The state of a session source. */
export type State =
  | {readonly kind: 'signed-out'}
  /** A session is kept, but the keychain has not returned it yet. */
  | {readonly kind: 'locked'; readonly scriptURL: string; readonly problem?: Failure | undefined}
  | SignedIn
  /** The back end refused the session, or its time is over. */
  | {readonly kind: 'expired'; readonly scriptURL: string; readonly problem?: Failure | undefined};

/** The state while a pilot is signed in. */
export interface SignedIn {
  readonly kind: 'signed-in';
  readonly scriptURL: string;
  readonly record: SessionRecord;
  readonly identity: Identity;
  readonly kept: SessionPlace;
  readonly stale: boolean;
  /** The time at which the back end confirmed the session last, in milliseconds since the Unix epoch; undefined before. */
  readonly verifiedAtMs?: number | undefined;
  /** True if the back end does not offer to verify sessions. */
  readonly unverifiable?: boolean | undefined;
  /** Reason why the session could not be refreshed; undefined unless it is stale. */
  readonly problem?: Failure | undefined;
}

/** The members of a status that depend on the session alone. */
type OwnStatus = Omit<SessionStatus, 'source' | 'sinceMs' | 'summary' | 'scriptURL'>;

/**
 * Describes a state without its secrets.
 *
 * @param hasIdentity True if an identity is served without a session.
 */
export function describeState(state: State, hasIdentity: boolean): OwnStatus {
  switch (state.kind) {
    case 'signed-in': {
      const {record, stale, kept, verifiedAtMs, unverifiable, problem} = state;
      const {expiresAtMs} = record;
      const verification = {
        ...(verifiedAtMs === undefined ? {} : {verifiedAtMs}),
        ...(unverifiable ? {unverifiable} : {}),
      };
      return {state: 'signed-in', expiresAtMs, stale, kept, ...verification, problem: errorOf(problem)};
    }
    case 'expired':
      return {state: 'expired', stale: false, problem: errorOf(state.problem)};
    case 'locked':
      return {state: 'signed-out', stale: false, kept: 'keychain', problem: errorOf(state.problem)};
    case 'signed-out':
      return {state: hasIdentity ? 'signed-in' : 'signed-out', stale: false};
  }
}

function errorOf(problem: Failure | undefined): AppError | undefined {
  return problem && new AppError(problem);
}

/** Returns the failure that an error carries; undefined for any other error. */
export function failureOf(error: unknown): Failure | undefined {
  return error instanceof AppError ? error.failure : undefined;
}
