import {AppError} from '../../domain/app-error.ts';
import {messageOf} from '../../domain/error-text.ts';
import type {Failure} from '../../domain/failure.ts';
import type {Identity, IdentityOrigin, IdentitySource} from '../../domain/identity.ts';
import {Listeners} from '../../domain/listeners.ts';
import type {Log} from '../../domain/log.ts';
import type {ServedSessions, ServedSignInOptions, SessionPlace, SessionStatus, SignIn} from '../../domain/session.ts';
import type {Airline} from '../backend/airline-profile.ts';
import {startUnlocking} from './keychain-unlock.ts';
import {createPilotIdentities, type PilotIdentities} from './pilot-identity.ts';
import {createRefresher, type Refresher, type RefresherDeps} from './refresher.ts';
import type {RequestedSignIn} from './requested-sign-in.ts';
import type {Kept, SessionKeeper} from './session-keeper.ts';
import type {SessionRecord} from './session-record.ts';
import {describeState, failureOf, type SignedIn, type State} from './session-state.ts';
import {requestSession} from './sign-in.ts';
import {chooseScriptUrl} from './sign-in-address.ts';
import {createSignInGate, type SignInGate} from './sign-in-gate.ts';

/** The parts and the settings of a session source. */
export interface SessionSourceDeps extends Pick<RefresherDeps, 'client' | 'nowMs' | 'random' | 'timers'> {
  /**
   * The source that is served while no pilot is signed in. The airline and the platform account of a profile are part of
   * the identity of a pilot, too. Disposed of with this source.
   */
  readonly base: IdentitySource;
  /** The airline that is configured separately. With it, no identity is served unless a pilot is signed in. */
  readonly airline?: Airline | undefined;
  readonly keeper: SessionKeeper;
  readonly log: Log;
}

/** An identity source that pilots sign in to at the back end of their airline. */
export interface SessionSource extends IdentitySource, ServedSessions {
  /** Resumes or verifies the session now; concurrent calls share one request. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when no request about the session is in progress. Sends none. */
  idle(): Promise<void>;
}

/**
 * Opens the source with the session that was kept. The back end and the keychain are called in the background, so opening
 * does not wait for them.
 */
export async function openSessionSource(deps: SessionSourceDeps): Promise<SessionSource> {
  const source = new BackEndSource(deps);
  await source.open();
  return source;
}

/** Longest wait for a request in progress when the source closes, in milliseconds: a service has five seconds to stop. */
const GRACE_MS = 2000;

/** Minimum interval between two verifications that callers request, in milliseconds: a plugin may call after each answer. */
const VERIFY_INTERVAL_MIN_MS = 60_000;

class BackEndSource implements SessionSource {
  readonly #deps: SessionSourceDeps;
  readonly #identities: PilotIdentities;
  readonly #refresher: Refresher;
  readonly #gate: SignInGate;
  readonly #listeners: Listeners;
  readonly #stopBase: () => void;
  #stopUnlocking = (): void => {};
  #state: State = {kind: 'signed-out'};
  #sinceMs: number;
  /** Resolves when the last session is kept. */
  #keeping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  /** When a caller last requested a verification of this session, in milliseconds since the Unix epoch. */
  #verifiedAtMs = -Infinity;

