import type {SessionCall, ShownSession} from '../domain/faults/active-faults.ts';
import type {Identity, IdentityDocument} from '../domain/identity/identity.ts';
import type {SessionStatus} from '../domain/identity/session.ts';
import {AppError} from '../failures/app-error.ts';
import {type FaultKind, withFault} from '../failures/fault-mark.ts';

/** The faults that are on, and since when, in milliseconds since the Unix epoch. */
interface SwitchedFaults {
  has(kind: FaultKind): boolean;
  readonly sinceMs: number;
}

/** Returns a session as its faults show it: expired, or with a back end that is unreachable. */
export function showWithFaults(session: ShownSession, faults: SwitchedFaults): ShownSession {
  if (faults.has('session-expired'))
    return {identity: undefined, status: () => expire(session.status(), faults.sinceMs)};
  if (!faults.has('airline-away')) return session;
  const {identity} = session;
  return {identity, status: () => strand(session.status(), identity)};
}

/** Decides about a call, as the port `SessionFaults` promises. */
export function admitWithFaults(call: SessionCall, session: ShownSession, faults: SwitchedFaults): boolean {
  if (faults.has('session-expired')) throw call === 'verify' ? noIdentity() : keepsSession();
  if (call === 'sign-out' || !faults.has('airline-away')) return true;
  const {source, state, scriptURL = UNKNOWN_URL} = session.status();
  if (call === 'sign-in') throw unreachable(scriptURL);
  return source !== 'back-end' || state !== 'signed-in';
}

function noIdentity(): AppError {
  return new AppError(withFault({code: 'no-identity'}, 'session-expired'));
}

/** Refuses to sign in or out: either would replace the kept session. */
function keepsSession(): AppError {
  const problem = 'a fault holds the session expired, and keeps the real one as it is';
  return new AppError(withFault({code: 'sign-in-unavailable', problem}, 'session-expired'));
}

/** Returns the status as if the session had expired; without a session, as if no pilot was signed in. */
function expire({source, state, scriptURL, sinceMs}: SessionStatus, expiredMs: number): SessionStatus {
  if (state !== 'signed-in') return {source, state, scriptURL, sinceMs, stale: false};
  const base = {source, scriptURL, sinceMs: expiredMs, stale: false};
  if (source !== 'back-end' || scriptURL === undefined) return {...base, state: 'signed-out'};
  const problem = new AppError(withFault({code: 'session-unknown', url: scriptURL}, 'session-expired'));
  return {...base, state: 'expired', problem};
}

/** Returns the status as if the back end did not answer. */
function strand(status: SessionStatus, identity: Identity | undefined): SessionStatus {
  const problem = unreachable(status.scriptURL ?? (identity && scriptUrlOf(identity)) ?? UNKNOWN_URL);
  return {...status, stale: status.state === 'signed-in', problem};
}

/** Address of an airline that is not known. */
const UNKNOWN_URL = 'https://air.example/';

function scriptUrlOf({json}: Identity): string {
  const {airline} = JSON.parse(new TextDecoder().decode(json)) as IdentityDocument;
  return airline.settings.scriptURL;
}

function unreachable(url: string): AppError {
  const problem = 'a fault is switched on';
  return new AppError(withFault({code: 'back-end-unreachable', url, stage: 'connection', problem}, 'airline-away'));
}
