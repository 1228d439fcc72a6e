import type {ClientMembers} from './members/client.ts';
import type {FailureIn} from './members/members.ts';
import {SENT_CODES, type SentFailure} from './members/sent.ts';
import type {StartMembers} from './members/start.ts';

/**
 * Every expected failure of a call, as data. HTTP responses carry it as the members of a problem document, and the client throws the
 * same failure again. `members/` has the members of each code, and `rows/` everything else about it.
 */
export type Failure = SentFailure | FailureIn<ClientMembers>;

/** Every expected failure: one of a call, or one of a start or a command, which clients do not know. */
export type AnyFailure = Failure | FailureIn<StartMembers>;

/** The name of a kind of failure. Codes are stable: a released one is never renamed or reused. */
export type FailureCode = AnyFailure['code'];

/** Returns whether a document of the service, or of a file that it wrote, is a failure that this version knows. */
export function isSentFailure(document: Readonly<Record<string, unknown>>): document is SentFailure & typeof document {
  return SENT_CODES.includes(document['code'] as string);
}

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
export function withFault<F extends AnyFailure>(failure: F, fault: FaultKind): F & FaultMark {
  return {...failure, fault};
}

/** Member of a failure that a fault caused. */
export interface FaultMark {
  readonly fault: FaultKind;
}

/** Returns the kind of the fault that caused a failure; undefined for any other failure. */
export function faultOf(failure: AnyFailure | undefined): FaultKind | undefined {
  return failure && 'fault' in failure ? (failure as AnyFailure & FaultMark).fault : undefined;
}

/** Advice to end a fault. */
export const CLEAR_ADVICE =
  '"crewroom fault clear" or DELETE /api/faults ends all faults; "crewroom fault list" shows them';
