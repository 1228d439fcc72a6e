import type {Failure} from './failure.ts';

/** Kinds of faults, in the order in which they are listed. Released kinds are never renamed. */
export const FAULT_KINDS = [
  'delay',
  'error',
  'cut',
  'disk-full',
  'store-read-only',
  'session-expired',
  'airline-away',
  'clock',
] as const;

/** Kind of a fault of this version. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Marks a failure as the effect of a fault, for its message and its advice. */
export function withFault<F extends Failure>(failure: F, fault: FaultKind): F & FaultMark {
  return {...failure, fault};
}

/** Member of a failure that a fault caused. */
export interface FaultMark {
  readonly fault: FaultKind;
}

/** Returns the kind of the fault that caused a failure; undefined for any other failure. */
export function faultOf(failure: Failure): FaultKind | undefined {
  return 'fault' in failure ? (failure as Failure & FaultMark).fault : undefined;
}

/** Advice to end a fault. */
export const CLEAR_ADVICE =
  '"crewroom fault clear" or DELETE /api/faults ends all faults; "crewroom fault list" shows them';
