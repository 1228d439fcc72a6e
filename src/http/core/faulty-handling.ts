import type {Caller, Principal} from '../../core/domain/access/access.ts';
import type {ActiveFaults, RequestFaults, ServedFaults} from '../../core/domain/faults/fault.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type FaultKind, faultOf, withFault} from '../../core/failures/failure.ts';
import {FAULT_HEADER} from '../../core/protocol/headers/fault-header.ts';
import {pluginOf} from '../../core/protocol/headers/sender.ts';
import {emptyAnswer, type HttpAnswer, type HttpRequest, type WholeAnswer} from './message.ts';

/** The part of a request in progress that faults are about. */
export interface FaultyHandling {
  readonly request: HttpRequest;
  /** Sender of the request. */
  readonly caller: Caller;
  /** Path of its route, once it is found. */
  readonly route: string | undefined;
  /** Kinds of the faults that changed its answer; undefined without any. */
  faults: FaultKind[] | undefined;
}

/** Handles a request with the faults that are on: 1. delays it, 2. cuts it or fails it, 3. carries it out and names other faults of its answer. */
export async function handleWithFaults<A>(
  handling: FaultyHandling,
  active: ActiveFaults,
  carryOut: () => A | Promise<A>,
): Promise<A | WholeAnswer> {
  const {request, caller} = handling;
  const {delayMs, ending} = findFor(request, caller.principal, active);
  if (delayMs !== undefined) {
    addFault(handling, 'delay');
    await delay(delayMs, request, active);
  }
  if (ending?.kind === 'cut') return cut(handling);
  if (ending?.kind === 'error') throw new AppError(ending.failure);
  try {
    return await carryOut();
  } finally {
    for (const kind of active.kinds) if (changes(kind, handling.route)) addFault(handling, kind);
  }
}

function findFor(
  {method, target, rawHeaders}: HttpRequest,
  principal: Principal | undefined,
  active: ActiveFaults,
): RequestFaults {
  // A preflight that fails hides the answer to the request after it.
  if (method === 'OPTIONS') return {};
  const path = target.split('?', 1)[0] ?? '';
  return active.find({method, path, plugin: pluginOf(principal, rawHeaders)});
}

async function delay(delayMs: number, {signal}: HttpRequest, active: ActiveFaults): Promise<void> {
  try {
    await active.wait(delayMs, signal);
  } catch (error) {
    // The client has gone, or the service stops.
    throw new AppError(withFault({code: 'store-closed'}, 'delay'), {cause: error});
  }
}

/** Closes the connection. The answer is only counted. */
function cut(handling: FaultyHandling): WholeAnswer {
  addFault(handling, 'cut');
  handling.request.cut();
  return emptyAnswer(503);
}

function addFault(handling: FaultyHandling, kind: FaultKind): void {
  handling.faults ??= [];
  if (!handling.faults.includes(kind)) handling.faults.push(kind);
}

/** Routes whose answers depend on the clock of the store, by the beginnings of their paths. */
const OF_ENTRIES = ['/api/store/', '/api/keys', '/api/transactions', '/api/events', '/api/export', '/api/import'];

const OF_SESSION = ['/api/session', '/readyz'];

/** Routes whose answers a fault changes although no failure names it, by the beginnings of their paths. */
const CHANGED: {readonly [K in FaultKind]?: readonly string[]} = {
  'store-read-only': ['/readyz'],
  'session-expired': ['/api/identity', ...OF_SESSION],
  'airline-away': OF_SESSION,
  clock: OF_ENTRIES,
};

function changes(kind: FaultKind, route = ''): boolean {
  return CHANGED[kind]?.some(path => route.startsWith(path)) === true;
}

/** Returns an error with the fault that caused it, and names that fault in the answer. */
export function explainFailure(error: AppError, handling: FaultyHandling): AppError {
  const {failure} = error;
  const fault = faultOf(failure);
  if (fault !== undefined) addFault(handling, fault);
  const isHidden = failure?.code === 'no-identity' && handling.faults?.includes('session-expired') === true;
  return isHidden ? new AppError(withFault(failure, 'session-expired')) : error;
}

/** Names the faults that changed an answer in a header of its own. */
export function withFaultHeader(answered: HttpAnswer, faults: readonly FaultKind[]): HttpAnswer {
  return {...answered, rawHeaders: [...answered.rawHeaders, FAULT_HEADER, faults.join(', ')]};
}

/** Streams that never end by themselves, and that a cut closes when it is switched on. */
export class CuttableStreams {
  readonly #requests = new Map<HttpRequest, Principal | undefined>();

  constructor(faults: ServedFaults) {
    faults.onChange(() => this.#cut(faults.active));
  }

  /** Follows a stream until its connection is closed. */
  add(request: HttpRequest, {principal}: Caller): void {
    const {signal} = request;
    if (signal.aborted) return;
    this.#requests.set(request, principal);
    signal.addEventListener('abort', () => this.#requests.delete(request), {once: true});
  }

  #cut(active: ActiveFaults | undefined): void {
    if (active?.kinds.has('cut') !== true) return;
    for (const [request, principal] of [...this.#requests])
      if (findFor(request, principal, active).ending?.kind === 'cut') request.cut();
  }
}
