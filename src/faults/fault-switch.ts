import {setMaxListeners} from 'node:events';
import {formatFault, readFaultText} from '../documents/fault-text.ts';
import {readFaultValues} from '../documents/faults.ts';
import type {Commit} from '../domain/commits/commit.ts';
import type {CommonDeps} from '../domain/common-deps.ts';
import type {
  ActiveFaults,
  ServedFaults,
  SessionCall,
  SessionFaults,
  ShownSession,
  StoreFaults,
} from '../domain/faults/active-faults.ts';
import {FAULT_SEED_MAX, type Fault, type FaultList, type Faults} from '../domain/faults/fault.ts';
import type {Identity, IdentityDocument} from '../domain/identity/identity.ts';
import type {SessionStatus} from '../domain/identity/session.ts';
import {Listeners} from '../domain/listeners.ts';
import {AppError} from '../failures/app-error.ts';
import {type FaultKind, withFault} from '../failures/fault-mark.ts';
import type {Timers} from '../time/timers.ts';
import {wait} from '../time/wait.ts';
import {createDrawers, drawFaults} from './draw-faults.ts';

export interface FaultSwitchDeps extends Pick<CommonDeps, 'log' | 'nowMs' | 'random' | 'timers'> {
  /** True if the store is in memory: only then its clock may be ahead. */
  readonly ephemeral: boolean;
}

/**
 * Reads faults from texts, in the form of the command line.
 *
 * @throws {AppError} `invalid-faults`.
 */
export function readFaultTexts(texts: readonly string[]): readonly Fault[] {
  const readings = texts.map(readFaultText);
  const problems = readings.flatMap((reading, at) =>
    'problem' in reading ? [{path: `$.faults[${at}]`, problem: reading.problem}] : [],
  );
  if (problems.length > 0) throw new AppError({code: 'invalid-faults', problems});
  return readings.flatMap(reading => ('fault' in reading ? reading.fault : []));
}

/** The faults of a service, at first all off: switched by callers, and asked for by the parts of the service that show them. */
export class FaultSwitch implements Faults, ServedFaults, StoreFaults, SessionFaults {
  readonly #deps: FaultSwitchDeps;
  readonly #listeners: Listeners;
  #list: FaultList = {faults: []};
  #active: (ActiveFaults & {end(): void}) | undefined;
  #offsetMs = 0;
  /** The time of the last change, in milliseconds since the Unix epoch. */
  #sinceMs: number;

  constructor(deps: FaultSwitchDeps) {
    this.#deps = deps;
    this.#sinceMs = deps.nowMs();
    this.#listeners = new Listeners(error => deps.log.error('a listener for faults failed', {error}));
  }

  /** Returns the time of the store: that of the machine, plus the largest offset so far. A store's clock never goes back. */
  readonly storeNowMs = (): number => this.#deps.nowMs() + this.#offsetMs;

  get active(): ActiveFaults | undefined {
    return this.#active;
  }

  has(kind: FaultKind): boolean {
    return this.#active?.kinds.has(kind) === true;
  }

  get readOnlyBecause(): string | undefined {
    return this.has('store-read-only') ? READ_ONLY : undefined;
  }

  assertMayCommit({operations}: Commit): void {
    if (this.#active === undefined) return;
    if (this.has('store-read-only'))
      throw new AppError(withFault({code: 'store-read-only', problem: READ_ONLY}, 'store-read-only'));
    // Deletions work on a full disk.
    if (this.has('disk-full') && operations.some(({kind}) => kind !== 'delete'))
      throw new AppError(withFault({code: 'disk-full'}, 'disk-full'));
  }

  show(session: ShownSession): ShownSession {
    if (this.#active === undefined) return session;
    if (this.has('session-expired'))
      return {identity: undefined, status: () => expire(session.status(), this.#sinceMs)};
    if (!this.has('airline-away')) return session;
    const {identity} = session;
    return {identity, status: () => strand(session.status(), identity)};
  }

  admit(call: SessionCall, session: ShownSession): boolean {
    if (this.has('session-expired')) throw refuse(call);
    if (call === 'sign-out' || !this.has('airline-away')) return true;
    const {source, state, scriptURL = UNKNOWN_URL} = session.status();
    if (call === 'sign-in') throw unreachable(scriptURL);
    return source !== 'back-end' || state !== 'signed-in';
  }

  list(): FaultList {
    return this.#list;
  }

  set(given: readonly Fault[]): FaultList {
    const faults = this.#read(given);
    const {log, nowMs, timers} = this.#deps;
    const before = this.#active;
    this.#list = {faults};
    this.#sinceMs = nowMs();
    this.#active = faults.length === 0 ? undefined : activate(faults, timers);
    for (const fault of faults)
      if (fault.kind === 'clock') this.#offsetMs = Math.max(this.#offsetMs, fault.offsetSeconds * MS_PER_SECOND);
    before?.end();
    if (before !== undefined || faults.length > 0) log.info('faults changed', {faults: faults.map(formatFault)});
    this.#listeners.call();
    return this.#list;
  }

  add(added: readonly Fault[]): FaultList {
    const faults = this.#read(added);
    const texts = new Set(faults.map(formatFault));
    return this.set([...this.#list.faults.filter(fault => !texts.has(formatFault(fault))), ...faults]);
  }

  end(kind: FaultKind): FaultList {
    return this.set(this.#list.faults.filter(fault => fault.kind !== kind));
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Checks faults and chooses missing seeds. */
  #read(given: readonly Fault[]): readonly Fault[] {
    const reading = readFaultValues(given, '$.faults');
    if ('problems' in reading) throw new AppError({code: 'invalid-faults', problems: reading.problems});
    const at = reading.faults.findIndex(({kind}) => kind === 'clock');
    if (at !== -1 && !this.#deps.ephemeral) {
      const problem = 'needs a store in memory (--ephemeral): a clock that is ahead would delete entries for good';
      throw new AppError({code: 'invalid-faults', problems: [{path: `$.faults[${at}]`, problem}]});
    }
    return reading.faults.map(fault => this.#withSeed(fault));
  }

  #withSeed(fault: Fault): Fault {
    if (!('probability' in fault) || fault.probability === undefined || fault.seed !== undefined) return {...fault};
    return {...fault, seed: Math.floor(this.#deps.random() * FAULT_SEED_MAX)};
  }
}

/** The reason why the store is read-only. */
const READ_ONLY = 'a fault is switched on, and the disk is not the reason';

const MS_PER_SECOND = 1000;

function activate(faults: readonly Fault[], timers: Timers): ActiveFaults & {end(): void} {
  const drawers = createDrawers(faults);
  const ended = new AbortController();
  // A listener for each delayed request: Node would print a warning from the eleventh on.
  setMaxListeners(0, ended.signal);
  return {
    kinds: new Set(faults.map(({kind}) => kind)),
    draw: request => drawFaults(request, drawers),
    wait: async (delayMs, signal) => {
      await wait(delayMs, {timers, signals: [signal, ended.signal]});
      signal.throwIfAborted();
    },
    end: () => ended.abort(),
  };
}

/** Refuses a call: a sign-in or a sign-out would replace the kept session. */
function refuse(call: SessionCall): AppError {
  const problem = 'a fault holds the session expired, and keeps the real one as it is';
  return new AppError(
    withFault(call === 'verify' ? {code: 'no-identity'} : {code: 'sign-in-unavailable', problem}, 'session-expired'),
  );
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
