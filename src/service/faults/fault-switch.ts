import {setMaxListeners} from 'node:events';
import {formatFault, readFaultText} from '../../core/documents/fault-text.ts';
import {findFaultProblems} from '../../core/documents/faults.ts';
import type {Commit} from '../../core/domain/commits/commit.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {
  ActiveFaults,
  Fault,
  FaultedRequest,
  FaultList,
  Faults,
  RequestFault,
  RequestFaults,
  ServedFaults,
  SessionCall,
  SessionFaults,
  ShownSession,
  StoreFaults,
} from '../../core/domain/faults/fault.ts';
import type {Identity, IdentityDocument, SessionStatus} from '../../core/domain/identity/identity.ts';
import {Listeners} from '../../core/domain/listeners.ts';
import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {isFaultCode} from '../../core/failures/facts.ts';
import {type Failure, type FaultKind, withFault} from '../../core/failures/failure.ts';
import {findRow} from '../../core/failures/rows/rows.ts';
import type {JsonMembers} from '../../core/json/members.ts';
import type {Timers} from '../../core/time/timers.ts';
import {wait} from '../../core/time/wait.ts';

export interface FaultSwitchDeps extends Pick<CommonDeps, 'log' | 'nowMs' | 'timers'> {
  /** True if the store is in memory: only then its clock may be ahead. */
  readonly ephemeral: boolean;
}

/**
 * Reads faults from texts, in the form of the command line.
 *
 * @throws {AppError} `invalid-body`.
 */
export function readFaultTexts(texts: readonly string[]): readonly Fault[] {
  const readings = texts.map(readFaultText);
  const problems = readings.flatMap((reading, at) =>
    'problem' in reading ? [{path: `$.faults[${at}]`, problem: reading.problem}] : [],
  );
  if (problems.length > 0) throw new AppError({code: 'invalid-body', what: 'faults', problems});
  return readings.flatMap(reading => ('fault' in reading ? reading.fault : []));
}

/** The faults of a service, at first all off: switched by callers, asked for by the service parts that show them. */
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

  /** Returns the time of the store: the machine's, plus the largest offset so far. A store's clock never goes back. */
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

  #read(given: readonly Fault[]): readonly Fault[] {
    const problems = findFaultProblems(given);
    if (problems.length > 0) throw new AppError({code: 'invalid-body', what: 'faults', problems});
    const at = given.findIndex(({kind}) => kind === 'clock');
    if (at !== -1 && !this.#deps.ephemeral) {
      const problem = 'needs a store in memory (--ephemeral): a clock that is ahead would delete entries for good';
      throw new AppError({code: 'invalid-body', what: 'faults', problems: [{path: `$.faults[${at}]`, problem}]});
    }
    return given.map(fault => ({...fault}));
  }
}

/** The reason why the store is read-only. */
const READ_ONLY = 'a fault is switched on, and the disk is not the reason';

const MS_PER_SECOND = 1000;

function activate(faults: readonly Fault[], timers: Timers): ActiveFaults & {end(): void} {
  const ended = new AbortController();
  // A listener for each delayed request: Node would print a warning from the eleventh on.
  setMaxListeners(0, ended.signal);
  return {
    kinds: new Set(faults.map(({kind}) => kind)),
    find: request => findFaults(request, faults),
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
    withFault(
      call === 'verify' ? {code: 'no-identity'} : {code: 'not-offered', what: 'sign-in', problem},
      'session-expired',
    ),
  );
}

/** Returns the status as if the session had expired; without a session, as if no pilot was signed in. */
function expire({source, state, scriptURL, changedAtMs}: SessionStatus, expiredAtMs: number): SessionStatus {
  const base = {source, scriptURL, changedAtMs: expiredAtMs, stale: false, unverifiable: false};
  if (state !== 'signed-in') return {...base, state, changedAtMs};
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
  return new AppError(withFault({code: 'back-end-failed', url, stage: 'connection', problem}, 'airline-away'));
}

/** Finds the faults of a request. */
function findFaults(request: FaultedRequest, faults: readonly Fault[]): RequestFaults {
  if (!isReachable(request.path)) return {};
  const paths = [request.path, decodeIfEncoded(request.path)];
  const fitting = faults.filter(isOfRequests).filter(fault => fits(fault, paths, request.plugin));
  const delay = fitting.find(({kind}) => kind === 'delay');
  const ending = fitting.find(({kind}) => kind !== 'delay');
  return {
    delayMs: delay?.kind === 'delay' ? delay.delayMs : undefined,
    ending: ending && endingOf(ending, request),
  };
}

function isOfRequests(fault: Fault): fault is RequestFault {
  return fault.kind === 'delay' || fault.kind === 'error' || fault.kind === 'cut';
}

/** Prefix of keys in paths. */
const STORE = '/api/store/';

function endingOf(fault: RequestFault, {method, path}: FaultedRequest): RequestFaults['ending'] {
  if (fault.kind !== 'error' || !isFaultCode(fault.code)) return {kind: 'cut'};
  const shown = path.slice(0, SHOWN_LENGTH_MAX);
  const key = decodeIfEncoded(shown.startsWith(STORE) ? shown.slice(STORE.length) : shown);
  const problem = 'a fault is switched on';
  const known: JsonMembers = {key, path: shown, method, problem, problems: [{path: '$', problem}]};
  const example = Object.entries(findRow(fault.code)?.example ?? {}).map(([name, value]) => [
    name,
    known[name] ?? value,
  ]);
  // The example of a row has the members of its code.
  return {kind: 'error', failure: withFault({code: fault.code, ...Object.fromEntries(example)} as Failure, 'error')};
}

/** Longest path in a failure, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 100;

/**
 * Returns whether a fault may be about a path. The console, its files, the health, and `/api` itself and `/api/stop`, by which
 * `crewroom stop` finds and ends the service, always work, and so does what the owner needs to switch faults off.
 */
function isReachable(path: string): boolean {
  if (path.startsWith('/plugins/')) return true;
  return path.startsWith('/api/') && path !== '/api/faults' && path !== '/api/stop' && !path.startsWith('/api/access/');
}

function fits({path, plugin}: RequestFault, paths: readonly string[], sender: string | undefined): boolean {
  if (plugin !== undefined && plugin !== sender) return false;
  return path === undefined || paths.some(each => matches(each, path));
}

/** Returns whether a text matches a pattern in which `*` stands for any characters. Takes the first place of each part: no backtracking. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
