import type {CommonDeps} from '../../../core/domain/common-deps.ts';
import type {Identity, SessionPlace} from '../../../core/domain/identity/identity.ts';
import type {AnyFailure} from '../../../core/failures/failure.ts';
import type {BackEndPilot} from '../backend/pilot.ts';
import {NOT_OFFERED_INTERVAL_MS, pauseDelayMs, resumeDelayMs, retryDelayMs, verifyDelayMs} from './refresh-plan.ts';
import type {Locked, SignedIn, State} from './session-state.ts';
import {type ExpiredFile, type SessionRecord, withPilot} from './storage/session-file.ts';
import type {LockedSession} from './storage/session-keeper.ts';

/** An event in the life of a session. */
export type SessionEvent =
  /** At the start: the session that was kept had expired; or it is in the keychain. */
  | {readonly kind: 'restored'; readonly expired: ExpiredFile}
  | {readonly kind: 'found'; readonly session: LockedSession}
  /** A kept session is there, in the file or from the keychain; or the keychain has none. */
  | {readonly kind: 'resumed'; readonly record: SessionRecord; readonly place: SessionPlace}
  | {readonly kind: 'lost'}
  /** The back end signed a pilot in. */
  | {readonly kind: 'received'; readonly record: SessionRecord}
  /** It is time for the next attempt; or a caller asks for one. */
  | {readonly kind: 'due'}
  | {readonly kind: 'asked'}
  /** The back end confirmed the session, for the same account of the pilot or for a changed one. */
  | Confirmed<'confirmed'>
  | Confirmed<'changed'>
  /** The back end offers neither to resume nor to verify the session. */
  | {readonly kind: 'unoffered'; readonly isDue: boolean}
  /** The attempt failed. */
  | {readonly kind: 'failed'; readonly error: unknown; readonly problem: AnyFailure | undefined}
  /** The back end refused the session, or it expired; the problem is the refusal, or why it was not resumed in time. */
  | {readonly kind: 'ended'; readonly problem: AnyFailure | undefined}
  /** The session is kept somewhere. */
  | {readonly kind: 'placed'; readonly record: SessionRecord | undefined; readonly place: SessionPlace}
  /** The source without sessions changed: its identity is served; or it is part of that of the pilot; or it has another back end than the session or sign-in. */
  | {readonly kind: 'replaced'}
  | {readonly kind: 'recomposed'; readonly identity: Identity}
  | {readonly kind: 'moved'; readonly scriptURL: string}
  /** The pilot signed out. */
  | {readonly kind: 'left'};

interface Confirmed<Kind> {
  readonly kind: Kind;
  readonly pilot: BackEndPilot;
  /** True if the session was resumed, or should have been. */
  readonly isDue: boolean;
}

/**
 * An effect of an event, besides the next state: `ask` for the session at once, `wait` for the time of the next attempt, `stop`
 * both, `keep` the state for the next start, `announce` the identity, `refuse` the sign-in in progress.
 */
export type Effect = 'ask' | 'wait' | 'stop' | 'keep' | 'announce' | 'refuse';

/** The facts that the next state depends on, besides the event. */
export interface Context extends Pick<CommonDeps, 'nowMs' | 'random'> {
  /** Composes the identity for a session. */
  readonly compose: (record: SessionRecord) => Identity;
}

type StateOf<Kind> = Extract<State, {kind: Kind}>;
type EventOf<Kind> = Extract<SessionEvent, {kind: Kind}>;
type Cell<S, E> = readonly [next: (state: S, event: E, context: Context) => State, ...effects: readonly Effect[]];
type Table = {
  readonly [S in State['kind']]: {readonly [E in SessionEvent['kind']]?: Cell<StateOf<S>, EventOf<E>>};
};

/** The next state and the effects of each event in each state. An event that a state does not name changes nothing. */
const TABLE: Table = {
  'signed-out': {
    restored: [restored, 'announce'],
    found: [locked, 'announce', 'ask'],
    resumed: [resumed, 'announce', 'ask'],
    received: [signedIn, 'wait', 'keep', 'announce'],
    replaced: [signedOut, 'announce'],
    moved: [signedOut, 'refuse', 'announce'],
    left: [same, 'keep'],
  },
  locked: {
    due: [same, 'ask'],
    failed: [stillLocked, 'wait'],
    resumed: [resumed, 'announce', 'ask'],
    lost: [signedOut, 'stop', 'keep', 'announce'],
    received: [signedIn, 'stop', 'wait', 'keep', 'announce'],
    moved: [signedOut, 'refuse', 'stop', 'keep', 'announce'],
    left: [signedOut, 'stop', 'keep', 'announce'],
  },
  'signed-in': {
    due: [unpaused, 'ask'],
    asked: [asked, 'ask'],
    confirmed: [confirmed, 'wait'],
    changed: [confirmed, 'wait', 'keep', 'announce'],
    unoffered: [unverifiable, 'wait'],
    failed: [stale, 'wait'],
    ended: [expired, 'stop', 'keep', 'announce'],
    placed: [placed],
    recomposed: [recomposed, 'announce'],
    moved: [signedOut, 'refuse', 'stop', 'keep', 'announce'],
    received: [signedIn, 'stop', 'wait', 'keep', 'announce'],
    left: [signedOut, 'stop', 'keep', 'announce'],
  },
  expired: {
    received: [signedIn, 'wait', 'keep', 'announce'],
    moved: [signedOut, 'refuse', 'keep', 'announce'],
    left: [signedOut, 'keep', 'announce'],
  },
};

