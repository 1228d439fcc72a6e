import type {Identity, IdentityOrigin, IdentitySource} from '../../domain/identity/identity.ts';
import type {SessionPlace, SessionStatus} from '../../domain/identity/session.ts';
import type {Log} from '../../domain/log.ts';
import {messageOf} from '../../failures/error-text.ts';
import type {Airline} from '../backend/airline-profile.ts';
import {createPilotIdentities, type PilotIdentities} from './pilot-identity.ts';
import {describeState, failureOf, type SignedIn, type State} from './session-state.ts';
import type {SessionRecord} from './storage/session-record.ts';

export interface CurrentSessionDeps {
  /**
   * The source that is served while no pilot is signed in. The airline and the platform account of a profile are part of
   * the identity of a pilot, too.
   */
  readonly base: IdentitySource;
  /** The airline that is configured separately. With it, no identity is served unless a pilot is signed in. */
  readonly airline?: Airline | undefined;
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly log: Log;
}

/** The state of the session, and the identity that follows from it. */
export class CurrentSession {
  readonly #deps: CurrentSessionDeps;
  readonly #identities: PilotIdentities;
  #state: State = {kind: 'signed-out'};
  #sinceMs: number;

  constructor(deps: CurrentSessionDeps) {
    this.#deps = deps;
    this.#identities = createPilotIdentities(deps);
    this.#sinceMs = deps.nowMs();
  }

  get state(): State {
    return this.#state;
  }

  /** The time of the last change of the state, in milliseconds since the Unix epoch. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Address of the configured back end, from the airline or else from the profile; undefined if neither has one. */
  get configuredBackEnd(): string | undefined {
    return this.#identities.airline()?.scriptURL;
  }

  /** Address of the back end that the identity comes from; undefined if it comes from the base. */
  get backEnd(): string | undefined {
    return this.#state.kind === 'signed-out' ? this.#deps.airline?.scriptURL : this.#state.scriptURL;
  }

  /** Origin of the identity: the back end, or the base if there is none. */
  get origin(): IdentityOrigin {
    const scriptURL = this.backEnd;
    return scriptURL === undefined ? this.#deps.base.origin : {kind: 'back-end', scriptURL};
  }

  /** The identity that is served; undefined if no pilot is signed in. */
  get identity(): Identity | undefined {
    if (this.#state.kind === 'signed-in') return this.#state.identity;
    return this.backEnd === undefined ? this.#deps.base.current() : undefined;
  }

  /** The status, without secrets. */
  get status(): SessionStatus {
    const summary = this.identity?.summary;
    const own = describeState(this.#state, summary !== undefined);
    return {...own, source: this.origin.kind, sinceMs: this.#sinceMs, summary, scriptURL: this.backEnd};
  }

  /** Enters a state. @param sinceMs The time of the change. @default {now} */
  enter(state: State, sinceMs = this.#deps.nowMs()): void {
    this.#state = state;
    this.#sinceMs = sinceMs;
  }

  /** Enters the state of a signed-in pilot. */
  serve(record: SessionRecord, {kept, stale}: Pick<SignedIn, 'kept' | 'stale'>): void {
    const {scriptURL, sinceMs} = record;
    const identity = this.#identities.compose(record);
    this.enter({kind: 'signed-in', scriptURL, record, identity, kept, stale}, sinceMs);
    this.#deps.log.info(stale ? 'session resumed' : 'signed in', {identity: identity.summary, scriptURL});
  }

  /** Takes over the record of a refreshed session. @returns True if the identity changed. */
  refresh(record: SessionRecord): boolean {
    const state = this.#state;
    if (state.kind !== 'signed-in') return false;
    const {scriptURL} = record;
    const isSamePilot = Buffer.compare(state.record.pilot, record.pilot) === 0;
    const identity = isSamePilot ? state.identity : this.#identities.compose(record);
    const verifiedAtMs = this.#deps.nowMs();
    this.#state = {...state, record, identity, stale: false, verifiedAtMs, unverifiable: undefined, problem: undefined};
    if (state.problem !== undefined) this.#deps.log.info('the back end answers again', {scriptURL});
    if (isSamePilot) return false;
    this.#deps.log.info('identity changed', {identity: identity.summary, scriptURL});
    return true;
  }

  /** Keeps the session, which the back end does not offer to verify. */
  markUnverifiable(): void {
    const state = this.#state;
    if (state.kind !== 'signed-in') return;
    const {scriptURL, unverifiable} = state;
    // Logged once, not after each attempt.
    if (!unverifiable)
      this.#deps.log.info('the back end does not offer pilot/verify: the session is kept to its end', {scriptURL});
    this.#state = {...state, stale: false, unverifiable: true, problem: undefined};
  }

  /** Keeps the last known identity after a refresh that failed. */
  markStale(error: unknown): void {
    const state = this.#state;
    if (state.kind !== 'signed-in') return;
    const {log} = this.#deps;
    const problem = failureOf(error);
    // Log a problem once, not after each attempt.
    if (problem === undefined) log.error('session not refreshed', {error});
    else if (state.problem?.code !== problem.code)
      log.info('session not refreshed; the last known identity stays', {problem: messageOf(error)});
    this.#state = {...state, stale: true, problem};
  }

  /** Records where a session is kept, unless another session has replaced it meanwhile. */
  markKept(record: SessionRecord, kept: SessionPlace): void {
    if (this.#state.kind === 'signed-in' && this.#state.record === record) this.#state = {...this.#state, kept};
  }

  /** Composes the identity again after a change of the profile. @returns True if it changed. */
  recompose(): boolean {
    const state = this.#state;
    if (state.kind !== 'signed-in') return false;
    const identity = this.#identities.compose(state.record);
    if (Buffer.compare(identity.json, state.identity.json) === 0) return false;
    this.#state = {...state, identity};
    return true;
  }
}
