import type {DrawnFaults, FaultedRequest} from '../domain/faults/active-faults.ts';
import type {Fault, RequestFault} from '../domain/faults/fault.ts';
import {isFaultCode} from '../failures/facts.ts';
import {createFaultFailure} from '../failures/fault-failures.ts';

/** A fault of requests with its draws. */
export interface Drawer {
  readonly fault: RequestFault;
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number;
}

/** Creates the drawers of all faults that are about requests. */
export function createDrawers(faults: readonly Fault[]): readonly Drawer[] {
  return faults.flatMap(fault =>
    fault.kind === 'delay' || fault.kind === 'error' || fault.kind === 'cut'
      ? [{fault, random: createRandom(fault.seed ?? 0)}]
      : [],
  );
}

/** Draws the faults of a request. Each fault that fits draws once, so that the draws of one do not depend on another. */
export function drawFaults(request: FaultedRequest, drawers: readonly Drawer[]): DrawnFaults {
  if (!isReachable(request.path)) return {};
  const paths = [request.path, decodePath(request.path)];
  const drawn = drawers
    .filter(({fault}) => fits(fault, paths, request.plugin))
    .filter(({fault: {probability = 1}, random}) => random() < probability)
    .map(({fault}) => fault);
  const delay = drawn.find(({kind}) => kind === 'delay');
  const ending = drawn.find(({kind}) => kind !== 'delay');
  return {
    delayMs: delay?.kind === 'delay' ? delay.delayMs : undefined,
    ending: ending && endingOf(ending, request),
  };
}

/** Prefix of keys in paths. */
const STORE = '/api/store/';

function endingOf(fault: RequestFault, {method, path}: FaultedRequest): DrawnFaults['ending'] {
  if (fault.kind !== 'error' || !isFaultCode(fault.code)) return {kind: 'cut'};
  const shown = path.slice(0, SHOWN_LENGTH_MAX);
  const key = decodePath(shown.startsWith(STORE) ? shown.slice(STORE.length) : shown);
  return {kind: 'error', failure: createFaultFailure(fault.code, {method, path: shown, key})};
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

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Creates a generator of numbers from 0 to below 1, the same for the same seed: a Weyl sequence whose numbers are mixed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // 2^32 divided by the golden ratio: consecutive states are far apart.
    state = (state + 0x9e37_79b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
    const twice = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return ((twice ^ (twice >>> 16)) >>> 0) / 2 ** 32;
  };
}
