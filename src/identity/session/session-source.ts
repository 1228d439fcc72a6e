import type {Identity, IdentityOrigin, IdentitySource} from '../../domain/identity/identity.ts';
import type {ServedSessions, ServedSignInOptions, SessionStatus, SignIn} from '../../domain/identity/session.ts';
import {Listeners} from '../../domain/listeners.ts';
import type {Log} from '../../domain/log.ts';
import {AppError} from '../../failures/app-error.ts';
import {type Alarm, createAlarm} from '../../time/alarm.ts';
import type {Timers} from '../../time/timers.ts';
import {within} from '../../time/wait.ts';
import type {BackEndAirline} from '../backend/airline-profile.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import {askFor} from './ask-back-end.ts';
import {createPilotIdentities, type PilotIdentities} from './pilot-identity.ts';
import {linesOf} from './session-log.ts';
import {describeState, type State} from './session-state.ts';
import {type Effect, follow, type SessionEvent} from './session-table.ts';
import {chooseScriptUrl, requestSession} from './sign-in.ts';
import {type RequestedSignIn, SignInGate} from './sign-in-gate.ts';
import type {SessionKeeper} from './storage/session-keeper.ts';

export interface SessionSourceDeps {
  /**
   * The source that is served while no pilot is signed in; disposed of with this one. The airline and the platform account of a
   * profile are part of the identity of a pilot, too.
   */
  readonly base: IdentitySource;
  /** The airline that is configured separately. With it, no identity is served unless a pilot is signed in. */
  readonly airline?: BackEndAirline | undefined;
  readonly client: BackEndClient;
  readonly keeper: SessionKeeper;
  readonly log: Log;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly timers: Timers;
}

/** An identity source whose pilots sign in at the back end of their airline. */
export interface SessionSource extends IdentitySource, ServedSessions {
  /**
   * Resumes the session if that is due, otherwise verifies it. Does nothing without a session, or during a pause that the back end
   * asked for. Concurrent calls share one request. Never rejects.
   */
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

/** Carries out what the table of transitions says, with one request about the session at a time. */
class BackEndSource implements SessionSource {
  readonly #deps: SessionSourceDeps;
  readonly #identities: PilotIdentities;
  readonly #gate = new SignInGate((request, signal) => this.#signIn(request, signal));
  readonly #alarm: Alarm;
  readonly #listeners: Listeners;
  readonly #stopBase: () => void;
  #state: State;
  /** The request in progress, to the keychain or to the back end. */
  #asking: {readonly controller: AbortController; readonly done: Promise<void>} | undefined;
  /** Resolves when the last state is kept. */
  #keeping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(deps: SessionSourceDeps) {
    this.#deps = deps;
    this.#identities = createPilotIdentities(deps);
    this.#alarm = createAlarm(deps);
    this.#listeners = new Listeners(error => deps.log.error('a listener for identity changes failed', {error}));
    this.#stopBase = deps.base.onChange(() => this.#onBaseChange());
    this.#state = {kind: 'signed-out', sinceMs: deps.nowMs()};
  }

