import {assertNames, SIGN_IN_NAMES} from '../../../core/domain/commits/option-names.ts';
import type {CommonDeps} from '../../../core/domain/common-deps.ts';
import {NO_FAULTS, type SessionCall, type SessionFaults} from '../../../core/domain/faults/fault.ts';
import type {
  Identity,
  IdentityOrigin,
  IdentitySource,
  ServedSessions,
  ServedSignInOptions,
  SessionStatus,
  SignIn,
} from '../../../core/domain/identity/identity.ts';
import {Listeners} from '../../../core/domain/listeners.ts';
import type {SessionStatistics} from '../../../core/domain/statistics.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import {Alarm} from '../../../core/time/alarm.ts';
import {within} from '../../../core/time/wait.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import {askFor, chooseScriptUrl, requestSession} from './ask-back-end.ts';
import {airlineOf, type Configured, composeIdentity} from './pilot-identity.ts';
import {linesOf} from './session-log.ts';
import {type ActualSession, actualSession, type Locked, type SignedIn, type State, timesOf} from './session-state.ts';
import {type Context, type Effect, follow, type SessionEvent} from './session-table.ts';
import {type RequestedSignIn, SignInGate, signInRefused} from './sign-in-gate.ts';
import type {SessionKeeper} from './storage/session-keeper.ts';

/** The base is served while no pilot is signed in, and disposed of with the source; with an airline no identity is served then. */
export interface SessionSourceDeps extends Configured, Pick<CommonDeps, 'log' | 'nowMs' | 'random' | 'timers'> {
  readonly client: BackEndClient;
  readonly keeper: SessionKeeper;
  /** False if no pilot can sign in: the base is all that is served. @default {true} */
  readonly offersSignIn?: boolean | undefined;
  /** @default {no faults} */
  readonly faults?: SessionFaults | undefined;
}

/**
 * Opens the source with the session that was kept. The back end and the keychain are called in the background, so opening
 * does not wait for them.
 */
