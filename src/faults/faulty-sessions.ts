import type {Identity, IdentityDocument, IdentityOrigin, IdentitySource} from '../domain/identity/identity.ts';
import type {ServedSessions, ServedSignInOptions, SessionStatus, SignIn} from '../domain/identity/session.ts';
import {Listeners} from '../domain/listeners.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import {withFault} from '../failures/fault-mark.ts';
import type {FaultSwitch} from './fault-switch.ts';

/** The part of the faults that is about identities. */
export type IdentityFaults = Pick<FaultSwitch, 'has' | 'sinceMs' | 'onChange'>;

/**
 * Puts faults in front of an identity source: an expired session, and a back end that is unreachable. The source itself never
 * changes, and keeps its session.
 */
export function createFaultySessions(
  source: IdentitySource & ServedSessions,
  faults: IdentityFaults,
): IdentitySource & ServedSessions {
  return new FaultySessions(source, faults);
}

class FaultySessions implements IdentitySource, ServedSessions {
  readonly #source: IdentitySource & ServedSessions;
  readonly #faults: IdentityFaults;
  readonly #listeners = new Listeners();
  readonly #stopListening: readonly (() => void)[];
  /** The identity that was announced last. */
  #announced: Identity | undefined;

  constructor(source: IdentitySource & ServedSessions, faults: IdentityFaults) {
    this.#source = source;
    this.#faults = faults;
    this.#announced = this.current();
    const announce = (): void => this.#announce();
    this.#stopListening = [source.onChange(() => this.#onSourceChange()), faults.onChange(announce)];
  }

  get origin(): IdentityOrigin {
    return this.#source.origin;
  }

  current(): Identity | undefined {
    return this.#faults.has('session-expired') ? undefined : this.#source.current();
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async status(): Promise<SessionStatus> {
    const status = await this.#source.status();
    if (this.#faults.has('session-expired')) return expire(status, this.#faults.sinceMs);
    return this.#faults.has('airline-away') ? strand(status, this.#source.current()) : status;
  }

  async signIn(signIn: SignIn, options?: ServedSignInOptions): Promise<SessionStatus> {
    if (this.#faults.has('session-expired')) throw keepsSession();
    if (this.#faults.has('airline-away'))
      throw new AppError(unreachable((await this.#source.status()).scriptURL ?? UNKNOWN_URL));
    return this.#source.signIn(signIn, options);
  }

  async verify(): Promise<SessionStatus> {
    if (this.#faults.has('session-expired')) throw new AppError(withFault({code: 'no-identity'}, 'session-expired'));
    const {source, state} = await this.#source.status();
    // The back end is not asked: it is away.
    const isAway = this.#faults.has('airline-away') && source === 'back-end' && state === 'signed-in';
    return isAway ? this.status() : this.#source.verify();
  }

  async signOut(): Promise<SessionStatus> {
    if (this.#faults.has('session-expired')) throw keepsSession();
    return this.#source.signOut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stopListening) stop();
    this.#listeners.clear();
    await this.#source[Symbol.asyncDispose]();
  }

  #onSourceChange(): void {
    this.#announced = this.current();
    if (!this.#faults.has('session-expired')) this.#listeners.call();
  }

  #announce(): void {
    const identity = this.current();
    if (identity === this.#announced) return;
    this.#announced = identity;
    this.#listeners.call();
  }
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
  const problem = new AppError(unreachable(status.scriptURL ?? (identity && scriptUrlOf(identity)) ?? UNKNOWN_URL));
  return {...status, stale: status.state === 'signed-in', problem};
}

/** Address of an airline that is not known. */
const UNKNOWN_URL = 'https://air.example/';

function scriptUrlOf({json}: Identity): string {
  const {airline} = JSON.parse(new TextDecoder().decode(json)) as IdentityDocument;
  return airline.settings.scriptURL;
}

function unreachable(url: string): Failure {
  return withFault(
    {code: 'back-end-unreachable', url, stage: 'connection', problem: 'a fault is switched on'},
    'airline-away',
  );
}