  constructor(deps: SessionSourceDeps) {
    this.#deps = deps;
    this.#identities = createPilotIdentities(deps);
    this.#sinceMs = deps.nowMs();
    this.#listeners = new Listeners(error => deps.log.error('a listener for identity changes failed', {error}));
    this.#gate = createSignInGate((request, signal) => this.#signIn(request, signal));
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
    if ((this.#identities.airline()?.scriptURL ?? scriptURL) !== scriptURL)
      return this.#deps.log.info('kept session not used: it is for another back end', {scriptURL});
    this.#sinceMs = sinceMs;
    if (kept.state === 'expired') this.#state = {kind: 'expired', scriptURL, problem: kept.problem};
    else if (kept.record !== undefined) this.#resume(kept.record, kept.place);
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

  async status(): Promise<SessionStatus> {
    const summary = this.current()?.summary;
    const own = describeState(this.#state, summary !== undefined);
    return {...own, source: this.origin.kind, sinceMs: this.#sinceMs, summary, scriptURL: this.#backEnd()};
  }

  async signIn(signIn: SignIn, options: ServedSignInOptions = {}): Promise<SessionStatus> {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
    return this.#gate.enter(signIn, options);
  }

  async verify(): Promise<SessionStatus> {
    const {state, source} = await this.status();
    if (source !== 'back-end' && state === 'signed-in')
      throw new AppError({code: 'sign-in-unavailable', problem: `the identity comes from the ${source}`});
    if (this.#state.kind !== 'signed-in') throw new AppError({code: 'no-identity'});
    const nowMs = this.#deps.nowMs();
    // A clock that was set back must not delay the next verification.
    if (Math.abs(nowMs - this.#verifiedAtMs) >= VERIFY_INTERVAL_MIN_MS) {
      this.#verifiedAtMs = nowMs;
      void this.#refresher.refresh();
    }
    return this.status();
  }

  async signOut(): Promise<SessionStatus> {
    const {keeper, log, nowMs} = this.#deps;
    await this.#gate.abort({code: 'sign-in-unavailable', problem: 'another program signed out at the same time'});
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
    // The back end may already have replaced the session, and the new one must be kept.
    await this.#refresher.idle(GRACE_MS);
    this.#refresher.stop();
    await this.#keeping;
    await this.#deps.base[Symbol.asyncDispose]();
    this.#listeners.clear();
  }

  async #signIn(request: RequestedSignIn, signal: AbortSignal): Promise<SessionStatus> {
    const chosen = {configured: this.#identities.airline()?.scriptURL, last: this.#backEnd()};
    const scriptURL = chooseScriptUrl(request, chosen);
    const record = await requestSession({...request, scriptURL}, {...this.#deps, signal});
    this.#serve(record, {kept: 'memory', stale: false});
    this.#refresher.follow(record);
    await this.#keep(record);
    return this.status();
  }

  /** Serves a kept session: the last known identity, stale until the back end confirms the session. */
  #resume(record: SessionRecord, kept: SessionPlace): void {
    this.#serve(record, {kept, stale: true});
    this.#refresher.resume(record);
  }

  #serve(record: SessionRecord, {kept, stale}: Pick<SignedIn, 'kept' | 'stale'>): void {
    const {scriptURL, sinceMs} = record;
    const identity = this.#identities.compose(record);
    this.#change({kind: 'signed-in', scriptURL, record, identity, kept, stale}, sinceMs);
    this.#deps.log.info(stale ? 'session resumed' : 'signed in', {identity: identity.summary, scriptURL});
    this.#listeners.call();
  }

  #unlock({scriptURL, sinceMs, place, unlock}: Extract<Kept, {state: 'signed-in'}>): void {
    const {log} = this.#deps;
    this.#change({kind: 'locked', scriptURL}, sinceMs);
    this.#stopUnlocking = startUnlocking({
      ...this.#deps,
      unlock,
      onUnlocked: record => {
        if (record !== undefined) this.#resume(record, place);
        else {
          log.info('kept session not used: the keychain has none', {scriptURL});
          void this.signOut();
        }
      },
      onFailed: error => {
        log.info('session not read from the keychain', {problem: messageOf(error)});
        this.#state = {kind: 'locked', scriptURL, problem: failureOf(error)};
      },
    });
  }

  #onRefreshed(record: SessionRecord): void {
    const state = this.#state;
    if (state.kind !== 'signed-in') return;
    const {scriptURL} = record;
    const isSamePilot = Buffer.compare(state.record.pilot, record.pilot) === 0;
    const identity = isSamePilot ? state.identity : this.#identities.compose(record);
    this.#state = {...state, record, identity, stale: false, problem: undefined};
    if (state.problem !== undefined) this.#deps.log.info('the back end answers again', {scriptURL});
    if (isSamePilot) return;
    this.#deps.log.info('identity changed', {identity: identity.summary, scriptURL});
    this.#listeners.call();
    void this.#keep(record);
  }

  /** Keeps serving the last known identity. */
  #onFailed(error: unknown): void {
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

  /** Composes the identity again after a change of the profile. */
  #recompose(state: SignedIn): void {
    const configured = this.#identities.airline()?.scriptURL ?? state.scriptURL;
    if (configured !== state.scriptURL) {
      // Plugins would send the session to the wrong back end.
      this.#deps.log.info('the profile names another back end', {scriptURL: configured});
      void this.signOut();
      return;
    }
    const identity = this.#identities.compose(state.record);
    if (Buffer.compare(identity.json, state.identity.json) === 0) return;
    this.#state = {...state, identity};
    this.#listeners.call();
  }

  /** Enters a state and stops the background work of the previous one. */
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

  /** Address of the back end that the identity comes from; undefined if it comes from the base. */
  #backEnd(): string | undefined {
    return this.#state.kind === 'signed-out' ? this.#deps.airline?.scriptURL : this.#state.scriptURL;
  }
}