/** Returns what follows from an event; undefined if nothing does. */
export function follow(
  state: State,
  event: SessionEvent,
  context: Context,
): {readonly state: State; readonly effects: readonly Effect[]} | undefined {
  // The table gives each cell the state and the event of its place.
  const row = TABLE[state.kind] as Readonly<Record<string, Cell<State, SessionEvent> | undefined>>;
  const [next, ...effects] = row[event.kind] ?? [];
  return next && {state: next(state, event, context), effects};
}

function same<S extends State>(state: S): S {
  return state;
}

function signedOut(_: State, _event: SessionEvent, {nowMs}: Context): State {
  return {kind: 'signed-out', sinceMs: nowMs()};
}

function restored(_: State, {expired: {scriptURL, sinceMs, problem}}: EventOf<'restored'>): State {
  return {kind: 'expired', scriptURL, sinceMs, problem};
}

function locked(_: State, {session}: EventOf<'found'>): Locked {
  const {scriptURL, sinceMs} = session;
  return {kind: 'locked', scriptURL, sinceMs, session, failures: 0, nextAtMs: -Infinity};
}

function stillLocked(state: Locked, {problem}: EventOf<'failed'>, {nowMs, random}: Context): Locked {
  const failures = state.failures + 1;
  return {...state, problem, failures, nextAtMs: nowMs() + retryDelayMs(failures, random)};
}

function signedIn(_: State, {record}: {readonly record: SessionRecord}, context: Context): SignedIn {
  const {scriptURL, sinceMs} = record;
  const times = {resumeAtMs: resumeAtMs(record, context), pausedUntilMs: -Infinity, askedAtMs: -Infinity};
  const served = {
    record,
    identity: context.compose(record),
    kept: 'memory',
    staleSinceMs: undefined,
    // The answer to a sign-in confirms the session too.
    verifiedAtMs: sinceMs,
    unverifiable: false,
  } as const;
  const state = {kind: 'signed-in', scriptURL, sinceMs, ...served, ...times, failures: 0, nextAtMs: Infinity} as const;
  return waiting(state, verifyDelayMs(context.random), context);
}

/** The last known identity is served, stale until the back end confirms the session. */
function resumed(state: State, event: EventOf<'resumed'>, context: Context): SignedIn {
  return {
    ...signedIn(state, event, context),
    kept: event.place,
    staleSinceMs: context.nowMs(),
    verifiedAtMs: undefined,
    resumeAtMs: -Infinity,
  };
}

function unpaused(state: SignedIn): SignedIn {
  // The alarm is right about the time that passed, even if the clock was set.
  return {...state, pausedUntilMs: -Infinity};
}

function asked(state: SignedIn, _: SessionEvent, {nowMs}: Context): SignedIn {
  return {...state, askedAtMs: nowMs()};
}

function confirmed(before: SignedIn, event: Confirmed<'confirmed' | 'changed'>, context: Context): SignedIn {
  const {pilot, isDue} = event;
  const verifiedAtMs = context.nowMs();
  const record = withPilot(before.record, pilot, verifiedAtMs);
  // Not after each verification: the delay is a share of the remaining time and would never elapse.
  const isNew = isDue || record.expiresAtMs !== before.record.expiresAtMs;
  const state = {
    ...{...before, record, staleSinceMs: undefined, verifiedAtMs, unverifiable: false, failures: 0, problem: undefined},
    identity: event.kind === 'changed' ? context.compose(record) : before.identity,
    resumeAtMs: isNew ? resumeAtMs(record, context) : before.resumeAtMs,
  };
  return waiting(state, verifyDelayMs(context.random), context);
}

/** The session is kept to its end. */
function unverifiable(before: SignedIn, {isDue}: EventOf<'unoffered'>, context: Context): SignedIn {
  const state = {...before, staleSinceMs: undefined, unverifiable: true, failures: 0, problem: undefined};
  // A resumption that is due is not tried again at once.
  const {nextAtMs} = waiting(isDue ? {...state, resumeAtMs: Infinity} : state, NOT_OFFERED_INTERVAL_MS, context);
  return {...state, nextAtMs};
}

/** The last known identity stays. */
function stale(before: SignedIn, {problem}: EventOf<'failed'>, {nowMs, random}: Context): SignedIn {
  const failures = before.failures + 1;
  const pauseMs = pauseDelayMs(problem, random);
  const nextAtMs = endingBy(before.record, nowMs() + Math.max(pauseMs, retryDelayMs(failures, random)));
  const staleSinceMs = before.staleSinceMs ?? nowMs();
  return {...before, staleSinceMs, problem, failures, pausedUntilMs: nowMs() + pauseMs, nextAtMs};
}

function expired({scriptURL}: SignedIn, {problem}: EventOf<'ended'>, {nowMs}: Context): State {
  return {kind: 'expired', scriptURL, sinceMs: nowMs(), problem};
}

function placed(state: SignedIn, {record, place}: EventOf<'placed'>): SignedIn {
  // Another session may have replaced it meanwhile.
  const isServed = record !== undefined && Buffer.compare(record.pilot, state.record.pilot) === 0;
  return isServed ? {...state, kept: place} : state;
}

function recomposed(state: SignedIn, {identity}: EventOf<'recomposed'>): SignedIn {
  return {...state, identity};
}

/** Returns the state with the time of the next attempt: after the delay, or when the session is to be resumed. */
function waiting(state: SignedIn, delayMs: number, {nowMs}: Context): SignedIn {
  return {...state, nextAtMs: endingBy(state.record, Math.min(nowMs() + delayMs, state.resumeAtMs))};
}

function endingBy({expiresAtMs = Infinity}: SessionRecord, atMs: number): number {
  return Math.min(atMs, expiresAtMs);
}

function resumeAtMs({expiresAtMs}: SessionRecord, {nowMs, random}: Context): number {
  return nowMs() + resumeDelayMs(expiresAtMs === undefined ? undefined : expiresAtMs - nowMs(), random);
}
