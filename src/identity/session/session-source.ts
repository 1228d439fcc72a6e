import {setTimeout as pause} from 'node:timers/promises';
import {AppError, type Failure} from '../../domain/failure.ts';
import type {Identity, IdentityOrigin, IdentitySource} from '../../domain/identity.ts';
import {Listeners} from '../../domain/listeners.ts';
import type {Log} from '../../domain/log.ts';
import type {SessionPlace, SessionStatus, Sessions, SignIn} from '../../domain/session.ts';
import {type Airline, makeAirline} from '../backend/airline-profile.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import {isUnprotected} from '../backend/script-url.ts';
import type {Timers} from './alarm.ts';
import {airlineOf, composeIdentity} from './pilot-identity.ts';
import {createRefresher, type Refresher} from './refresher.ts';
import type {Kept, SessionKeeper} from './session-keeper.ts';
import {readExpiry, type SessionRecord, withPilot} from './session-record.ts';
import {createSignInGate, type SignInGate} from './sign-in-gate.ts';
import {chooseScriptUrl} from './sign-in-place.ts';
import {startUnlocking} from './unlock-keychain.ts';

/** What a session source needs. */
export interface SessionSourceDeps {
  /**
   * Serves the identity while nobody signs in, and the airline and the platform account of a profile to those who do.
   * Disposed of with this source.
   */
  readonly base: IdentitySource;
  /** The airline that is configured beside the base: then there is no identity without a session. */
  readonly airline?: Airline | undefined;
  readonly client: BackEndClient;
  readonly keeper: SessionKeeper;
  readonly log: Log;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly timers: Timers;
}

/** An identity source that pilots sign in to at the back end of their airline. */
export interface SessionSource extends IdentitySource, Sessions {
  /** Resumes or verifies the session now; those who ask at the same time share one request. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when no request about the session is under way; asks for nothing. */
  idle(): Promise<void>;
}

/**
 * Opens the source, with the session that was kept. The back end is asked in the background: nothing waits for it, nor
 * for the keychain.
 */
export async function openSessionSource(deps: SessionSourceDeps): Promise<SessionSource> {
  const source = new BackEndSource(deps);
  await source.open();
  return source;
}

/** How long a request about the session may take to end when the source closes, in milliseconds: two seconds of the five that a service has to stop. */
const GRACE_MS = 2000;

/** Callers may have the back end asked this often, in milliseconds: a plugin may call after each answer that it gets. */
const VERIFY_PAUSE_MS = 60_000;

/** What the source knows of a session. */
type State =
  | {readonly kind: 'signed-out'}
  /** One is kept, and the keychain has not given it yet. */
  | {readonly kind: 'locked'; readonly scriptURL: string; readonly problem?: Failure | undefined}
  | SignedIn
  | {readonly kind: 'expired'; readonly scriptURL: string; readonly problem?: Failure | undefined};

interface SignedIn {
  readonly kind: 'signed-in';
  readonly scriptURL: string;
  readonly record: SessionRecord;
  readonly identity: Identity;
  readonly kept: SessionPlace;
  readonly stale: boolean;
  readonly problem?: Failure | undefined;
}

class BackEndSource implements SessionSource {
  readonly #deps: SessionSourceDeps;
  readonly #refresher: Refresher;
  readonly #gate: SignInGate;
  readonly #listeners: Listeners;
  readonly #stopBase: () => void;
  #stopUnlocking = (): void => {};
  #state: State = {kind: 'signed-out'};
  #sinceMs: number;
  /** Resolved once what is to be kept is kept. */
  #keeping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  /** When a caller last had the back end asked about this session, in milliseconds since the Unix epoch. */
  #verifiedAtMs = -Infinity;