  async open(): Promise<void> {
    const kept = await this.#deps.keeper.load();
    if (kept === undefined) return;
    const {scriptURL} = kept;
    if ((this.#configured ?? scriptURL) !== scriptURL)
      this.#deps.log.info('kept session not used: it is for another back end', {scriptURL});
    else if (kept.state === 'expired') this.#take({kind: 'restored', expired: kept});
    else if (kept.state === 'locked') this.#take({kind: 'found', session: kept});
    else this.#take({kind: 'resumed', record: kept, place: 'file'});
  }

  get origin(): IdentityOrigin {
    const scriptURL = this.#backEnd;
    return scriptURL === undefined ? this.#deps.base.origin : {kind: 'back-end', scriptURL};
  }

  current(): Identity | undefined {
    if (this.#state.kind === 'signed-in') return this.#state.identity;
    return this.#backEnd === undefined ? this.#deps.base.current() : undefined;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async status(): Promise<SessionStatus> {
    return this.#describe();
  }

  async signIn(signIn: SignIn, options: ServedSignInOptions = {}): Promise<SessionStatus> {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
    return this.#gate.enter(signIn, options);
  }

  async verify(): Promise<SessionStatus> {
    const {state, source} = this.#describe();
    if (source !== 'back-end' && state === 'signed-in')
      throw new AppError({code: 'sign-in-unavailable', problem: `the identity comes from the ${source}`});
    if (this.#state.kind !== 'signed-in') throw new AppError({code: 'no-identity'});
    // A clock that was set back must not delay the next verification.
    if (Math.abs(this.#deps.nowMs() - this.#state.askedAtMs) >= VERIFY_INTERVAL_MIN_MS) this.#take({kind: 'asked'});
    return this.#describe();
  }

  async signOut(): Promise<SessionStatus> {
    await this.#gate.abort({code: 'sign-in-unavailable', problem: 'another program signed out at the same time'});
    this.#take({kind: 'left'});
    await this.#keeping;
    return this.#describe();
  }

  async refresh(): Promise<void> {
    if (this.#state.kind === 'signed-in') await this.#ask();
  }

  async idle(): Promise<void> {
    await this.#asking?.done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stopBase();
    if (this.#state.kind === 'locked') this.#stop();
    await this.#gate.abort({code: 'store-closed'});
    // The back end may already have replaced the session, and the new one must be kept.
    if (this.#asking !== undefined) await within(this.#asking.done, GRACE_MS, this.#deps.timers);
    this.#stop();
    await this.#keeping;
    await this.#deps.base[Symbol.asyncDispose]();
    this.#listeners.clear();
  }

  /** Address of the configured back end, from the airline or else from the profile; undefined if neither has one. */
  get #configured(): string | undefined {
    return this.#identities.airline()?.scriptURL;
  }

  /** Address of the back end that the identity comes from; undefined if it comes from the base. */
  get #backEnd(): string | undefined {
    return this.#state.kind === 'signed-out' ? this.#deps.airline?.scriptURL : this.#state.scriptURL;
  }

  /** Returns the status, without secrets. */
  #describe(): SessionStatus {
    const summary = this.current()?.summary;
    const own = describeState(this.#state, summary !== undefined);
    return {...own, source: this.origin.kind, summary, scriptURL: this.#backEnd};
  }

  #take(event: SessionEvent): void {
    const before = this.#state;
    const next = follow(before, event, {...this.#deps, ...this.#identities});
    if (next === undefined) return;
    this.#state = next.state;
    for (const [level, message, about] of linesOf(before, event, next.state)) this.#deps.log[level](message, about);
    for (const effect of next.effects) this.#effects[effect]();
  }

  readonly #effects: Readonly<Record<Effect, () => unknown>> = {
    ask: () => this.#ask(),
    wait: () => 'nextAtMs' in this.#state && this.#alarm.set(this.#state.nextAtMs, () => this.#take({kind: 'due'})),
    stop: () => this.#stop(),
    keep: () => this.#keep(),
    announce: () => this.#listeners.call(),
    leave: () => this.signOut(),
  };

  /** Asks for the session, unless that is in progress. Never rejects. */
  #ask(): Promise<void> {
    if (this.#asking !== undefined) return this.#asking.done;
    const state = this.#state;
    const nowMs = this.#deps.nowMs();
    if (!('nextAtMs' in state) || this.#closed !== undefined) return Promise.resolve();
    if (state.kind === 'signed-in') {
      // The machine may have slept past the end.
      if ((state.record.expiresAtMs ?? Infinity) <= nowMs) this.#take({kind: 'ended', problem: state.problem});
      if (state !== this.#state || nowMs < state.pausedUntilMs) return Promise.resolve();
    }
    const controller = new AbortController();
    const {signal} = controller;
    const end = (event: SessionEvent): void => {
      if (signal.aborted) return;
      this.#asking = undefined;
      this.#take(event);
    };
    const done = askFor(state, {...this.#deps, signal})
      .then(end)
      .catch((error: unknown) => {
        const problem = error instanceof AppError ? error.failure : undefined;
        end(problem?.code === 'session-unknown' ? {kind: 'ended', problem} : {kind: 'failed', error, problem});
      });
    this.#asking = {controller, done};
    return done;
  }

  /** Ends what is under way for the state. A request in progress has no effect. */
  #stop(): void {
    this.#alarm.clear();
    this.#asking?.controller.abort();
    this.#asking = undefined;
  }

  #keep(): void {
    const {keeper} = this.#deps;
    const state = this.#state;
    if (state.kind === 'signed-in') {
      const {record} = state;
      this.#keeping = keeper.save(record).then(place => this.#take({kind: 'placed', record, place}));
    } else if (state.kind === 'expired') {
      const {scriptURL, sinceMs, problem} = state;
      this.#keeping = keeper.saveExpired({scriptURL, sinceMs, problem});
    } else this.#keeping = keeper.forget();
  }

  async #signIn(request: RequestedSignIn, signal: AbortSignal): Promise<SessionStatus> {
    const scriptURL = chooseScriptUrl(request, {configured: this.#configured, last: this.#backEnd});
    const record = await requestSession({...request, scriptURL}, {...this.#deps, signal});
    this.#take({kind: 'received', record});
    await this.#keeping;
    return this.#describe();
  }

  #onBaseChange(): void {
    const state = this.#state;
    const configured = this.#configured;
    if (state.kind === 'signed-in') {
      // Plugins would send the session to the wrong back end.
      const isMoved = (configured ?? state.scriptURL) !== state.scriptURL;
      const identity = this.#identities.compose(state.record);
      if (isMoved) this.#take({kind: 'moved', scriptURL: configured});
      else if (Buffer.compare(identity.json, state.identity.json) !== 0) this.#take({kind: 'recomposed', identity});
    } else if (this.#backEnd === undefined) this.#take({kind: 'replaced'});
  }
}
