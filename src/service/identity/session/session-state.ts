import type {ShownSession} from '../../../core/domain/faults/fault.ts';
import type {Identity, IdentityOrigin, SessionPlace, SessionStatus} from '../../../core/domain/identity/identity.ts';
import type {SessionStatistics} from '../../../core/domain/statistics.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {AnyFailure} from '../../../core/failures/failure.ts';
import type {Configured} from './pilot-identity.ts';
import type {SessionRecord} from './storage/session-file.ts';
import type {LockedSession} from './storage/session-keeper.ts';

/** The state of a session. All times are in milliseconds since the Unix epoch. */
export type State = SignedOut | Locked | SignedIn | Expired;

interface SignedOut {
  readonly kind: 'signed-out';
  readonly sinceMs: number;
}

/** A session is kept, but the keychain has not returned it yet. */
export interface Locked extends Attempts {
  readonly kind: 'locked';
  readonly sinceMs: number;
  readonly scriptURL: string;
  readonly session: LockedSession;
}

/** A pilot is signed in. */
export interface SignedIn extends Attempts {
  readonly kind: 'signed-in';
  readonly sinceMs: number;
  readonly scriptURL: string;
  readonly record: SessionRecord;
  readonly identity: Identity;
  readonly kept: SessionPlace;
  /** The time since which the back end has not confirmed the session: the start, or the first of the attempts that failed; undefined if it has. */
  readonly staleSinceMs: number | undefined;
  /** The time at which the back end confirmed the session last; undefined before. */
  readonly verifiedAtMs?: number | undefined;
  /** True if the back end does not offer to verify sessions. */
  readonly unverifiable: boolean;
  /** Time to resume the session; a kept session is resumed at once. */
  readonly resumeAtMs: number;
  /** End of the pause that the back end asked for. */
  readonly pausedUntilMs: number;
  /** Time of the last request of a caller for a verification of this session. */
  readonly askedAtMs: number;
}

/** The back end refused the session, or its time is over. */
interface Expired {
  readonly kind: 'expired';
  readonly sinceMs: number;
  readonly scriptURL: string;
  readonly problem?: AnyFailure | undefined;
}

/** Attempts to have the session confirmed by the back end, or returned by the keychain. */
interface Attempts {
  /** Time of the next attempt. */
  readonly nextAtMs: number;
  /** Number of failed attempts in a row. */
  readonly failures: number;
  /** AnyFailure of the last attempt; undefined if it succeeded, and for a defect of this program. */
  readonly problem?: AnyFailure | undefined;
}

/** A session as it is, without faults. */
export interface ActualSession extends ShownSession {
  /** Origin of the identity: the back end, or the base if there is none. */
  readonly origin: IdentityOrigin;
  /** Address of the back end that the identity comes from; undefined if it comes from the base. */
  readonly scriptURL: string | undefined;
}

/** Returns what a state means: a pilot who is signed in replaces the base, and so does a configured airline. */
export function actualSession(state: State, {base, airline}: Configured): ActualSession {
  const scriptURL = state.kind === 'signed-out' ? airline?.scriptURL : state.scriptURL;
  const served = scriptURL === undefined ? base.current() : undefined;
  const identity = state.kind === 'signed-in' ? state.identity : served;
  const origin = scriptURL === undefined ? base.origin : ({kind: 'back-end', scriptURL} as const);
  const source = {source: origin.kind, scriptURL, summary: identity?.summary};
  return {identity, origin, scriptURL, status: () => ({...describe(state, served !== undefined), ...source})};
}

/** Returns the times of a session that figures are about. */
export function timesOf(state: State): Pick<SessionStatistics, 'staleSinceMs' | 'endsAtMs'> {
  if (state.kind !== 'signed-in')
    return {staleSinceMs: undefined, endsAtMs: state.kind === 'expired' ? state.sinceMs : undefined};
  return {staleSinceMs: state.staleSinceMs, endsAtMs: state.record.expiresAtMs};
}

/** Describes a state without its secrets. */
function describe(state: State, isBaseServed: boolean): Omit<SessionStatus, 'source'> {
  const base = {changedAtMs: state.sinceMs, stale: false, unverifiable: false};
  const given: {readonly code?: string; readonly advice?: string} = ('problem' in state && state.problem) || {};
  const {advice, ...failure} = given;
  const problem = 'code' in failure ? new AppError(failure as AnyFailure, {advice}) : undefined;
  switch (state.kind) {
    case 'signed-in': {
      const {record, staleSinceMs, kept, verifiedAtMs, unverifiable} = state;
      const stale = staleSinceMs !== undefined;
      const {expiresAtMs} = record;
      return {...base, state: 'signed-in', expiresAtMs, stale, kept, verifiedAtMs, unverifiable, problem};
    }
    case 'expired':
      return {...base, state: 'expired', problem};
    case 'locked':
      return {...base, state: 'signed-out', kept: 'keychain', problem};
    case 'signed-out':
      return {...base, state: isBaseServed ? 'signed-in' : 'signed-out'};
  }
}
