import {type ServiceError, status} from '@grpc/grpc-js';
import {EngineFailure, type EngineFailureKind} from '../engine/driver.ts';

/** Effects of a failed call: `lost` if it may have been executed, `token` if the login has expired, otherwise as of an engine. */
export type CallFailureKind = Exclude<EngineFailureKind, 'unknown'> | 'lost' | 'token';

/** A failed call to a member. */
export interface CallFailure {
  readonly kind: CallFailureKind;
  /** The reason, as a part of a sentence. */
  readonly problem: string;
}

/** Messages of etcd that its status does not tell apart. */
const BY_MESSAGE: readonly (readonly [message: RegExp, kind: CallFailureKind, advice?: string])[] = [
  [/database space exceeded/, 'full'],
  [/too many requests/, 'unavailable'],
  [/received message larger than max \(\d+ vs\. \d+\)/i, 'too-large'],
  [/request is too large/, 'denied', 'start etcd with --max-request-bytes=1572864 or more'],
  [/too many operations/, 'denied', 'start etcd with --max-txn-ops=128 or more'],
  [/required revision has been compacted/, 'compacted'],
  [/future revision/, 'unavailable'],
  [/invalid auth token|auth: revision in header is old/, 'token'],
  [/No connection established|Name resolution failed/, 'unavailable'],
];

const BY_STATUS: Readonly<Record<number, CallFailureKind>> = {
  [status.PERMISSION_DENIED]: 'denied',
  [status.UNAUTHENTICATED]: 'denied',
  [status.INVALID_ARGUMENT]: 'denied',
  [status.FAILED_PRECONDITION]: 'denied',
  [status.UNIMPLEMENTED]: 'denied',
};

/** Describes a failed call. Everything that is not known to have failed may have been executed. */
export function describeCallFailure(
  {code, details}: Pick<ServiceError, 'code' | 'details'>,
  member: string,
): CallFailure {
  const [, kind = BY_STATUS[code] ?? 'lost', advice] = BY_MESSAGE.find(([message]) => message.test(details)) ?? [];
  const problem = code === status.DEADLINE_EXCEEDED ? 'it did not answer in time' : tidy(details);
  return {kind, problem: `etcd at ${member}: ${problem}${advice === undefined ? '' : `; ${advice}`}`};
}

/** Returns a message of the library as one line, without the note that it adds, which is mostly empty. */
function tidy(details: string): string {
  return details
    .replace(/\.? Resolution note: .*$/s, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the failure of a read. */
export function readCallFailure({kind, problem}: CallFailure): EngineFailure {
  return new EngineFailure(kind === 'lost' || kind === 'token' ? 'unavailable' : kind, problem);
}

/** Returns the failure of a write. */
export function writeFailure({kind, problem}: CallFailure): EngineFailure {
  if (kind === 'lost') return new EngineFailure('unknown', problem);
  return new EngineFailure(kind === 'token' ? 'denied' : kind, problem);
}