export async function openSessionSource(deps: SessionSourceDeps): Promise<SessionSource> {
  const source = new SessionSource(deps);
  try {
    await source.open();
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}

/** Longest wait for a request in flight when the source closes, in milliseconds: a service has five seconds to stop. */
const GRACE_MS = 2000;

/** Minimum interval between requested verifications, in milliseconds: a plugin may call after each answer. */
const VERIFY_INTERVAL_MIN_MS = 60_000;

/**
 * An identity source whose pilots sign in at the back end of their airline. Carries out what the table of transitions says, with one
 * request about the session at a time.
 */
export class SessionSource implements IdentitySource, ServedSessions {
  readonly #deps: SessionSourceDeps;
  readonly #context: Context;
  readonly #gate = new SignInGate((request, signal) => this.#signIn(request, signal));
  readonly #alarm: Alarm;
  readonly #listeners: Listeners;
  readonly #faults: SessionFaults;
  readonly #stopListening: readonly (() => void)[];
  #state: State;
  /** True if there was a pilot when a change was announced last. */
  #announcedPilot: boolean;
  /** The request in progress, to the keychain or to the back end. */
  #asking: {readonly controller: AbortController; readonly done: Promise<void>} | undefined;
  /** Address of the back end of the sign-in in progress, until its session is served. */
  #signingInAt: string | undefined;
  /** Resolves when the last state is kept. */
  #keeping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(deps: SessionSourceDeps) {
    this.#deps = deps;
    this.#context = {...deps, compose: record => composeIdentity(record, deps)};
    this.#alarm = new Alarm(deps);
    this.#listeners = new Listeners(error => deps.log.error('a listener for identity changes failed', {error}));
    this.#faults = deps.faults ?? NO_FAULTS;
    this.#state = {kind: 'signed-out', sinceMs: deps.nowMs()};
    this.#announcedPilot = this.#hasPilot();
    // Faults hide identities, and change none. A source may make its identity anew for each call.
    const onFaults = (): unknown => this.#hasPilot() === this.#announcedPilot || this.#announce();
    this.#stopListening = [deps.base.onChange(() => this.#onBaseChange()), this.#faults.onChange(onFaults)];
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
    return this.#session.origin;
  }

  current(): Identity | undefined {
    return this.#faults.show(this.#session).identity;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async status(): Promise<SessionStatus> {
    return this.#faults.show(this.#session).status();
  }

  /** Returns figures of the session as it is, without faults. */
  statistics(): SessionStatistics {
    return {requests: this.#deps.client.counts, ...timesOf(this.#state)};
  }

  async signIn(signIn: SignIn, options: ServedSignInOptions = {}): Promise<SessionStatus> {
    assertNames(signIn, SIGN_IN_NAMES);
    assertNames(options, ['signal', 'mayNameBackEnd']);
    this.#admit('sign-in');
    return this.#gate.enter(signIn, options);
  }

  async verify(): Promise<SessionStatus> {
    if (!this.#admit('verify')) return this.status();
    const {state, source} = this.#session.status();
    if (source !== 'back-end' && state === 'signed-in') throw signInRefused(`the identity comes from the ${source}`);
    if (this.#state.kind !== 'signed-in') throw new AppError({code: 'no-identity'});
    // A clock that was set back must not delay the next verification.
    if (Math.abs(this.#deps.nowMs() - this.#state.askedAtMs) >= VERIFY_INTERVAL_MIN_MS) this.#take({kind: 'asked'});
    return this.#session.status();
  }

  async signOut(): Promise<SessionStatus> {
    this.#admit('sign-out');
    await this.#gate.abort(signInRefused('another program signed out at the same time'));
    this.#take({kind: 'left'});
    await this.#keeping;
    return this.#session.status();
  }

  /**
   * Resumes the session if that is due, otherwise verifies it. Does nothing without a session, or during a pause that the back end
   * asked for. Concurrent calls share one request. Never rejects.
   */
  async refresh(): Promise<void> {
    if (this.#state.kind === 'signed-in') await this.#ask();
  }

  /** Resolves when no request about the session is in progress. Sends none. */
  async idle(): Promise<void> {
    await this.#asking?.done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    if (this.#state.kind === 'locked') this.#stop();
    await this.#gate.abort(new AppError({code: 'store-closed'}));
    // The back end may already have replaced the session, and the new one must be kept.
    if (this.#asking !== undefined) await within(this.#asking.done, GRACE_MS, this.#deps.timers);
    this.#stop();
    await this.#keeping;
    await this.#deps.base[Symbol.asyncDispose]();
    this.#listeners.clear();
  }

  /** Address of the configured back end, from the airline or else from the profile; undefined if neither has one. */
  get #configured(): string | undefined {
    return airlineOf(this.#deps)?.scriptURL;
  }

  get #session(): ActualSession {
    return actualSession(this.#state, this.#deps);
  }

  /** Decides about a call. @returns False if it shall have no effect, because of a fault. */
  #admit(call: SessionCall): boolean {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
    const isAdmitted = this.#faults.admit(call, this.#session);
    if (isAdmitted && this.#deps.offersSignIn === false)
      throw signInRefused('the identity comes from a source that has no sign-in');
    return isAdmitted;
  }

  #take(event: SessionEvent): void {
    const before = this.#state;
    const next = follow(before, event, this.#context);
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
    // A fault may hide the change.
    announce: () => this.#hasPilot() === (this.#session.identity !== undefined) && this.#announce(),
    refuse: () => this.#gate.abort(signInRefused('the profile names another back end')),
  };

  #hasPilot(): boolean {
    return this.current() !== undefined;
  }

  #announce(): void {
    this.#announcedPilot = this.#hasPilot();
    this.#listeners.call();
  }

  /** Asks for the session, unless that is in progress. Never rejects. */
  async #ask(): Promise<void> {
    if (this.#asking === undefined && this.#closed === undefined) this.#begin(this.#state, this.#deps.nowMs());
    await this.#asking?.done;
  }

  #begin(state: State, nowMs: number): void {
    // The machine may have slept past the end.
    if (state.kind === 'signed-in' && (state.record.expiresAtMs ?? Infinity) <= nowMs)
      this.#take({kind: 'ended', problem: state.problem});
    else if (state.kind === 'locked' || (state.kind === 'signed-in' && state.pausedUntilMs <= nowMs)) {
      const controller = new AbortController();
      this.#asking = {controller, done: this.#send(state, controller.signal)};
    }
  }

  async #send(state: Locked | SignedIn, signal: AbortSignal): Promise<void> {
    const end = (event: SessionEvent): void => {
      if (signal.aborted) return;
      this.#asking = undefined;
      this.#take(event);
    };
    try {
      end(await askFor(state, {...this.#deps, signal}));
    } catch (error) {
      const {failure, advice} = error instanceof AppError ? error : {};
      // With the advice for its case: it is kept, over a restart too.
      const problem = failure && {...failure, ...(advice && {advice})};
      end(problem?.code === 'session-unknown' ? {kind: 'ended', problem} : {kind: 'failed', error, problem});
    }
  }

  /** Ends what is under way for the state. A request in progress has no effect. */
  #stop(): void {
    this.#alarm.clear();
    this.#asking?.controller.abort();
    this.#asking = undefined;
  }

  #keep(): void {
    const state = this.#state;
    const record = state.kind === 'signed-in' ? state.record : undefined;
    const kept = this.#deps.keeper.keep(state.kind === 'expired' ? state : record);
    this.#keeping = kept.then(place => this.#take({kind: 'placed', record, place}));
  }

  async #signIn(request: RequestedSignIn, signal: AbortSignal): Promise<SessionStatus> {
    const scriptURL = chooseScriptUrl(request, {configured: this.#configured, last: this.#session.scriptURL});
    this.#signingInAt = scriptURL;
    try {
      const record = await requestSession({...request, scriptURL}, {...this.#deps, signal});
      signal.throwIfAborted();
      this.#take({kind: 'received', record});
    } finally {
      this.#signingInAt = undefined;
    }
    await this.#keeping;
    return this.#session.status();
  }

  #onBaseChange(): void {
    const state = this.#state;
    const configured = this.#configured;
    const used = ['scriptURL' in state ? state.scriptURL : undefined, this.#signingInAt];
    // Plugins would send the session to the wrong back end.
    if (configured !== undefined && used.some(each => (each ?? configured) !== configured))
      this.#take({kind: 'moved', scriptURL: configured});
    else if (state.kind === 'signed-in') {
      const identity = composeIdentity(state.record, this.#deps);
      if (Buffer.compare(identity.json, state.identity.json) !== 0) this.#take({kind: 'recomposed', identity});
    } else if (this.#session.scriptURL === undefined) this.#take({kind: 'replaced'});
  }
}
