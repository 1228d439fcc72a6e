import type {Identity, IdentityOrigin, IdentitySource} from '../../domain/identity/identity.ts';
import type {
  ServedSessions,
  ServedSignInOptions,
  SessionPlace,
  SessionStatus,
  SignIn,
} from '../../domain/identity/session.ts';
import {Listeners} from '../../domain/listeners.ts';
import {AppError} from '../../failures/app-error.ts';
import {messageOf} from '../../failures/error-text.ts';
import type {Failure} from '../../failures/failure.ts';
import {CurrentSession, type CurrentSessionDeps} from './current-session.ts';
import {startUnlocking} from './keychain-unlock.ts';
import {createRefresher, type Refresher, type RefresherDeps} from './refresher.ts';
import {failureOf, type SignedIn} from './session-state.ts';
import type {RequestedSignIn} from './sign-in/requested-sign-in.ts';
import {requestSession} from './sign-in/sign-in.ts';
import {chooseScriptUrl} from './sign-in/sign-in-address.ts';
import {createSignInGate, type SignInGate} from './sign-in/sign-in-gate.ts';
import type {Kept, SessionKeeper} from './storage/session-keeper.ts';
import type {SessionRecord} from './storage/session-record.ts';

/** Dependencies of {@link openSessionSource}. The source disposes of the base. */
export interface SessionSourceDeps
  extends CurrentSessionDeps,
    Pick<RefresherDeps, 'client' | 'nowMs' | 'random' | 'timers'> {
  readonly keeper: SessionKeeper;
}

/** An identity source whose pilots sign in at the back end of their airline. */
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
  readonly #session: CurrentSession;
  readonly #refresher: Refresher;
  readonly #gate: SignInGate;
  readonly #listeners: Listeners;
  readonly #stopBase: () => void;
  #stopUnlocking = (): void => {};
  /** Resolves when the last session is kept. */
  #keeping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  /** Time of the last request of a caller for a verification of this session, in milliseconds since the Unix epoch. */
  #verifiedAtMs = -Infinity;

  constructor(deps: SessionSourceDeps) {
    this.#deps = deps;
    this.#session = new CurrentSession(deps);
    this.#listeners = new Listeners(error => deps.log.error('a listener for identity changes failed', {error}));
    this.#gate = createSignInGate((request, signal) => this.#signIn(request, signal));
    this.#stopBase = deps.base.onChange(() => this.#onBaseChange());
    this.#refresher = createRefresher({
      ...deps,
      onRefreshed: record => this.#onRefreshed(record),
      onNotOffered: () => this.#session.markUnverifiable(),
      onFailed: error => this.#session.markStale(error),
      onEnded: problem => this.#onEnded(problem),
    });
  }

  async open(): Promise<void> {
    const kept = await this.#deps.keeper.load();
    if (kept === undefined) return;
    const {scriptURL, sinceMs} = kept;
    if ((this.#session.configuredBackEnd ?? scriptURL) !== scriptURL)
      return this.#deps.log.info('kept session not used: it is for another back end', {scriptURL});
    if (kept.state === 'expired') this.#session.enter({kind: 'expired', scriptURL, problem: kept.problem}, sinceMs);
    else if (kept.record !== undefined) this.#resume(kept.record, kept.place);
    else this.#unlock(kept);
  }

  get origin(): IdentityOrigin {
    return this.#session.origin;
  }

  current(): Identity | undefined {
    return this.#session.identity;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async status(): Promise<SessionStatus> {
    return this.#session.status;
  }

  async signIn(signIn: SignIn, options: ServedSignInOptions = {}): Promise<SessionStatus> {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
    return this.#gate.enter(signIn, options);
  }

  async verify(): Promise<SessionStatus> {
    const {state, source} = this.#session.status;
    if (source !== 'back-end' && state === 'signed-in')
      throw new AppError({code: 'sign-in-unavailable', problem: `the identity comes from the ${source}`});
    if (this.#session.state.kind !== 'signed-in') throw new AppError({code: 'no-identity'});
    const nowMs = this.#deps.nowMs();
    // A clock that was set back must not delay the next verification.
    if (Math.abs(nowMs - this.#verifiedAtMs) >= VERIFY_INTERVAL_MIN_MS) {
      this.#verifiedAtMs = nowMs;
      void this.#refresher.refresh();
    }
    return this.#session.status;
  }

  async signOut(): Promise<SessionStatus> {
    const {keeper, log} = this.#deps;
    await this.#gate.abort({code: 'sign-in-unavailable', problem: 'another program signed out at the same time'});
    const {state} = this.#session;
    if (state.kind !== 'signed-out') {
      this.#session.enter({kind: 'signed-out'});
      this.#stop();
      log.info('signed out', {scriptURL: state.scriptURL});
      this.#listeners.call();
    }
    await keeper.forget();
    return this.#session.status;
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
    const chosen = {configured: this.#session.configuredBackEnd, last: this.#session.backEnd};
    const scriptURL = chooseScriptUrl(request, chosen);
    const record = await requestSession({...request, scriptURL}, {...this.#deps, signal});
    this.#serve(record, {kept: 'memory', stale: false});
    this.#refresher.follow(record);
    await this.#keep(record);
    return this.#session.status;
  }

  /** Serves a kept session: the last known identity, stale until the back end confirms the session. */
  #resume(record: SessionRecord, kept: SessionPlace): void {
    this.#serve(record, {kept, stale: true});
    this.#refresher.resume(record);
  }

  #serve(record: SessionRecord, place: Pick<SignedIn, 'kept' | 'stale'>): void {
    this.#session.serve(record, place);
    this.#stop();
    this.#listeners.call();
  }

  #unlock({scriptURL, sinceMs, place, unlock}: Extract<Kept, {state: 'signed-in'}>): void {
    const {log} = this.#deps;
    this.#session.enter({kind: 'locked', scriptURL}, sinceMs);
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
        this.#session.enter({kind: 'locked', scriptURL, problem: failureOf(error)}, sinceMs);
      },
    });
  }

  #onRefreshed(record: SessionRecord): void {
    if (!this.#session.refresh(record)) return;
    this.#listeners.call();
    void this.#keep(record);
  }

  #onEnded(problem: Failure | undefined): void {
    const {keeper, log} = this.#deps;
    const scriptURL = this.#session.backEnd;
    if (scriptURL === undefined) return;
    this.#session.enter({kind: 'expired', scriptURL, problem});
    this.#stop();
    log.info('session expired', {scriptURL, ...(problem === undefined ? {} : {code: problem.code})});
    this.#listeners.call();
    this.#keeping = keeper.saveExpired({scriptURL, sinceMs: this.#session.sinceMs, problem});
  }

  #onBaseChange(): void {
    const {state, configuredBackEnd, backEnd} = this.#session;
    if (state.kind === 'signed-in') {
      if ((configuredBackEnd ?? state.scriptURL) === state.scriptURL) {
        if (this.#session.recompose()) this.#listeners.call();
        return;
      }
      // Plugins would send the session to the wrong back end.
      this.#deps.log.info('the profile names another back end', {scriptURL: configuredBackEnd});
      void this.signOut();
    } else if (backEnd === undefined) {
      this.#session.enter(state);
      this.#listeners.call();
    }
  }

  /** Stops the background work of the previous state. */
  #stop(): void {
    this.#stopUnlocking();
    this.#refresher.stop();
    this.#verifiedAtMs = -Infinity;
  }

  #keep(record: SessionRecord): Promise<void> {
    this.#keeping = this.#deps.keeper.save(record).then(kept => this.#session.markKept(record, kept));
    return this.#keeping;
  }
}