  constructor(deps: SessionSourceDeps) {
    this.#deps = deps;
    this.#sinceMs = deps.nowMs();
    this.#listeners = new Listeners(error => deps.log.error('a listener for identity changes failed', {error}));
    this.#gate = createSignInGate((signIn, signal) => this.#signIn(signIn, signal));
    this.#stopBase = deps.base.onChange(() => this.#onBaseChange());
    this.#refresher = createRefresher({
      ...deps,
      onRefreshed: record => this.#onRefreshed(record),
      onFailed: error => this.#onFailed(error),
      onEnded: problem => this.#onEnded(problem),
    });
  }

  async open(): Promise<void> {
    const kept = await this.#deps.keeper.load();
    if (kept === undefined) return;
    const {scriptURL, sinceMs} = kept;
    const configured = this.#configured()?.scriptURL ?? scriptURL;
    if (configured !== scriptURL) {
      this.#deps.log.info('kept session not used: it is of another back end', {scriptURL});
      return;
    }
    this.#sinceMs = sinceMs;
    if (kept.state === 'expired') this.#state = {kind: 'expired', scriptURL, problem: kept.problem};
    else if (kept.record !== undefined) this.#takeUp(kept.record, kept.place);
    else this.#unlock(kept);
  }

  get origin(): IdentityOrigin {
    const scriptURL = this.#backEnd();
    return scriptURL === undefined ? this.#deps.base.origin : {kind: 'back-end', scriptURL};
  }

  current(): Identity | undefined {
    if (this.#state.kind === 'signed-in') return this.#state.identity;
    return this.#backEnd() === undefined ? this.#deps.base.current() : undefined;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  status(): SessionStatus {
    const state = this.#state;
    const common = {source: this.origin.kind, sinceMs: this.#sinceMs, scriptURL: this.#backEnd(), stale: false};
    switch (state.kind) {
      case 'signed-in': {
        const {record, stale, kept, problem} = state;
        return {...common, state: 'signed-in', expiresAtMs: record.expiresAtMs, stale, kept, problem};
      }
      case 'expired':
        return {...common, state: 'expired', problem: state.problem};
      case 'locked':
        return {...common, state: 'signed-out', kept: 'keychain', problem: state.problem};
      case 'signed-out':
        return {...common, state: this.current() === undefined ? 'signed-out' : 'signed-in'};
    }
  }

  signIn(signIn: SignIn): Promise<SessionStatus> {
    if (this.#closed !== undefined) return Promise.reject(new AppError({code: 'store-closed'}));
    return this.#gate.enter(signIn);
  }

  async verify(): Promise<SessionStatus> {
    const {state, source} = this.status();
    if (source !== 'back-end' && state === 'signed-in')
      throw new AppError({code: 'sign-in-unavailable', problem: `the identity comes from the ${source}`});
    if (this.#state.kind !== 'signed-in') throw new AppError({code: 'no-identity'});
    const nowMs = this.#deps.nowMs();
    // A clock that was set back must not keep callers waiting.
    if (Math.abs(nowMs - this.#verifiedAtMs) >= VERIFY_PAUSE_MS) {
      this.#verifiedAtMs = nowMs;
      void this.#refresher.refresh();
    }
    return this.status();
  }

  async signOut(): Promise<SessionStatus> {
    const {keeper, log, nowMs} = this.#deps;
    await this.#gate.abort({code: 'sign-in-unavailable', problem: 'somebody signed out at the same time'});
    if (this.#state.kind !== 'signed-out') {
      const {scriptURL} = this.#state;
      this.#change({kind: 'signed-out'}, nowMs());
      log.info('signed out', {scriptURL});
      this.#listeners.call();
    }
    await keeper.forget();
    return this.status();
  }

  refresh(): Promise<void> {
    return this.#refresher.refresh();
  }

  idle(): Promise<void> {
    return this.#refresher.idle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stopBase();
    this.#stopUnlocking();
    await this.#gate.abort({code: 'store-closed'});
    // The back end may have given a new session already, and the one before it is over then.
    await Promise.race([this.#refresher.idle(), pause(GRACE_MS, undefined, {ref: false})]);
    this.#refresher.stop();
    await this.#keeping;
    await this.#deps.base[Symbol.asyncDispose]();
    this.#listeners.clear();
  }

  async #signIn(signIn: SignIn, signal: AbortSignal): Promise<SessionStatus> {
    const {client, log, nowMs} = this.#deps;
    const chosen = {configured: this.#configured()?.scriptURL, last: this.#backEnd()};
    const scriptURL = chooseScriptUrl(signIn, chosen);
    if (isUnprotected(scriptURL)) log.info('signing in over http: the password can be read on its way', {scriptURL});
    // What is no back end, or redirects, is found out before the password is sent.
    const backEnd = await client.probe(scriptURL, {signal, secrets: [signIn.password]});
    const pilot = await client.signIn(scriptURL, signIn, {signal});
    signal.throwIfAborted();
    const sinceMs = nowMs();
    const {session, json} = pilot;
    const given = {scriptURL, backEnd, sinceMs, session, pilot: json};
    return this.#begin(withPilot(given, pilot, readExpiry(pilot, sinceMs)));
  }

  async #begin(record: SessionRecord): Promise<SessionStatus> {
    const {scriptURL, sinceMs} = record;
    const identity = this.#compose(record);
    this.#change({kind: 'signed-in', scriptURL, record, identity, kept: 'memory', stale: false}, sinceMs);
    this.#refresher.follow(record);
    this.#deps.log.info('signed in', {identity: identity.summary, scriptURL});
    this.#listeners.call();
    await this.#keep(record);
    return this.status();
  }

  /** Serves what was kept, which is the last known identity until the back end has confirmed it. */
  #takeUp(record: SessionRecord, kept: SessionPlace): void {
    const {scriptURL, sinceMs} = record;
    const identity = this.#compose(record);
    this.#change({kind: 'signed-in', scriptURL, record, identity, kept, stale: true}, sinceMs);
    this.#deps.log.info('session taken up', {identity: identity.summary, scriptURL});
    this.#listeners.call();
    this.#refresher.takeUp(record);
  }

  #unlock({scriptURL, sinceMs, place, unlock}: Extract<Kept, {state: 'signed-in'}>): void {
    const {log} = this.#deps;
    this.#change({kind: 'locked', scriptURL}, sinceMs);
    this.#stopUnlocking = startUnlocking({
      ...this.#deps,
      unlock,
      onUnlocked: record => {
        if (record !== undefined) this.#takeUp(record, place);
        else {
          log.info('kept session not used: the keychain has none', {scriptURL});
          void this.signOut();
        }
      },
      onFailed: error => {
        const problem = failureOf(error);
        log.info('session not read from the keychain', {problem: (error as Error).message});
        this.#state = {kind: 'locked', scriptURL, problem};
      },
    });
  }

  #onRefreshed(record: SessionRecord): void {
    const state = this.#state;
    if (state.kind !== 'signed-in') return;
    const {scriptURL} = record;
    const isSamePilot = Buffer.compare(state.record.pilot, record.pilot) === 0;
    const identity = isSamePilot ? state.identity : this.#compose(record);
    this.#state = {...state, record, identity, stale: false, problem: undefined};
    if (state.problem !== undefined) this.#deps.log.info('the back end answers again', {scriptURL});
    if (isSamePilot) return;
    this.#deps.log.info('identity changed', {identity: identity.summary, scriptURL});
    this.#listeners.call();
    void this.#keep(record);
  }

  /** The last known identity stays. */
  #onFailed(error: unknown): void {
    const state = this.#state;
    if (state.kind !== 'signed-in') return;
    const {log} = this.#deps;
    const problem = failureOf(error);
    // Once, not with each attempt.
    if (problem === undefined) log.error('session not refreshed', {error});
    else if (state.problem?.code !== problem.code)
      log.info('session not refreshed; the last known identity stays', {problem: (error as Error).message});
    this.#state = {...state, stale: true, problem};
  }

  #onEnded(problem: Failure | undefined): void {
    const {keeper, log, nowMs} = this.#deps;
    const scriptURL = this.#backEnd();
    if (scriptURL === undefined) return;
    this.#change({kind: 'expired', scriptURL, problem}, nowMs());
    log.info('session expired', {scriptURL, ...(problem === undefined ? {} : {code: problem.code})});
    this.#listeners.call();
    this.#keeping = keeper.saveExpired({scriptURL, sinceMs: this.#sinceMs, problem});
  }

  #onBaseChange(): void {
    const state = this.#state;
    if (state.kind === 'signed-in') this.#recompose(state);
    else if (this.#backEnd() === undefined) {
      this.#sinceMs = this.#deps.nowMs();
      this.#listeners.call();
    }
  }

  /** The profile has another airline or platform account. */
  #recompose(state: SignedIn): void {
    const configured = this.#configured()?.scriptURL ?? state.scriptURL;
    if (configured !== state.scriptURL) {
      // Plugins would take the session to a back end that it is not meant for.
      this.#deps.log.info('the profile names another back end', {scriptURL: configured});
      void this.signOut();
      return;
    }
    const identity = this.#compose(state.record);
    if (Buffer.compare(identity.json, state.identity.json) === 0) return;
    this.#state = {...state, identity};
    this.#listeners.call();
  }

  /** Goes over to another state; what was going on for the one before ends. */
  #change(state: State, sinceMs: number): void {
    this.#stopUnlocking();
    this.#refresher.stop();
    this.#verifiedAtMs = -Infinity;
    this.#state = state;
    this.#sinceMs = sinceMs;
  }

  #keep(record: SessionRecord): Promise<void> {
    this.#keeping = this.#deps.keeper.save(record).then(kept => {
      if (this.#state.kind === 'signed-in' && this.#state.record === record) this.#state = {...this.#state, kept};
    });
    return this.#keeping;
  }

  #compose(record: SessionRecord): Identity {
    const airline = this.#configured() ?? makeAirline(record.scriptURL);
    return composeIdentity({record, airline, profile: this.#profile()});
  }

  /** The profile, of which the sample is none. */
  #profile(): Identity | undefined {
    const {base} = this.#deps;
    return base.origin.kind === 'profile' ? base.current() : undefined;
  }

  /** The airline that pilots sign in to, where one is configured. */
  #configured(): Airline | undefined {
    const profile = this.#profile();
    return this.#deps.airline ?? (profile && airlineOf(profile));
  }

  /** The back end, while it is the one to say who the pilot is. */
  #backEnd(): string | undefined {
    return this.#state.kind === 'signed-out' ? this.#deps.airline?.scriptURL : this.#state.scriptURL;
  }
}

function failureOf(error: unknown): Failure | undefined {
  return error instanceof AppError ? error.failure : undefined;
}
