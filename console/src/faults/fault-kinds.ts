import type {Fault} from '../service/documents.ts';

/** A kind of fault, in words. */
export interface FaultKind {
  readonly name: string;
  readonly effect: string;
  /** The member that the kind has besides those of {@link selectsRequests}. */
  readonly value?: FaultValue;
  /** True if the fault is about some of the requests, which the user can select. */
  readonly selectsRequests?: true;
}

/** A member of a fault that the user sets. */
export interface FaultValue {
  readonly member: string;
  readonly label: string;
  readonly type: 'number' | 'text';
  readonly initial: string;
  /** Unit after the value, where it is shown. */
  readonly unit?: string;
  readonly suggestions?: readonly string[];
}

/** Failures that plugins meet most often. The service takes every code of the documentation. */
const COMMON_CODES = [
  'busy',
  'disk-full',
  'no-identity',
  'no-entry',
  'revision-conflict',
  'too-slow',
  'plugin-failed',
  'plugin-timeout',
  'back-end-failed',
  'internal',
];

/** Kinds of faults by their names in the API, in the order of the form. */
export const FAULT_KINDS: Readonly<Record<string, FaultKind>> = {
  delay: {
    name: 'Delay',
    effect: 'Requests wait before they are handled.',
    value: {member: 'delayMs', label: 'Milliseconds', type: 'number', initial: '500', unit: 'ms'},
    selectsRequests: true,
  },
  error: {
    name: 'Failure',
    effect: 'Requests fail with this code, and are not carried out.',
    value: {member: 'code', label: 'Code', type: 'text', initial: 'busy', suggestions: COMMON_CODES},
    selectsRequests: true,
  },
  cut: {
    name: 'Cut connection',
    effect: 'Connections are closed in place of an answer. Open streams of events are closed, too.',
    selectsRequests: true,
  },
  'disk-full': {name: 'Full disk', effect: 'Writes fail. Reads and deletions work.'},
  'store-read-only': {
    name: 'Read-only store',
    effect: 'Writes and deletions fail, as after the disk failed. Reads work.',
  },
  'session-expired': {
    name: 'Expired session',
    effect: 'No pilot is signed in. The kept session is served again when the fault ends.',
  },
  'airline-away': {
    name: 'Airline away',
    effect:
      'The back end of the airline looks unreachable: the identity is the last known one, and no pilot can sign in.',
  },
  clock: {
    name: 'Clock ahead',
    effect: 'Entries expire earlier. Only if the store is in memory, since entries on disk would be deleted for good.',
    value: {member: 'offsetSeconds', label: 'Seconds ahead', type: 'number', initial: '3600', unit: 's'},
  },
};

/** Returns a fault in words. A kind of a newer service is shown with its name in the API. */
export function describeFault(fault: Fault): string {
  const kind = Object.hasOwn(FAULT_KINDS, fault.kind) ? FAULT_KINDS[fault.kind] : undefined;
  const value = kind?.value === undefined ? undefined : fault[kind.value.member];
  const unit = kind?.value?.unit === undefined ? '' : ` ${kind.value.unit}`;
  return `${kind?.name ?? fault.kind}${value === undefined ? '' : `: ${value}${unit}`}`;
}

/** Returns the requests that a fault is about, in words; undefined if the fault is not about requests. */
export function describeSelection({kind, path, plugin}: Fault): string | undefined {
  if (!Object.hasOwn(FAULT_KINDS, kind) || FAULT_KINDS[kind]?.selectsRequests !== true) return undefined;
  return [
    'All requests',
    ...(path === undefined ? [] : [`to ${path}`]),
    ...(plugin === undefined ? [] : [`of ${plugin}`]),
  ].join(' ');
}
